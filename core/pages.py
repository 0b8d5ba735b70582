"""Ranked sections to results: what is shown for each page, in order. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

MOST_SECTIONS: Final = 3
"""Sections of one page in one result: more cost more reading than they find (docs/retrieval.md)."""


class Piece(NamedTuple):
    """What packing asks of a section: which it is, whose page it is on, how many characters."""

    section_id: str
    document_id: str
    chars: int


def packed(ranked: Sequence[Piece], *, card_chars: int, limit: int) -> list[list[str]]:
    """Return the section ids of up to `limit` results.

    A result is the best unused section and what else fits of its page. `ranked` is best first, each
    section once. A result takes the page's next best sections that fit, up to three in all; a page
    may come again with what is left of it. `card_chars` bounds the characters of several sections
    with the blank lines between them, never a single section.
    """
    pages: dict[str, list[Piece]] = {}
    for piece in ranked:
        pages.setdefault(piece.document_id, []).append(piece)
    results: list[list[str]] = []
    used: set[str] = set()
    for piece in ranked:
        if len(results) == limit:
            break
        if piece.section_id not in used:
            unused = [one for one in pages[piece.document_id] if one.section_id not in used]
            card = _card(unused, card_chars)
            used.update(card)
            results.append(card)
    return results


def _card(page: Sequence[Piece], card_chars: int) -> list[str]:
    """Return the first of a page's sections, and of the next those that fit beside it."""
    card, chars = [page[0].section_id], page[0].chars
    for piece in page[1:]:
        if len(card) == MOST_SECTIONS:
            break
        longer = chars + 2 + piece.chars
        if longer <= card_chars:
            card.append(piece.section_id)
            chars = longer
    return card
