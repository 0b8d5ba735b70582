"""Objects of actions: what the words after a verb, or before it, name. Pure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from core.guard.claims import plain
from core.guard.code import apart
from core.guard.lists import words
from core.guard.tokens import Deed
from core.guard.words import Token, tokens

_ENDS_OBJECT = words(
    """like per in on under of from with for at by to as that which who until while if when because
    since so before after unless and or but nor than then instead first now again"""
)
_POINTING = words("it them this these those")


@lru_cache(maxsize=512)
def row_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a sentence, citations gone; the last sentences read are kept."""
    prose, spans, _ = apart(text)
    return tokens(plain(prose), spans)


def objects_of(row: Sequence[Token]) -> Iterator[str]:
    """Return the words that may be an object: content words stemmed, code whole and in parts."""
    return chain.from_iterable(token.objects for token in row)


def object_of(row: Sequence[Token], deed: Deed) -> list[Token]:
    """Return the words right after a verb, up to the first that begins something else."""
    taken: list[Token] = []
    if deed.end < len(row) and row[deed.end].word in {"it", "them"}:
        return taken
    for token in row[deed.end :]:
        word = token.word
        if token.code or (not taken and word == "that"):
            taken.append(token)
        elif word == "of" and (deed.noun or deed.end > deed.at + 1):
            continue
        elif word in _ENDS_OBJECT or not word[0].isalnum():
            break
        else:
            taken.append(token)
    return taken


def points(row: Sequence[Token], deed: Deed) -> bool:
    """Return whether the object is only pointed at: `restart it`."""
    return deed.end < len(row) and row[deed.end].word in _POINTING


def contents(row: Sequence[Token]) -> list[Token]:
    """Return the words of a row that name something."""
    return [token for token in row if token.code or token.objects]


def is_content(token: Token) -> bool:
    """Return whether a token names something."""
    return bool(token.code or token.objects)
