"""Operations synonyms: groups of words and phrases that mean the same. Pure but for the file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import SettingsError
from core.keywords import tokens

SHIPPED = Path(__file__).parent / "vocabulary.txt"

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Groups of phrases, each phrase as its tokens, findable by a phrase's first token."""

    groups: tuple[tuple[Phrase, ...], ...]
    by_first: dict[str, tuple[tuple[Phrase, int], ...]]

    def synonyms(self, question: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return, for each of the question's tokens in a known phrase, what else says the same.

        Maps a token to all tokens of the other members of its groups, the question's own left out.
        """
        own = set(question)
        found: dict[str, set[str]] = {}
        for at, token in enumerate(question):
            for phrase, group in self.by_first.get(token, ()):
                if tuple(question[at : at + len(phrase)]) == phrase:
                    others = {t for p in self.groups[group] if p != phrase for t in p} - own
                    for said in phrase:
                        found.setdefault(said, set()).update(others)
        return {token: frozenset(others) for token, others in found.items() if others}


def parse_vocabulary(lines: Iterable[str]) -> Vocabulary:
    """Read `one | another phrase | a third` lines; `#` begins a comment."""
    groups: list[tuple[Phrase, ...]] = []
    for line in lines:
        content = line.partition("#")[0]
        phrases = tuple(dict.fromkeys(_phrase(part) for part in content.split("|")))
        phrases = tuple(phrase for phrase in phrases if phrase)
        if len(phrases) > 1:
            groups.append(phrases)
    by_first: dict[str, list[tuple[Phrase, int]]] = {}
    for number, group in enumerate(groups):
        for phrase in group:
            by_first.setdefault(phrase[0], []).append((phrase, number))
    return Vocabulary(tuple(groups), {first: tuple(found) for first, found in by_first.items()})


def read_vocabulary(paths: Iterable[Path] = ()) -> Vocabulary:
    """Read the shipped vocabulary and a team's own files after it.

    Raises:
        SettingsError: a file cannot be read.
    """
    lines: list[str] = []
    for path in (SHIPPED, *paths):
        try:
            lines.extend(path.read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
            raise SettingsError(
                f"The vocabulary file {path} cannot be read ({reason}): correct it, or "
                "NIGHTLAMP_RETRIEVAL_VOCABULARY."
            ) from None
    return parse_vocabulary(lines)


def _phrase(text: str) -> Phrase:
    return tuple(tokens(text))
