"""Ranked hits to results: what is shown for each page, in order. Pure."""

from collections.abc import Sequence

from core.outcomes import Hit, Result


def page_results(ranked: Sequence[Hit], *, card_chars: int, limit: int) -> tuple[Result, ...]:
    """Return up to `limit` results: the best unused section and, if both fit, its page's next best.

    `ranked` is best first. A page may come again with its further sections; `card_chars` bounds the
    characters of two sections and the blank line between them, never a single section.
    """
    waiting: dict[str, list[Hit]] = {}
    for hit in ranked:
        waiting.setdefault(hit.section.document_id, []).append(hit)
    results: list[Result] = []
    used: set[str] = set()
    for hit in ranked:
        if len(results) == limit:
            break
        if hit.section.id in used:
            continue
        page = waiting[hit.section.document_id]
        page.remove(hit)
        second = page[0] if page else None
        if second and len(hit.section.text) + len(second.section.text) + 2 <= card_chars:
            page.remove(second)
            results.append(Result((hit, second)))
        else:
            results.append(Result((hit,)))
        used.update(shown.section.id for shown in results[-1].hits)
    return tuple(results)
