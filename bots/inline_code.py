"""Where inline code stands in a stretch of prose, by CommonMark's rule of equal runs. Pure."""

import re

from core.models import Span

_RUN = re.compile(r"`+")


def code_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of inline code, their backticks included, in order.

    A run of backticks opens code that ends at the next run of exactly that length; one without such
    a partner, or after a backslash, is text (CommonMark 0.31, 6.1).
    """
    runs = [Span(found.start(), found.end()) for found in _RUN.finditer(text)]
    partner = _partners(runs)
    spans: list[Span] = []
    at = 0
    while at < len(runs):
        run = runs[at]
        end = partner.get(at)
        if end is None or (len(run) == 1 and _escaped(text, run.start)):
            at += 1
            continue
        spans.append(Span(run.start, runs[end].end))
        at = end + 1
    return tuple(spans)


def _partners(runs: list[Span]) -> dict[int, int]:
    """Return for each run the next run of the same length, by their places in the list."""
    partner: dict[int, int] = {}
    seen: dict[int, int] = {}
    for at in range(len(runs) - 1, -1, -1):
        if len(runs[at]) in seen:
            partner[at] = seen[len(runs[at])]
        seen[len(runs[at])] = at
    return partner


def _escaped(text: str, at: int) -> bool:
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1
