"""From a window of the journal to what the runbooks do not know: the report of gaps. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.exchanges import Exchange
from core.models import Vector
from core.points import IndexedDocument
from core.redaction import redact
from feedback.gap_figures import days_of, never_found, numbers_of, uses_of
from feedback.gap_kinds import Said, kind_of, nearest_of, place_of, said_in, sample_of
from feedback.models import Evidence, Gap, GapRecord, GapReport, GapStatus
from feedback.naming import NO_VECTORS, assign_to, with_members
from feedback.quoting import seen_now
from feedback.unanswered import askers, askings, unanswered

_SETTLED = (GapStatus.DONE, GapStatus.CLOSED)


@dataclass(frozen=True, slots=True)
class _Window:
    """What every gap of a report is made with."""

    asked: Mapping[str, Exchange]
    failed: Mapping[str, Exchange]
    before: Mapping[str, Exchange]
    asked_before: Mapping[str, Exchange]
    said: Said
    visibility: tuple[str, ...]
    documents: Mapping[str, IndexedDocument]


def report(
    evidence: Evidence,
    earlier: Evidence,
    records: Sequence[GapRecord],
    *,
    tenant: str,
    since: datetime,
    until: datetime,
    visibility: tuple[str, ...],
    documents: Mapping[str, IndexedDocument],
    vectors: Mapping[str, Vector] = NO_VECTORS,
    known: Iterable[Exchange] = (),
) -> GapReport:
    """Make one tenant's report of [since, until) for readers who see `visibility`.

    `earlier` is the window of the same length before, `records` all gaps of the tenant,
    `documents` what the index holds of it by id, `vectors` those of what was left unanswered,
    `known` members of gaps from before both windows, by which it is known when they come back.
    Questions that are in no gap yet are grouped here, under the names that `assign_to` gives them.
    What readers may not see is counted and neither quoted nor named.
    """
    failed, before = unanswered(evidence), unanswered(earlier)
    window = _Window(
        asked=_by_id(evidence.exchanges),
        failed=_by_id(failed),
        before=_by_id(before),
        asked_before=_by_id(earlier.exchanges),
        said=said_in(evidence, earlier),
        visibility=visibility,
        documents=documents,
    )
    both = {**_by_id(_members(records, known)), **window.before, **window.failed}
    members = assign_to(records, both.values(), vectors, services=_services(documents))
    named = with_members(records, members, both, tenant)
    gaps = [_gap(record, window) for record in named if _is_open(record, window, until)]
    closed = [_gap(one, window) for one in named if _was_settled(one, since, until)]
    useful, voted_down = uses_of(evidence, visibility, documents)
    return GapReport(
        tenant=tenant,
        since=since,
        until=until,
        visibility=visibility,
        gaps=tuple(sorted((one for one in gaps if one.count), key=_pressing)),
        closed=tuple(sorted(closed, key=_pressing)),
        numbers=numbers_of(evidence),
        before=numbers_of(earlier),
        useful=useful,
        voted_down=voted_down,
        never_found=never_found(evidence, documents, visibility),
        days=days_of(evidence, failed, since, until),
    )


def new_members(
    evidence: Evidence,
    earlier: Evidence,
    records: Sequence[GapRecord],
    *,
    documents: Mapping[str, IndexedDocument],
    vectors: Mapping[str, Vector] = NO_VECTORS,
    known: Iterable[Exchange] = (),
) -> dict[str, tuple[str, ...]]:
    """Return what of two windows is unanswered and in no gap yet, by the gap that it is to join.

    It is what `GapJournal.assign` saves, so that names stay; a report made before is the same.
    """
    exchanges = (*_members(records, known), *unanswered(earlier), *unanswered(evidence))
    return assign_to(records, exchanges, vectors, services=_services(documents))


def _members(records: Sequence[GapRecord], known: Iterable[Exchange]) -> list[Exchange]:
    """Return those that belong to a gap: what is older and in none is not looked at again."""
    placed = {id_ for record in records for id_ in record.exchange_ids}
    return [one for one in known if one.id in placed]


def _services(documents: Mapping[str, IndexedDocument]) -> set[str]:
    return {one.metadata.service for one in documents.values()}


def _gap(record: GapRecord, window: _Window) -> Gap:
    members = _there(record, window.failed)
    asked = askings(members, window.asked)
    sample = sample_of(members, window.visibility)
    words = redact(sample.question.text)[0] if sample else ""
    kind = kind_of(members, window.said)
    nearest = nearest_of(members, window.said, window.visibility, window.documents)
    path, owner = place_of(nearest, kind, words, window.documents)
    return Gap(
        record=_for_readers(record, window),
        kind=kind,
        count=len(asked),
        askers=len(askers(members)),
        before=len(askings(_there(record, window.before), window.asked_before)),
        sample=words,
        nearest=nearest,
        suggested_path=path,
        suggested_owner=owner,
        visibility=sample.question.scope.visibility if sample else (),
        last_asked=max((one.question.asked_at for one in members), default=record.created_at),
    )


def _is_open(record: GapRecord, window: _Window, until: datetime) -> bool:
    """Return whether a gap is to be worked on: undecided, or asked again since it was settled."""
    match record.status:
        case GapStatus.OPEN | GapStatus.OWNED:
            return True
        case GapStatus.SNOOZED:
            return record.snoozed_until is not None and record.snoozed_until <= until
        case GapStatus.DISMISSED:
            return False
        case GapStatus.DONE | GapStatus.CLOSED:
            settled = record.changed_at or record.created_at
            members = _there(record, window.failed)
            return any(one.question.asked_at > settled for one in members)


def _was_settled(record: GapRecord, since: datetime, until: datetime) -> bool:
    changed = record.changed_at
    return record.status in _SETTLED and changed is not None and since <= changed < until


def _for_readers(record: GapRecord, window: _Window) -> GapRecord:
    """Return a record without the section that answers it, where readers may not see that."""
    section = record.section
    if section is None or seen_now(section, window.visibility, window.documents):
        return record
    return replace(record, section=None)


def _pressing(gap: Gap) -> tuple[int, int, float, str]:
    return (-gap.askers, -gap.count, -gap.last_asked.timestamp(), gap.record.id)


def _there(record: GapRecord, exchanges: Mapping[str, Exchange]) -> list[Exchange]:
    return [exchanges[id_] for id_ in record.exchange_ids if id_ in exchanges]


def _by_id(exchanges: Sequence[Exchange]) -> dict[str, Exchange]:
    return {one.id: one for one in exchanges}
