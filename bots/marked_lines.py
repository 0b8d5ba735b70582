"""The lines of a Markdown text, each knowing the list, fence or table that it stands in. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bots.inline_code import code_spans
from corpus.markdown import Block, BlockKind, parse

_NOT_QUOTE = re.compile(r"[^>\s]")
_AROUND = re.compile(r"(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*")
_MARKER = re.compile(r" *(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?! )| |$)")
_TAB = 4


@dataclass(frozen=True, slots=True)
class Fence:
    """The lines that open a fence again and close it, with what stands around them."""

    opener: str
    closer: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or where `glued` a further piece of one that was too long.

    `margin` is how many columns of it belong to the lists around it. `opens` marks a fence's first
    line and a table's first two, `closes` a fence's last; `head` has the two lines to repeat before
    a table's row; `solid` lines are code, kept even if blank.
    """

    text: str
    glued: bool = False
    margin: int = 0
    fence: Fence | None = None
    head: str = ""
    opens: bool = False
    closes: bool = False
    solid: bool = False

    @property
    def droppable(self) -> bool:
        """Return whether it may be left out at a part's border."""
        return not self.solid and not self.text.strip()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block as lines: from `first` to before `end`, with the blocks inside it."""

    first: int
    end: int
    heading: bool
    children: tuple["Stretch", ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text's lines and, over them, its blocks. `starts` has the offset of each line."""

    lines: tuple[Line, ...]
    blocks: tuple[Stretch, ...]
    starts: tuple[int, ...]

    def line_at(self, offset: int) -> int:
        """Return the line in which an offset of the text lies."""
        return max(bisect_right(self.starts, offset) - 1, 0)


def marked(text: str, room: int) -> MarkedText:
    """Return a text's lines, those that do not fit into `room` characters in pieces.

    What has to be repeated around a piece (a fence's first and last line, a table's head) counts
    into the room; where it would take more than half of it, it is not repeated.
    """
    lines = [Line(line) for line in text.split("\n")]
    starts = _starts(lines)
    blocks = parse(text).blocks
    _mark(lines, blocks, starts, room)
    pieces = [piece for line in lines for piece in _pieces(line, room)]
    starts = _starts(pieces)
    return MarkedText(tuple(pieces), _stretches(blocks, starts), tuple(starts))


def without_indent(text: str, columns: int) -> str:
    """Return lines without up to so many columns of leading white space each."""
    if columns == 0:
        return text
    return "\n".join(_moved(line, columns) for line in text.split("\n"))


def _moved(line: str, columns: int) -> str:
    at = column = 0
    while at < len(line) and line[at] in " \t":
        column += _TAB - column % _TAB if line[at] == "\t" else 1
        if column > columns:
            break
        at += 1
    return line[at:]


def _starts(lines: Sequence[Line]) -> list[int]:
    starts: list[int] = []
    at = -1
    for line in lines:
        at += 0 if line.glued else 1
        starts.append(at)
        at += len(line.text)
    return starts


def _reach(block: Block, starts: Sequence[int]) -> tuple[int, int]:
    last = max(block.span.end - 1, block.span.start)
    return bisect_right(starts, block.span.start) - 1, bisect_right(starts, last)


def _stretches(blocks: Sequence[Block], starts: Sequence[int]) -> tuple[Stretch, ...]:
    return tuple(
        Stretch(
            *_reach(block, starts),
            heading=block.kind is BlockKind.HEADING,
            children=_stretches(block.children, starts),
        )
        for block in blocks
    )


# --- lists, fences and tables -------------------------------------------------------------------


def _mark(
    lines: list[Line], blocks: Sequence[Block], starts: Sequence[int], room: int, margin: int = 0
) -> None:
    for block in blocks:
        first, end = _reach(block, starts)
        inside = margin
        if block.kind is BlockKind.ITEM:
            inside = _content_column(lines[first].text, margin)
            lines[first + 1 : end] = [replace(one, margin=inside) for one in lines[first + 1 : end]]
        _mark(lines, block.children, starts, room, inside)
        if block.kind is BlockKind.FENCE:
            _mark_fence(lines, first, end, block.mark, room)
        elif block.kind is BlockKind.TABLE:
            _mark_table(lines, first, end, room)
        elif block.kind in {BlockKind.CODE, BlockKind.HTML}:
            lines[first:end] = [replace(line, solid=True) for line in lines[first:end]]


def _content_column(line: str, margin: int) -> int:
    """Return the column at which a list item's text begins (CommonMark 0.31, 5.2)."""
    found = _MARKER.match(line.expandtabs(_TAB), margin)
    if found is None:
        return margin
    return found.end() + found.group().endswith(tuple("-*+.)"))


def _mark_fence(lines: list[Line], first: int, end: int, mark: str, room: int) -> None:
    before, _, info = lines[first].text.partition(mark)
    around = _NOT_QUOTE.sub(" ", before)
    fence = Fence(around + mark + info, around + mark)
    if len(fence.opener) + len(fence.closer) + 2 > room // 2:
        lines[first:end] = [replace(line, solid=True) for line in lines[first:end]]
        return
    lines[first:end] = [replace(line, fence=fence, solid=True) for line in lines[first:end]]
    lines[first] = replace(lines[first], opens=True)
    last = lines[end - 1].text.strip("> \t")
    if end - 1 > first and len(last) >= len(mark) and set(last) == {mark[0]}:
        lines[end - 1] = replace(lines[end - 1], closes=True)


def _mark_table(lines: list[Line], first: int, end: int, room: int) -> None:
    head = f"{_row_again(lines[first].text)}\n{lines[first + 1].text}"
    if len(head) + 1 > room // 2:
        return
    for at in range(first, end):
        row = at >= first + 2
        lines[at] = replace(lines[at], head=head if row else "", opens=not row)


def _row_again(line: str) -> str:
    around = _AROUND.match(line)
    end = around.end() if around else 0
    return _NOT_QUOTE.sub(" ", line[:end]) + line[end:]


# --- lines that are too long --------------------------------------------------------------------


def _pieces(line: Line, room: int) -> Iterator[Line]:
    left = room - _repeated(line)
    if len(line.text) <= left:
        yield line
        return
    cuts = _cuts(line.text, left, inside_code=line.solid)
    for at, end in zip((0, *cuts), (*cuts, len(line.text)), strict=True):
        yield replace(line, text=line.text[at:end], glued=at > 0)


def _repeated(line: Line) -> int:
    if line.fence and not line.opens:
        return len(line.fence.opener) + len(line.fence.closer) + 2
    return len(line.head) + 1 if line.head else 0


def _cuts(text: str, room: int, *, inside_code: bool) -> list[int]:
    """Return where to cut a line: after a space outside of inline code, else where it must be."""
    held = {at for span in code_spans(text) for at in range(span.start + 1, span.end)}
    cuts: list[int] = []
    start = 0
    while len(text) - start > room:
        ends = range(start + room, start + room // 2, -1)
        spaces = (end for end in ends if text[end - 1] == " " and end not in held)
        start = start + room if inside_code else next(spaces, start + room)
        cuts.append(start)
    return cuts
