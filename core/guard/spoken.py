"""A sentence of an answer beside the sections that it cites. Pure."""

from collections.abc import Sequence

from core.guard.figures import keys_of
from core.guard.places import Places, exact, masked
from core.guard.words import Token


class Spoken:
    """A sentence of an answer and the sections that it cites, with what they have in common."""

    __slots__ = ("_shares", "keys", "row", "sources", "words")

    def __init__(self, row: tuple[Token, ...], sources: Sequence[Places]) -> None:
        self.row = row
        self.sources = sources
        self.keys = keys_of(row)
        self.words = frozenset([token.word for token in row])
        self._shares: list[list[float]] | None = None

    @property
    def shares(self) -> list[list[float]]:
        """Return for each section how much each of its places shares with the sentence."""
        if self._shares is None:
            self._shares = [one.alike(self.keys) for one in self.sources]
        return self._shares

    def is_quoted(self) -> bool:
        """Return whether a section says just that, word for word."""
        line = exact(self.row)
        return any(one.says(line) for one in self.sources)

    def is_whole(self) -> bool:
        """Return whether it is a whole sentence of a section, and not under a prohibition there."""
        line = exact(self.row)
        return any(line in one.sentences for one in self.sources)

    def is_quoted_but_for_numbers(self) -> bool:
        """Return whether a section says just that with other numbers, or the same."""
        if not any(any(map(self.keys.issubset, one.keys)) for one in self.sources):
            return False
        line = masked(self.row)
        return any(one.says_but_for_numbers(line) for one in self.sources)
