"""What a question is about, as names that exclude each other: a service, a technology, a side.

Models of meaning put `payments is slow` and `search is slow` close together, since the wording is
the same. Whoever is on call knows better, by the names. `subjects.txt` has the lists that hold
everywhere; services come from the runbooks.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.keywords import tokens

SERVICE = "service"
_SHIPPED = Path(__file__).parent / "subjects.txt"

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """One member of a list, such as `redis` of `technology`."""

    list: str
    name: str


@dataclass(frozen=True, slots=True)
class Subjects:
    """Known names, each spelling as its tokens, findable by the first."""

    by_first: dict[str, tuple[tuple[Phrase, Subject], ...]]

    def of(self, text: str) -> frozenset[Subject]:
        """Return what a text names."""
        said = tokens(text)
        return frozenset(
            subject
            for at, token in enumerate(said)
            for phrase, subject in self.by_first.get(token, ())
            if tuple(said[at : at + len(phrase)]) == phrase
        )


def known_subjects(services: Iterable[str] = ()) -> Subjects:
    """Return the shipped lists, and these services as one more."""
    by_first: dict[str, list[tuple[Phrase, Subject]]] = {}
    own = [(Subject(SERVICE, name), (name,)) for name in sorted({*services} - {""})]
    for subject, spellings in (*_shipped(), *own):
        for spelling in spellings:
            if phrase := tuple(tokens(spelling)):
                by_first.setdefault(phrase[0], []).append((phrase, subject))
    return Subjects({first: tuple(found) for first, found in by_first.items()})


@lru_cache(maxsize=1)
def _shipped() -> tuple[tuple[Subject, tuple[str, ...]], ...]:
    found = []
    current = ""
    for line in _SHIPPED.read_text(encoding="utf-8").splitlines():
        content = line.partition("#")[0].strip()
        if content.startswith("["):
            current = content.strip("[]")
        elif content:
            spellings = tuple(part.strip() for part in content.split("|"))
            found.append((Subject(current, spellings[0]), spellings))
    return tuple(found)
