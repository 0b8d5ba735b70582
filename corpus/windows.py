"""A text cut into pieces by other people's habits, for comparison with sections. Pure.

Every function returns stretches of the text in order. They cover it; where an overlap is asked for,
each begins inside the one before.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.models import Span

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SEPARATORS = (_PARAGRAPH, re.compile(r"\n+"), re.compile(r"[ \t]+"))
_MERGED = 1.5
"""Small sections are merged up to this many times the size."""


def fixed(text: str, size: int, overlap: int) -> list[Span]:
    """Return windows of `size` characters, wherever they begin and end."""
    windows = [Span(0, min(size, len(text)))]
    while windows[-1].end < len(text):
        start = windows[-1].end - overlap
        windows.append(Span(start, min(start + size, len(text))))
    return windows


def recursive(text: str, size: int, overlap: int, within: Span | None = None) -> list[Span]:
    """Return pieces of at most `size` characters, cut at blank lines, then lines, words, anywhere.

    This is what "recursive character splitting" means in the usual frameworks.
    """
    within = within or Span(0, len(text))
    return _packed(list(_atoms(text, within, size, _SEPARATORS)), size, overlap)


def paragraphs(text: str, size: int, overlap: int) -> list[Span]:
    """Return whole paragraphs, as many as fit `size` characters; a longer one stays whole."""
    return _packed(_split(text, Span(0, len(text)), _PARAGRAPH), size, overlap)


def cut_sections(text: str, sections: Sequence[Span], size: int, overlap: int) -> list[Span]:
    """Return the sections, those longer than `size` characters cut as `recursive` does."""
    return [
        piece
        for one in sections
        for piece in ([one] if len(one) <= size else recursive(text, size, overlap, one))
    ]


def merged_sections(text: str, sections: Sequence[Span], size: int, overlap: int) -> list[Span]:
    """Return sections merged with their neighbours up to 1.5 × `size`; what is longer is cut.

    Only a section shorter than `size` takes the next one in.
    """
    most = int(_MERGED * size)
    merged: list[Span] = []
    for section in sections:
        before = merged[-1] if merged else None
        if before and len(before) < size and section.end - before.start <= most:
            merged[-1] = Span(before.start, section.end)
        else:
            merged.append(section)
    return [
        piece
        for one in merged
        for piece in ([one] if len(one) <= most else recursive(text, size, overlap, one))
    ]


def _atoms(
    text: str, within: Span, size: int, separators: Sequence[re.Pattern[str]]
) -> Iterator[Span]:
    """Yield the coarsest pieces that are no longer than the size."""
    if len(within) <= size:
        yield within
    elif separators:
        for piece in _split(text, within, separators[0]):
            yield from _atoms(text, piece, size, separators[1:])
    else:
        for start in range(within.start, within.end, size):
            yield Span(start, min(start + size, within.end))


def _split(text: str, within: Span, separator: re.Pattern[str]) -> list[Span]:
    """Cut behind every separator; it belongs to the piece before."""
    ends = [found.end() for found in separator.finditer(text, within.start, within.end)]
    borders = [within.start, *(end for end in ends if end < within.end), within.end]
    return [Span(start, end) for start, end in pairwise(borders)]


def _packed(atoms: Sequence[Span], size: int, overlap: int) -> list[Span]:
    """Join neighbours as long as they fit; the next begins with those that fit the overlap."""
    windows: list[Span] = []
    first = 0
    for at, atom in enumerate(atoms):
        if at > first and atom.end - atoms[first].start > size:
            windows.append(Span(atoms[first].start, atoms[at - 1].end))
            first = _repeated(atoms, first, at, size, overlap)
    windows.append(Span(atoms[first].start, atoms[-1].end))
    return windows


def _repeated(atoms: Sequence[Span], first: int, at: int, size: int, overlap: int) -> int:
    """Return where the window that takes `at` in begins, some atoms before it repeated."""
    begin = at
    while begin - 1 > first:
        start = atoms[begin - 1].start
        if atoms[at].start - start > overlap or atoms[at].end - start > size:
            break
        begin -= 1
    return begin
