"""The document frequencies of a build while it is being filled. No vendor."""

from collections.abc import Iterable, Mapping, Sequence

from core.points import Frequencies, Point


class TokenCounts:
    """How many passages and sections hold each token, kept right while points come and go."""

    def __init__(self, start: Frequencies) -> None:
        self._passages = start.passages
        self._sections = start.sections
        self._by_token = dict(start.by_token)
        self._standing: Frequencies | None = start

    def count(self, words: Mapping[str, Iterable[int]], step: int) -> None:
        """Count one point's keyword vectors in (`step` 1) or out again (-1)."""
        for token in words.get("passage", ()):
            self._move(token, step, 0)
        for token in words.get("section", ()):
            self._move(token, 0, step)
        self._passages += step * ("passage" in words)
        self._sections += step * ("section" in words)
        self._standing = None

    def _move(self, token: int, passages: int, sections: int) -> None:
        before = self._by_token.get(token, (0, 0))
        after = (before[0] + passages, before[1] + sections)
        if after == (0, 0):
            self._by_token.pop(token, None)
        else:
            self._by_token[token] = after

    def frequencies(self) -> Frequencies:
        """Return the counts as they stand; later changes do not reach what was returned."""
        if self._standing is None:
            self._standing = Frequencies(self._passages, self._sections, dict(self._by_token))
        return self._standing


def tokens_of(point: Point) -> dict[str, Sequence[int]]:
    """Return the token numbers of a point's keyword vectors by name."""
    named = {"passage": point.passage, "section": point.section}
    return {name: words.indices for name, words in named.items() if words is not None}
