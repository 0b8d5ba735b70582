"""A window in figures: what was asked and answered, which sections helped, day by day. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from statistics import median

from core.exchanges import Exchange, OutcomeKind, ShownHit
from core.models import Vote
from core.points import IndexedDocument
from feedback.gap_kinds import reference
from feedback.models import Evidence, Numbers, SectionUse
from feedback.quoting import seen_now, visible
from feedback.unanswered import askers

TOP = 5
_DAY = timedelta(days=1)


def numbers_of(evidence: Evidence) -> Numbers:
    """Count a window. What nobody asked, since askers were only told, is not in it."""
    asked = [one for one in evidence.exchanges if not one.told]
    kinds = Counter((one.recorded.kind, one.recorded.dense) for one in asked if one.recorded)
    thumbs = Counter(vote for votes in evidence.votes.values() for vote in votes.values())
    times = [one.recorded.ms for one in asked if one.recorded]
    return Numbers(
        asked=len(asked),
        answered=kinds[OutcomeKind.ANSWER, True] + kinds[OutcomeKind.ANSWER, False],
        weak=kinds[OutcomeKind.WEAK, True],
        refused=kinds[OutcomeKind.REFUSAL, True],
        people=len(askers(asked)),
        thumbs_up=thumbs[Vote.UP],
        thumbs_down=thumbs[Vote.DOWN],
        median_ms=median(times) if times else 0.0,
    )


def days_of(
    evidence: Evidence, unanswered: Iterable[Exchange], since: datetime, until: datetime
) -> tuple[tuple[str, int, int], ...]:
    """Return each day (UTC) with how many were asked and how many of them unanswered."""
    asked = Counter(_day(one) for one in evidence.exchanges if not one.told)
    failed = Counter(_day(one) for one in unanswered)
    first = since.astimezone(UTC).date()
    last = max(first, (until - timedelta(microseconds=1)).astimezone(UTC).date())
    names = [(first + at * _DAY).isoformat() for at in range((last - first).days + 1)]
    return tuple((name, asked[name], failed[name]) for name in names)


def uses_of(
    evidence: Evidence, visibility: Collection[str], documents: Mapping[str, IndexedDocument]
) -> tuple[tuple[SectionUse, ...], tuple[SectionUse, ...]]:
    """Return the most useful sections, and those that only got 👎, each the clearest first."""
    shown: Counter[str] = Counter()
    ups: Counter[str] = Counter()
    downs: Counter[str] = Counter()
    hits: dict[str, ShownHit] = {}
    for exchange in evidence.exchanges:
        hit = _shown(exchange)
        if hit is None or not seen_now(hit, visibility, documents):
            continue
        section = hit.section_ids[0]
        hits[section] = hit
        shown[section] += not exchange.told
        votes = evidence.votes.get(exchange.id)
        for vote in votes.values() if votes else ():
            (ups if vote is Vote.UP else downs)[section] += 1
    uses = [
        SectionUse(reference(hit), shown[section], ups[section], downs[section])
        for section, hit in hits.items()
    ]
    useful = [use for use in uses if use.up > use.down]
    bad = [use for use in uses if use.down and not use.up]
    useful.sort(key=lambda use: (use.down - use.up, -use.shown, use.section.section_id))
    bad.sort(key=lambda use: (-use.down, -use.shown, use.section.section_id))
    return tuple(useful[:TOP]), tuple(bad[:TOP])


def never_found(
    evidence: Evidence, documents: Mapping[str, IndexedDocument], visibility: Collection[str]
) -> tuple[str, ...]:
    """Return the paths of the documents that no answer of the window showed first."""
    found = {hit.document_id for one in evidence.exchanges if (hit := _shown(one))}
    return tuple(
        sorted(
            f"{one.source}/{one.path}"
            for id_, one in documents.items()
            if id_ not in found and visible(one.metadata.visibility, visibility)
        )
    )


def _shown(exchange: Exchange) -> ShownHit | None:
    """Return the first result of what was answered, weakly or not."""
    recorded = exchange.recorded
    if recorded is None or recorded.kind not in {OutcomeKind.ANSWER, OutcomeKind.WEAK}:
        return None
    hit = recorded.results[0] if recorded.results else None
    return hit if hit and hit.section_ids else None


def _day(exchange: Exchange) -> str:
    return exchange.question.asked_at.astimezone(UTC).date().isoformat()
