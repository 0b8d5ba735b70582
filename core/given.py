"""Which sections a model is given, and how much of a long one. Pure.

Whole sections as long as they fit; the first that does not fit is given in whole blocks, from the
block that matched on. A block is what stands between blank lines, a fence with all of its lines; a
list or table that is too long is given by its items, with what leads in to it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.guard import Source
from core.models import Section
from core.outcomes import Hit, Result
from core.redaction import redact

MOST = 6
"""Sections that one answer is written over: more blur what a small model reads."""
_LEAST = 200
"""Characters below which the rest of the room is not worth a piece of a section."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


_LED = re.compile(r" {0,3}(?:[-*+] |\d{1,9}[.)] |\||`{3}|~{3})")
_ITEM = re.compile(r"\n(?=(?:[-*+] |\d{1,9}[.)] |\|))")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block, or an item of one: where it ends in the text, and what stands before it."""

    end: int
    text: str
    gap: str = "\n\n"


@dataclass(frozen=True, slots=True)
class Given:
    """A section, and what of it the model sees under its number."""

    section: Section
    source: Source


def given(results: Sequence[Result], room: int, *, most: int = MOST) -> tuple[Given, ...]:
    """Return the best sections that fit into so many characters, best first, secrets replaced."""
    found: list[Given] = []
    seen: set[str] = set()
    for hit in (hit for result in results for hit in result.hits):
        section = hit.section
        if section.id in seen or not section.text.strip() or len(found) == most:
            continue
        seen.add(section.id)
        breadcrumb = redact(" ".join(section.breadcrumb.split()))[0]
        left = room - len(breadcrumb)
        if left < _LEAST:
            break
        text = _fitting(hit, left)
        if text:
            found.append(Given(section, Source(len(found) + 1, text, breadcrumb)))
            room = left - len(text)
    return tuple(found)


def _fitting(hit: Hit, room: int) -> str:
    """Return the whole section, or the pieces of it from the match on that fit; none may."""
    whole = redact(hit.section.text)[0].strip("\n")
    if len(whole) <= room:
        return whole
    pieces = list(_pieces(hit.section.text, room))
    at = hit.passage.start - hit.section.span.start
    first = next((n for n, one in enumerate(pieces) if one.end > at), 0)
    kept = ""
    for one in (*_leading(pieces, first), *pieces[first:]):
        longer = f"{kept}{one.gap}{one.text}" if kept else one.text
        if len(redact(longer)[0]) > room:
            break
        kept = longer
    return redact(kept)[0]


def _leading(pieces: Sequence[_Piece], first: int) -> Sequence[_Piece]:
    """Return what leads in to the piece: "Never do these:" changes what a list means."""
    if not _LED.match(pieces[first].text):
        return ()
    before = first - 1
    while before > 0 and pieces[before].gap == "\n":
        before -= 1
    if before >= 0 and pieces[first].gap == "\n":
        before -= 1
    return pieces[before : before + 1] if before >= 0 else ()


def _pieces(text: str, room: int) -> Iterator[_Piece]:
    """Yield the blocks; a list or table that alone is too long, item by item."""
    for block in _blocks(text):
        if len(block.text) <= room or _FENCE.match(block.text) or not _LED.match(block.text):
            yield block
            continue
        at = block.end - len(block.text)
        for number, item in enumerate(_ITEM.split(block.text)):
            at += len(item) + 1
            yield _Piece(min(at, block.end), item, "\n" if number else block.gap)


def _blocks(text: str) -> Iterator[_Piece]:
    lines: list[str] = []
    fence, at = "", 0
    for line in text.splitlines(keepends=True):
        if not line.strip() and not fence:
            if lines:
                yield _Piece(at, "".join(lines).rstrip("\n"))
            lines = []
        else:
            lines.append(line)
            fence = _fence_after(line, fence)
        at += len(line)
    if lines:
        yield _Piece(at, "".join(lines).rstrip("\n"))


def _fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after a line; empty where none is."""
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return found[1]
    closes = found[1].startswith(fence) and not line[found.end() :].strip()
    return "" if closes else fence
