"""Words of a sentence for the reading of actions: stems, deeds, what is denied. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from core.guard.lists import FILLING, words
from core.guard.verbs import COMMAND_WORDS, FORMS, PARTED, PHRASES
from core.guard.words import DENY, PART, STOPS, Token

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_DETERMINERS = words(
    "a an the this that these those its their our your his no each every any another one"
)
_PREPOSITIONS = words("in on during after of before by per for with without from until")
_BE = words("is are was were be been being gets get got 's")
_MODAL = words("must should may can could cannot needs need to let be might shall")
_URGES = words("hesitate forget")
_ENDS_DENIAL = words("but because since so then unless although though")
_PARTICLES = frozenset(particle for _, particle in PHRASES)
_ALWAYS_NOUN = frozenset({"rollback", "failover", "switchover"})
_USELESS = words(
    "help helps enough possible allowed needed necessary safe recommended work works helped"
    " fix cure remedy solution"
)
_FAR = 60
"""Words within which a negation is looked for."""
_SHARED_WORDS = 6
"""So many words in a row of the instructions, and of no cited section, are repeated from them."""
_ALL_KNOWN = b"\x01" * _SHARED_WORDS
_LOWER = re.compile(r"[a-z0-9_]+")


class Deed(NamedTuple):
    """An action in a row of tokens: its class, where its words begin and end, how it is meant.

    `advice` is false where it only tells what happens; `noun` where it is named, not told.
    """

    name: str
    at: int
    end: int
    advice: bool
    noun: bool
    denied: bool
    passive: bool
    gerund: bool


@lru_cache(maxsize=1024)
def deeds_in_code(code: str) -> frozenset[str]:
    """Return the actions that a command takes by its own words: `kubectl delete` deletes.

    What stands in quotes, paths and values of flags takes none; a flag does where it is a verb.
    """
    if " " not in code and not (code.islower() or code.isupper()):
        return frozenset()
    found: set[str] = set()
    for word in _QUOTED.sub(" ", code).split():
        bare = word.strip("(){};,").lstrip("-").casefold()
        if not bare or any(sign in bare for sign in "/=.:$"):
            continue
        for part in (bare,) if word.startswith("-") else (bare, *PART.findall(bare)):
            if FORMS.get(part, ("", ""))[1] == "base":
                found.add(FORMS[part][0])
            elif part in COMMAND_WORDS:
                found.add(COMMAND_WORDS[part])
    return frozenset(found)


def denies(row: Sequence[Token]) -> bool:
    """Return whether a sentence denies or forbids anything."""
    found = [at for at, token in enumerate(row) if token.denies]
    return any(_denies(row, at) for at in found) if found else False


def deeds(row: Sequence[Token]) -> Iterator[Deed]:
    """Yield the actions that prose names, in their order."""
    acting = [at for at, token in enumerate(row) if token.acts]
    denying = bool(acting) and bool([token for token in row if token.denies])
    for at in acting:
        word = row[at].word
        if named := _parted(row, at):
            name, ending, end = named
        elif word in FORMS:
            name, ending = FORMS[word]
            end = at + 1
        else:
            continue
        if not _is_other_word(row, at, name, ending):
            yield _deed(row, at, end, name, ending, denying=denying)


def _parted(row: Sequence[Token], at: int) -> tuple[str, str, int] | None:
    """Return the deed of a verb with its particle: `roll … back`."""
    if row[at].word not in PARTED:
        return None
    verb, ending = PARTED[row[at].word]
    for end in range(at + 1, min(at + 6, len(row))):
        word = row[end].word
        if word in STOPS or word == ",":
            return None
        if word in _PARTICLES and (verb, word) in PHRASES:
            return PHRASES[verb, word], ending, end + 1 if end == at + 1 else at + 1
    return None


def _is_other_word(row: Sequence[Token], at: int, name: str, ending: str) -> bool:
    """Return whether a word is no verb here: `are empty`, `start with the journal`."""
    before = row[at - 1].word if at else ""
    after = row[at + 1].word if at + 1 < len(row) else ""
    if ending == "base" and before in _BE:
        return True
    return name == "start" and after in {"with", "by", "from"}


def _deed(
    row: Sequence[Token], at: int, end: int, name: str, ending: str, *, denying: bool
) -> Deed:
    """Read a deed; `denying`: some word of the row may deny."""
    before = [token.word for token in row[max(0, at - 3) : at]]
    noun = ending == "base" and _is_noun(row, at, name)
    passive = ending == "ed" and not _BE.isdisjoint(before)
    advice = not noun and (
        (ending == "base" and not _has_subject(row, at))
        or (ending == "ing" and _BE.isdisjoint(before[-1:]))
        or (passive and not _MODAL.isdisjoint([one.word for one in row[max(0, at - 4) : at]]))
    )
    denied = denying and (
        is_denied(row, at) or ((noun or ending == "ing") and _proves_useless(row, end))
    )
    return Deed(name, at, end, advice, noun, denied, passive, gerund=ending == "ing")


def _has_subject(row: Sequence[Token], at: int) -> bool:
    """Return whether somebody does it of themselves: `pods do not move`, `they all restart`."""
    i = at - 1
    while i >= 0 and row[i].word in {"not", "never", "always", "also", "all", "both"}:
        i -= 1
    if i < at - 1 and row[at - 1].word in {"all", "both"}:
        return True
    if i > 0 and row[i].word in {"do", "does", "did", "don't", "don’t"}:
        subject = row[i - 1]
        return bool(subject.code) or (subject.word not in FILLING and subject.word[0].isalnum())
    return i >= 0 and row[i].word in {"they", "which", "who"}


def _is_noun(row: Sequence[Token], at: int, name: str) -> bool:
    if row[at].word in _ALWAYS_NOUN and name in _ALWAYS_NOUN:
        return True
    before = [row[i].word for i in range(max(0, at - 2), at)]
    if before and before[-1] in _PREPOSITIONS:
        return True
    if before and before[-1] in _DETERMINERS:
        return before[-1] not in {"that", "one", "this", "these", "those"} or at + 1 == len(row)
    return (
        len(before) == 2
        and before[0] in {"a", "an", "the", "every", "each"}
        and not row[at - 1].code
        and before[1] not in STOPS
    )


def is_denied(row: Sequence[Token], at: int) -> bool:
    """Return whether a negation reaches the token here from before it, in its clause."""
    either = False
    for i in range(at - 1, max(-1, at - _FAR), -1):
        word = row[i].word
        if row[i].code:
            continue
        if word in {"or", "nor"}:
            either = True
        if row[i].denies and _denies(row, i):
            return True
        if word in STOPS or word in _ENDS_DENIAL:
            return False
        if word == "," and not either and not (i > 0 and _denies(row, i - 1)):
            if not _goes_on_with_or(row, at):
                return _denied_aside(row, i)
            either = True
    return False


def _goes_on_with_or(row: Sequence[Token], at: int) -> bool:
    return any(row[i].word in {"or", "nor"} for i in range(at, _clause_end(row, at)))


def _denied_aside(row: Sequence[Token], comma: int) -> bool:
    """Return whether the comma closes an aside that stands right after a negation."""
    for i in range(comma - 1, 0, -1):
        if row[i].word in STOPS:
            return False
        if row[i].word == ",":
            return _denies(row, i - 1)
    return False


def _clause_end(row: Sequence[Token], at: int) -> int:
    for i in range(at, min(at + 12, len(row))):
        if row[i].stops:
            return i
    return min(at + 12, len(row))


def _denies(row: Sequence[Token], at: int) -> bool:
    if not row[at].denies:
        return False
    word = row[at].word
    if at + 1 < len(row) and row[at + 1].word in _URGES:
        return False
    if word in {"instead", "rather"}:
        return at + 1 < len(row) and row[at + 1].word in {"of", "than"}
    return word in DENY or word.endswith(("n't", "n’t"))


def _proves_useless(row: Sequence[Token], at: int) -> bool:
    words = [row[i].word for i in range(at, _clause_end(row, at))]
    for i, word in enumerate(words[:-1]):
        if (word in DENY or word.endswith(("n't", "n’t"))) and _USELESS & set(words[i + 1 : i + 4]):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Runs:
    """Every run of so many words of a text that repeating one is no accident; and its words."""

    runs: frozenset[tuple[str, ...]]
    words: frozenset[str]

    def of(self, text: str) -> list[tuple[str, ...]]:
        """Return those of the runs that a text has, in its order."""
        words = _LOWER.findall(text.casefold())
        known = bytes(map(self.words.__contains__, words))
        return [run for run in _runs(words) if run in self.runs] if _ALL_KNOWN in known else []


@lru_cache(maxsize=8)
def runs_of(instructions: str) -> Runs:
    """Read the instructions that an answer must not repeat; the last are kept."""
    words = _LOWER.findall(instructions.casefold())
    return Runs(frozenset(_runs(words)), frozenset(words))


def grams(text: str) -> frozenset[tuple[str, ...]]:
    """Return every run of so many words of a text."""
    return frozenset(_runs(_LOWER.findall(text.casefold())))


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*[words[start:] for start in range(_SHARED_WORDS)], strict=False)
