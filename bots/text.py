"""Cutting Markdown into messages that a platform takes, at the borders of its blocks. Pure.

What a person may paste into a shell leaves here as it came: a fence that is cut is closed and
opened again, a table gets its head again, and a line is only ever cut when it alone is too long.
"""

from collections.abc import Iterator, Sequence

from bots.marked_lines import Line, MarkedText, Stretch, marked, without_indent
from core.models import Span

SHORTEST = 100
"""Characters below which a limit leaves no room for what has to be repeated."""


def parts(
    text: str,
    limit: int,
    *,
    most: int | None = None,
    open_at: Span | None = None,
    opening: str = "",
    ending: str = "",
) -> list[str]:
    """Return a text in parts of up to `limit` characters; one that fits comes back as it is.

    Where that would be more than `most` parts, they begin at the block in which `open_at` starts,
    with the note `opening` above and, if something is left out at the end, `ending` below.

    Raises:
        ValueError: the limit, less the notes, is under SHORTEST.
    """
    if not text.strip():
        return []
    if len(text) <= limit:
        return [text]
    whole = list(_packed(_checked(text, limit), 0, limit))
    if most is None or len(whole) <= most:
        return [cut for cut, _ in whole]
    room = limit - len(opening) - len(ending) - 4
    source = _checked(text, room)
    start = _opening(source, open_at, room)
    cuts = [found for _, found in zip(range(most), _packed(source, start, room), strict=False)]
    shown = [cut for cut, _ in cuts]
    if start and opening:
        shown[0] = f"{opening}\n\n{shown[0]}"
    if ending and any(not line.droppable for line in source.lines[cuts[-1][1] :]):
        shown[-1] = f"{shown[-1]}\n\n{ending}"
    return shown


def _checked(text: str, room: int) -> MarkedText:
    if room < SHORTEST:
        raise ValueError(f"A limit of {room} characters is too short to cut a text to.")
    return marked(text, room)


def _packed(source: MarkedText, start: int, room: int) -> Iterator[tuple[str, int]]:
    """Yield each part and the line that follows it."""
    lines = source.lines
    while (start := _content(lines, start)) < len(lines):
        end = _fitting(lines, start, room)
        if end < len(lines):
            end = _cut(source.blocks, lines, start, end, room)
            while end - 1 > start and lines[end - 1].opens:
                end -= 1
        yield _rendered(lines, start, end), end
        start = end


def _content(lines: Sequence[Line], start: int) -> int:
    """Return the first line from `start` on that has to be shown."""
    while start < len(lines) and (lines[start].droppable or lines[start].closes):
        start += 1
    return start


def _fitting(lines: Sequence[Line], start: int, room: int) -> int:
    """Return the line before which a part that begins at `start` is full."""
    size = 0
    for end, text, margin in _moved(lines, start):
        size += len(text)
        if end > start and size + len(_after(lines[end], margin)) > room:
            return end
    return len(lines)


def _cut(blocks: Sequence[Stretch], lines: Sequence[Line], start: int, end: int, room: int) -> int:
    """Return the best line to end a part before: no block is cut that fits into a part of its own.

    Nothing is left alone with the heading above it, unless it would have to be cut for that.
    """
    for block in blocks:
        if not block.first < end < block.end:
            continue
        alone = _fitting(lines, block.first, room) >= block.end
        lonely = all(lines[at].droppable or _heads(blocks, at) for at in range(start, block.first))
        if alone and block.first > start and not (block.children and lonely):
            return block.first
        return _cut(block.children, lines, start, end, room)
    return end


def _heads(blocks: Sequence[Stretch], at: int) -> bool:
    return any(block.heading and block.first <= at < block.end for block in blocks)


def _opening(source: MarkedText, open_at: Span | None, room: int) -> int:
    """Return the line to begin at: the smallest block around `open_at` that must be cut no more."""
    if open_at is None:
        return 0
    line, blocks, start = source.line_at(open_at.start), source.blocks, 0
    while block := next((b for b in blocks if b.first <= line < b.end), None):
        start = block.first
        if _fitting(source.lines, start, room) >= block.end:
            break
        start, blocks = line, block.children
    above = range(start)
    if all(source.lines[at].droppable or _heads(source.blocks, at) for at in above):
        return 0
    return start


# --- one part -----------------------------------------------------------------------------------


def _rendered(lines: Sequence[Line], start: int, end: int) -> str:
    while lines[end - 1].droppable:
        end -= 1
    texts: list[str] = []
    for at, text, margin in _moved(lines, start):
        texts.append(text)
        if at == end - 1:
            texts.append(_after(lines[at], margin))
            break
    return "".join(texts)


def _moved(lines: Sequence[Line], start: int) -> Iterator[tuple[int, str, int]]:
    """Yield each line from `start` on, with what stands before it and the margin it is moved by.

    A part that begins inside a list stands at the margin of the page: behind four spaces it would
    be read as code.
    """
    margin = lines[start].margin
    yield start, _before(lines[start], margin) + _text(lines[start], margin), margin
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if line.text.strip():
            margin = min(margin, line.margin)
        yield at, ("" if line.glued else "\n") + _text(line, margin), margin


def _before(first: Line, margin: int) -> str:
    """Return what a part that begins with this line needs above it."""
    if first.fence and not first.opens:
        return without_indent(first.fence.opener, margin) + "\n"
    return without_indent(first.head, margin) + "\n" if first.head else ""


def _text(line: Line, margin: int) -> str:
    return line.text if line.glued else without_indent(line.text, margin)


def _after(last: Line, margin: int) -> str:
    """Return what a part that ends with this line needs below it."""
    if last.fence is None or last.closes:
        return ""
    return "\n" + without_indent(last.fence.closer, margin)
