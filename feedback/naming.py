"""Which gap each unanswered question belongs to: names that stay from week to week. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.exchanges import Exchange
from core.models import Vector
from feedback.gap_ids import new_gap_id
from feedback.grouping import Wording, grouped
from feedback.models import GapRecord
from feedback.subjects import Subjects, known_subjects

NO_VECTORS: Mapping[str, Vector] = {}


def assign_to(
    records: Sequence[GapRecord],
    exchanges: Iterable[Exchange],
    vectors: Mapping[str, Vector] = NO_VECTORS,
    *,
    services: Iterable[str] = (),
) -> dict[str, tuple[str, ...]]:
    """Return the exchanges that belong to no gap yet, by the name of the gap they are to join.

    `exchanges` are those that were left unanswered; the more of a gap's old members are among
    them, the better is what joins it. They join a gap that means the same, else are a new one,
    named after its first. Two gaps are never made one; what could join either goes to the older.
    `records` are all of the tenant, `services` the names that the runbooks know.
    """
    distinct = {one.id: one for one in exchanges}
    asked = sorted(distinct.values(), key=lambda one: (one.question.asked_at, one.id))
    gap_of = {id_: record.id for record in records for id_ in record.exchange_ids}
    if all(one.id in gap_of for one in asked):
        return {}
    if all(one.id in gap_of for one in asked):
        return {}
    subjects = known_subjects(services)
    by_id = {one.id: one for one in asked}
    heads = [one for one in asked if one.id in gap_of or not _head(one, by_id)]
    wordings = [_wording(one, vectors, gap_of.get(one.id, ""), subjects) for one in heads]
    found: dict[str, list[str]] = {}
    placed = dict(gap_of)
    taken = {record.id for record in records}
    for group in grouped(wordings, [one.id for one in _oldest_first(records)]):
        name = next((one.gap for one in group if one.gap), "") or new_gap_id(group[0].id, taken)
        taken.add(name)
        for id_ in (one.id for one in group if one.id not in gap_of):
            found.setdefault(name, []).append(id_)
            placed[id_] = name
    for one in asked:
        if one.id not in placed:
            placed[one.id] = placed[_head(one, by_id)]
            found.setdefault(placed[one.id], []).append(one.id)
    order = {one.id: at for at, one in enumerate(asked)}
    return {name: tuple(sorted(ids, key=order.__getitem__)) for name, ids in found.items()}


def with_members(
    records: Sequence[GapRecord],
    members: Mapping[str, Sequence[str]],
    exchanges: Mapping[str, Exchange],
    tenant: str,
) -> list[GapRecord]:
    """Return the records as they are once `members` of `assign_to` are saved."""
    known = {record.id for record in records}
    grown = [
        replace(one, exchange_ids=(*one.exchange_ids, *members.get(one.id, ()))) for one in records
    ]
    new = [
        GapRecord(name, tenant, exchanges[ids[0]].question.asked_at, tuple(ids))
        for name, ids in members.items()
        if name not in known
    ]
    return [*grown, *new]


def _head(exchange: Exchange, by_id: Mapping[str, Exchange]) -> str:
    """Return the first of the unanswered that it follows up; empty where it stands alone.

    `and on staging?` means nothing by itself: it goes where its question goes.
    """
    seen = {exchange.id}
    found, before = "", exchange.question.follows
    while before and before in by_id and before not in seen:
        seen.add(before)
        found, before = before, by_id[before].question.follows
    return "" if before in seen else found  # a circle has no first


def _wording(
    exchange: Exchange, vectors: Mapping[str, Vector], gap: str, subjects: Subjects
) -> Wording:
    text = exchange.question.text
    recorded = exchange.recorded
    vector = vectors.get(exchange.id, recorded.vector if recorded else None)
    model = recorded.model if recorded else ""
    return Wording(exchange.id, text, vector or None, model, subjects.of(text), gap)


def _oldest_first(records: Sequence[GapRecord]) -> list[GapRecord]:
    return sorted(records, key=lambda one: (one.created_at, one.id))
