"""A section's text cut into passages that fit the embedding model's window. Pure.

A passage ends where a block ends. A block that alone is too long is cut along its own structure: a
list by item, a fence or table by line with its head repeated, a paragraph by sentence, then word,
then character; so no text is ever beyond the window.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.models import Span
from corpus.markdown import Block
from corpus.payloads import Payloads
from corpus.pieces import Piece, parts, pieces

_WORD = re.compile(r"\w")
_PADDING = re.compile(r"[ \t]{2,}|-{4,}")
_SHRINK = 0.75
_SHARE = 3
_HEAD_SHARE = 2
_SHORT_BYTES = 80


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of the text, and what is embedded for it."""

    span: Span
    embedded: str


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts the sections of one text.

    `fits` tells whether the model's window takes a whole text; it is asked about once a passage.
    `chars` bounds what is embedded beside it.
    """

    text: str
    blocks: Sequence[Block]
    payloads: Payloads
    fits: Callable[[str], bool]
    chars: int

    def slices(self, body: Span, crumb: str) -> list[Slice]:
        """Return the passages of a section's text below its heading, in order, without overlap.

        Every word of it is in one of them; what has no word (blank lines, rules) may be in none.
        `crumb` is the line that each of them is embedded under, if it is not empty.
        """
        whole = self._written(body)
        if not self.says_something(whole):
            return []
        uncut = f"{_title(crumb)}{self.payloads.without(whole)}"
        if len(uncut) <= self.chars and self.fits(uncut):
            return [Slice(whole, uncut)]
        crumb = self._shortened(crumb)
        waiting = pieces(self.text, self.blocks, whole)[::-1]
        made: list[Slice] = []
        while waiting:
            made.append(self._next(waiting, crumb))
        return [one for one in made if self.says_something(one.span)]

    def question(self, asked: str, crumb: str) -> str:
        """Return what is embedded for a question that the section answers: under its breadcrumb.

        Where the window does not take both, the breadcrumb goes first, then the question's end.
        """
        for text in (f"{_title(crumb)}{asked}", f"{_title(self._shortened(crumb))}{asked}"):
            if self.fits(text):
                return text
        while len(asked) > 1 and not self.fits(asked):
            asked = asked[: int(_SHRINK * len(asked))]
        return asked

    def says_something(self, span: Span) -> bool:
        """Return whether a stretch has a word."""
        return _WORD.search(self.text, span.start, span.end) is not None

    def _next(self, waiting: list[Piece], crumb: str) -> Slice:
        """Take a passage off the pieces that wait; the first of them is the last of the list."""
        room = self.chars - len(_title(crumb))
        while True:
            count = self._greedy(waiting, room)
            made = self._slice(waiting[-1], waiting[-count], crumb, room)
            if not made.span or room <= 1 or self.fits(made.embedded):
                del waiting[-count:]
                return made
            body = len(made.embedded) - len(_title(crumb))
            room = max(1, int(_SHRINK * min(room, body)))

    def _greedy(self, waiting: list[Piece], room: int) -> int:
        """Return how many pieces fit the room, at least one; cuts those that alone do not."""
        count = 0
        while count < len(waiting):
            at = len(waiting) - 1 - count
            piece = waiting[at]
            if self._size(piece, piece, room) > room and (cut := self._parts(piece, room)):
                waiting[at : at + 1] = cut[::-1]
                continue
            if count and self._size(waiting[-1], piece, room) > room:
                break
            count += 1
        return count

    def _parts(self, piece: Piece, room: int) -> list[Piece]:
        """Return what a piece is cut into: a first row off its head, before it is cut itself."""
        if (cut := _off_its_head(piece)) and self._bare(cut[1], cut[1]) <= room:
            return cut
        return parts(self.text, piece, room)

    def _size(self, first: Piece, last: Piece, room: int) -> int:
        around = sum(map(len, self._around(first, last, room)))
        return around + self._bare(first, last)

    def _bare(self, first: Piece, last: Piece) -> int:
        return self.payloads.size(first.start, last.stop)

    def _around(self, first: Piece, last: Piece, room: int) -> tuple[str, str]:
        """Return what the passage repeats before its first piece and adds after its last.

        Nothing of it may cut a piece that fits alone: the head goes first, then the tail.
        """
        head, tail = _head(first, room), _tail(last)
        own = self._bare(first, first)
        if len(head) + own + len(_tail(first)) > room:
            head = ""
        if first == last and own + len(tail) > room:
            tail = ""
        return head, tail

    def _slice(self, first: Piece, last: Piece, crumb: str, room: int) -> Slice:
        span = self._written(Span(first.start, last.stop))
        head, tail = self._around(first, last, room)
        return Slice(span, f"{_title(crumb)}{head}{self.payloads.without(span)}{tail}")

    def _written(self, span: Span) -> Span:
        """Return a stretch without blank space at its end and without blank lines at its start."""
        written = self.text[span.start : span.end].rstrip()
        blank = len(written) - len(written.lstrip())
        start = span.start + (written.rfind("\n", 0, blank) + 1)
        return Span(start, span.start + len(written))

    def _shortened(self, crumb: str) -> str:
        """Return a breadcrumb that takes no more than a third of the window, its end kept."""
        most = self.chars // _SHARE
        while True:
            if len(crumb) > most:
                end = crumb[1 - most :]
                crumb = f"…{end.partition(' ')[2] or end}"
            small = len(crumb.encode("utf-8", "replace")) <= _SHORT_BYTES
            if small or self.fits("\n".join([crumb] * _SHARE)):
                return crumb
            most = int(_SHRINK * len(crumb))


def _title(crumb: str) -> str:
    """Return the line that stands above every passage; nothing where there is no breadcrumb."""
    return f"{crumb}\n" if crumb else ""


def _head(first: Piece, room: int) -> str:
    """Return what the passage must repeat before its first piece, at most half of the room.

    Over a third, the padding of a table's columns goes; over half, its last columns.
    """
    frame = first.frame
    if frame is None or first.start <= frame.span.start:
        return ""
    if len(frame.head) * _SHARE <= room:
        return frame.head
    tight = _PADDING.sub(lambda found: found[0][: 3 if found[0][0] == "-" else 1], frame.head)
    if len(tight) * _HEAD_SHARE <= room:
        return tight
    names, _, rest = tight.partition("\n")
    whole = names[: names.rfind("|", 1, room // _HEAD_SHARE) + 1] if rest else ""
    return f"{whole}\n" if whole else ""


def _tail(last: Piece) -> str:
    """Return what the passage must add after its last piece."""
    frame = last.frame
    return "" if frame is None or last.stop >= frame.span.end else frame.tail


def _off_its_head(piece: Piece) -> list[Piece]:
    """Return the head of a fence or table and its first line apart; nothing if they are not there.

    The two stay together while they fit.
    """
    frame = piece.frame
    if frame is None or piece.start != frame.span.start:
        return []
    end = piece.start + len(frame.head)
    if end >= piece.stop:
        return []
    return [replace(piece, end=end, stop=end - 1), replace(piece, start=end)]
