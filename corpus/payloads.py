"""Data that a text carries in base64: nothing to read, so nothing to embed. Pure."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from core.models import Span

_PAYLOAD = re.compile(r"(?<=;base64,)[A-Za-z0-9+/=%_-]{40,}")


class Payloads:
    """Where the payloads of `data:` URIs stand in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [Span(*found.span()) for found in _PAYLOAD.finditer(text)]
        self._ends = [span.end for span in self._spans]

    def size(self, start: int, end: int) -> int:
        """Return how many characters of a stretch are no payload."""
        return max(0, end - start) - sum(map(len, self._inside(start, end)))

    def without(self, span: Span) -> str:
        """Return a stretch of the text with its payloads left out."""
        pieces: list[str] = []
        done = span.start
        for payload in self._inside(span.start, span.end):
            pieces.append(self._text[done : payload.start])
            done = payload.end
        return "".join((*pieces, self._text[done : span.end]))

    def _inside(self, start: int, end: int) -> Iterator[Span]:
        for span in self._spans[bisect_left(self._ends, start + 1) :] if self._spans else ():
            if span.start >= end:
                return
            yield Span(max(span.start, start), min(span.end, end))
