"""Votes become tests: what people agreed on, as evaluation questions for a person to review. Pure.

Each line is a record as `eval` reads it, with where it came from and `"reviewed": false`; what a
person has set to true is followed from build to build.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.exchanges import Exchange, OutcomeKind
from core.models import Section
from core.redaction import redact
from feedback.models import Evidence, GapRecord, GapStatus
from feedback.quoting import quotable, visible
from feedback.unanswered import folded, net

VOTED, CORRECTED, CLOSED = "voted", "corrected", "gap"
_SHORTEST = 24
"""Characters of a quote: less is a phrase that many pages have."""
_LONGEST = 400
_LOOKED_AT = 40
"""Lines of a section that a quote is looked for in: the square of it is tried at worst."""


@dataclass(slots=True)
class _Golden:
    exchange: Exchange
    origin: str
    gap: str = ""
    relevant: dict[tuple[str, str], None] = field(default_factory=dict)


def golden(
    evidence: Evidence,
    records: Iterable[GapRecord],
    sections: Mapping[str, Section],
    pages: Mapping[str, Sequence[Section]],
    *,
    visibility: Collection[str],
) -> list[dict[str, Any]]:
    """Return evaluation questions from thumbs, corrections and gaps that were answered.

    `sections` has sections by id, and those that people named as the right ones by what they wrote;
    `pages` all sections of each document, in order. What these have not, or whose words stand there
    twice, is left out; and so is what was asked in private or may not be read by those who see
    `visibility`.
    """
    by_id = {one.id: one for one in evidence.exchanges}
    found: dict[tuple[str, str], _Golden] = {}
    for exchange, wanted, origin, gap in _agreed(evidence, records):
        section = sections.get(wanted)
        asked = exchange.question
        if section is None or not _readable(exchange, section, visibility):
            continue
        before = by_id.get(asked.follows or "")
        if asked.follows and not (before and quotable(before, visibility)):
            continue  # it means nothing without what it follows
        quote = unique_quote(section, pages.get(section.document_id, ()))
        if quote:
            key = (folded(asked.text), folded(before.question.text) if before else "")
            entry = found.setdefault(key, _Golden(exchange, origin, gap))
            entry.relevant[f"{section.source}/{section.path}", quote] = None
    return [_record(one, by_id) for one in found.values()]


def merged(
    kept: Sequence[Mapping[str, Any]], new: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return what was exported before as people left it, and what is new after it."""
    known = {one.get("id") for one in kept} | {folded(str(one.get("question"))) for one in kept}
    fresh = [one for one in new if one["id"] not in known and folded(one["question"]) not in known]
    return [*kept, *fresh]


def golden_lines(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as JSON lines."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


def unique_quote(section: Section, page: Sequence[Section]) -> str:
    """Return the first stretch of whole lines of a section that its page has once; empty: none.

    White space is folded when quotes are looked up, so it is when they are chosen.
    """
    whole = " ".join(" ".join(one.text for one in page).split())
    lines = [line.strip() for line in section.text.splitlines() if line.strip()]
    body = (lines[1:] if lines and lines[0].startswith("#") else lines)[:_LOOKED_AT]
    for size in range(1, len(body) + 1):
        for start in range(len(body) - size + 1):
            quote = " ".join(" ".join(body[start : start + size]).split())
            if _SHORTEST <= len(quote) <= _LONGEST and _times(quote, whole) == 1:
                return quote
    everything = " ".join(section.text.split())
    return everything if everything and _times(everything, whole) == 1 else ""


_Agreed = tuple[Exchange, str, str, str]
"""An exchange, the section that answers it, where that comes from, and the gap."""


def _agreed(evidence: Evidence, records: Iterable[GapRecord]) -> Iterator[_Agreed]:
    """Yield what people agreed on, what they said themselves before what they thumbed up."""
    by_id = {one.id: one for one in evidence.exchanges}
    corrected = set()
    for reason in evidence.reasons:
        if reason.right_section and reason.exchange_id in by_id:
            corrected.add(reason.exchange_id)
            yield by_id[reason.exchange_id], reason.right_section, CORRECTED, ""
    for exchange in evidence.exchanges:
        section = _shown(exchange)
        if section and exchange.id not in corrected and net(evidence, exchange.id) > 0:
            yield exchange, section, VOTED, ""
    for record in records:
        yield from _closed(record, by_id)


def _closed(record: GapRecord, by_id: Mapping[str, Exchange]) -> Iterator[_Agreed]:
    if record.section and record.status in {GapStatus.DONE, GapStatus.CLOSED}:
        for id_ in record.exchange_ids:
            if id_ in by_id:
                yield by_id[id_], record.section.section_id, CLOSED, record.id


def _shown(exchange: Exchange) -> str:
    recorded = exchange.recorded
    if recorded is None or recorded.kind not in {OutcomeKind.ANSWER, OutcomeKind.WEAK}:
        return ""
    first = recorded.results[0].section_ids if recorded.results else ()
    return first[0] if first else ""


def _readable(exchange: Exchange, section: Section, visibility: Collection[str]) -> bool:
    return (
        bool(exchange.question.text.strip())
        and quotable(exchange, visibility)
        and visible(section.metadata.visibility, visibility)
        and section.tenant == exchange.question.tenant
    )


def _record(entry: _Golden, by_id: Mapping[str, Exchange]) -> dict[str, Any]:
    """Return a line; its id says nothing of who asked, and stays the same in the next export."""
    asked = entry.exchange.question
    digest = hashlib.sha256(entry.exchange.id.encode("utf-8", "replace")).hexdigest()
    before = by_id.get(asked.follows or "")
    return {
        "id": f"{entry.origin}-{digest[:10]}",
        "category": entry.origin,
        "question": redact(asked.text)[0],
        **({"follows": {"question": redact(before.question.text)[0]}} if before else {}),
        "relevant": [{"doc": doc, "evidence": quote} for doc, quote in entry.relevant],
        "from": {"origin": entry.origin, **({"gap": entry.gap} if entry.gap else {})},
        "reviewed": False,
    }


def _times(quote: str, text: str) -> int:
    """Return how often a text has a quote, overlapping ones too."""
    count, at = 0, text.find(quote)
    while at >= 0 and count < 2:
        count, at = count + 1, text.find(quote, at + 1)
    return count
