"""The pieces that a text may be cut into, coarse ones first. Pure.

Pieces always partition the stretch that they come from: what stands between two blocks (blank
lines, link definitions) belongs to the piece before.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from core.models import Span
from corpus.markdown import Block, BlockKind

_SENTENCE_END = re.compile(r"[.!?][)\]\"'*_`]{0,4}\s+|[。！？]\s*")
_WORD_END = re.compile(r"\s+")
_LINE_END = re.compile("\n")


class Grain(IntEnum):
    """How finely a piece has been cut: the next cut is along this."""

    BLOCK = 0
    LINE = 1
    SENTENCE = 2
    WORD = 3
    CHARACTER = 4


@dataclass(frozen=True, slots=True)
class Frame:
    """What a part of a fence or table needs around it: `head` before, `tail` after."""

    span: Span
    head: str
    tail: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text that passages are packed from.

    `stop` is where its writing ends and blank space begins. `inside` are the blocks to cut it
    along, `frame` the fence or table that it is a part of.
    """

    start: int
    end: int
    stop: int
    grain: Grain
    inside: tuple[Block, ...] = ()
    frame: Frame | None = None


def pieces(text: str, blocks: Sequence[Block], span: Span) -> list[Piece]:
    """Return the outermost pieces of a stretch, whose structure `blocks` describes."""
    found = list(_within(blocks, span))
    while len(found) == 1 and found[0].children:
        found = list(_within(found[0].children, span))
    borders = [*(block.span.start for block in found), span.end]
    made = [_block_piece(text, block, end) for block, end in zip(found, borders[1:], strict=True)]
    if borders[0] > span.start:
        made.insert(0, _piece(text, span.start, borders[0], Grain.LINE))
    return made


def parts(text: str, piece: Piece, room: int) -> list[Piece]:
    """Return the smaller pieces of a piece, at most `room` characters each if all else fails.

    Empty where there is nothing to cut: one character.
    """
    for grain in Grain:
        if grain >= piece.grain:
            cut = _cut(text, piece, grain, room)
            if len(cut) > 1:
                return cut
    return []


def _within(blocks: Sequence[Block], span: Span) -> Iterator[Block]:
    """Yield the blocks inside a stretch; one that crosses its border gives its own, or is cut."""
    for at in range(bisect_right(blocks, span.start, key=_end_of), len(blocks)):
        block = blocks[at]
        if block.span.start >= span.end:
            return
        if block.span.start >= span.start and block.span.end <= span.end:
            yield block
        elif block.children:
            yield from _within(block.children, span)
        else:
            start, end = max(block.span.start, span.start), min(block.span.end, span.end)
            yield replace(block, span=Span(start, end))


def _end_of(block: Block) -> int:
    return block.span.end


_BY_LINE = {BlockKind.FENCE, BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML}


def _block_piece(text: str, block: Block, end: int) -> Piece:
    grain = Grain.SENTENCE
    if block.children:
        grain = Grain.BLOCK
    elif block.kind in _BY_LINE:
        grain = Grain.LINE
    return _piece(text, block.span.start, end, grain, inside=(block,))


def _piece(
    text: str,
    start: int,
    end: int,
    grain: Grain,
    inside: tuple[Block, ...] = (),
    frame: Frame | None = None,
) -> Piece:
    stop = start + len(text[start:end].rstrip())
    return Piece(start, end, stop, grain, inside, frame)


def _cut(text: str, piece: Piece, grain: Grain, room: int) -> list[Piece]:
    match grain:
        case Grain.BLOCK:
            found = pieces(text, piece.inside, Span(piece.start, piece.end))
            return found if len(found) > 1 else parts(text, found[0], room)
        case Grain.LINE:
            return _lines(text, piece)
        case Grain.SENTENCE:
            return _at(text, piece, _ends(_SENTENCE_END, text, piece), Grain.WORD)
        case Grain.WORD:
            return _at(text, piece, _ends(_WORD_END, text, piece), Grain.CHARACTER)
        case Grain.CHARACTER:
            length = piece.end - piece.start
            step = max(1, room if length > room else length // 2)
            borders = list(range(piece.start + step, piece.end, step))
            return _at(text, piece, borders, Grain.CHARACTER)


def _lines(text: str, piece: Piece) -> list[Piece]:
    """Cut by line; the first lines of a fence or table stay together, and so do its last two."""
    borders = _ends(_LINE_END, text, piece)
    block = piece.inside[0] if piece.inside else None
    if block is None or block.kind not in (BlockKind.FENCE, BlockKind.TABLE):
        return _at(text, piece, borders, Grain.WORD)
    head, tail = _head(text, block), _tail(text, block)
    inner = [at for at in borders if at > block.span.start + len(head)]
    if tail:
        inner = [at for at in inner if at != block.span.end - len(tail)]
    frame = Frame(block.span, head, f"\n{tail.strip() or block.mark}" if block.mark else "")
    return _at(text, piece, inner, Grain.WORD, frame)


def _head(text: str, block: Block) -> str:
    """Return the opening line of a fence, or the first two lines of a table, with line ends."""
    lines = text[block.span.start : block.span.end].split("\n", 2)
    count = 1 if block.kind is BlockKind.FENCE else 2
    return "".join(f"{line}\n" for line in lines[:count])


def _tail(text: str, block: Block) -> str:
    """Return the closing line of a fence; empty for one that is not closed, and for a table."""
    last = text[block.span.start : block.span.end].rpartition("\n")[2]
    closing = last.strip(" \t>")
    closes = block.mark and set(closing) == {block.mark[0]} and len(closing) >= len(block.mark)
    return last if closes else ""


def _ends(pattern: re.Pattern[str], text: str, piece: Piece) -> list[int]:
    return [found.end() for found in pattern.finditer(text, piece.start, piece.stop)]


def _at(
    text: str, piece: Piece, borders: Sequence[int], grain: Grain, frame: Frame | None = None
) -> list[Piece]:
    """Cut a piece at these borders, each inside it."""
    starts = [piece.start, *borders]
    frame = frame or piece.frame
    return [
        _piece(text, start, end, grain, frame=frame if frame and start < frame.span.end else None)
        for start, end in zip(starts, [*borders, piece.end], strict=True)
        if start < end
    ]
