"""Ranked hits to results: what is shown for each page, in order. Pure."""

from collections.abc import Sequence

from core.outcomes import Hit, Result

MOST_SECTIONS = 3
"""Sections of one page in one result: more cost more reading than they find (docs/retrieval.md)."""


def page_results(ranked: Sequence[Hit], *, card_chars: int, limit: int) -> tuple[Result, ...]:
    """Return up to `limit` results: the best unused section, then what else fits of its page.

    `ranked` is best first. A result takes the page's next best sections that fit, up to three in
    all; a page may come again with what is left of it. `card_chars` bounds the characters of
    several sections with the blank lines between them, never a single section.
    """
    waiting: dict[str, list[Hit]] = {}
    for hit in ranked:
        waiting.setdefault(hit.section.document_id, []).append(hit)
    results: list[Result] = []
    used: set[str] = set()
    for hit in ranked:
        if len(results) == limit:
            break
        if hit.section.id not in used:
            page = [one for one in waiting[hit.section.document_id] if one.section.id not in used]
            card = _card(page, card_chars)
            used.update(one.section.id for one in card)
            results.append(Result(card))
    return tuple(results)


def _card(page: Sequence[Hit], card_chars: int) -> tuple[Hit, ...]:
    """Return the first of a page's hits, and of the next those that fit beside it."""
    card, length = [page[0]], len(page[0].section.text)
    for hit in page[1:]:
        if len(card) == MOST_SECTIONS:
            break
        longer = length + 2 + len(hit.section.text)
        if longer <= card_chars:
            card.append(hit)
            length = longer
    return tuple(card)
