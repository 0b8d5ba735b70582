"""A GapJournal in dictionaries: the half of tests.fakes.FakeJournal that is about gaps."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from core.errors import NotFound
from core.exchanges import (
    Choice,
    Escalation,
    Exchange,
    LoggedGap,
    OutcomeKind,
    Person,
    Reason,
)
from core.models import Vector, Vote
from feedback.forgotten import is_forgotten
from feedback.gap_ids import canonical
from feedback.models import Evidence, GapRecord, GapStatus, SectionRef

T = TypeVar("T", Reason, Choice, LoggedGap)
COUNTED = (OutcomeKind.ANSWER, OutcomeKind.WEAK, OutcomeKind.REFUSAL)


class GapMemory:
    """What a FakeJournal remembers of gaps, digests and notices."""

    exchanges: dict[str, Exchange]
    reasons: dict[tuple[str, Person], Reason]
    choices: dict[Choice, None]
    gaps: dict[tuple[str, Person], LoggedGap]
    escalations: dict[str, Escalation]

    def __init__(self) -> None:
        self.gap_book: dict[str, GapRecord] = {}
        self.decisions: list[tuple[str, GapStatus, Person | None, datetime]] = []
        self.postings: dict[tuple[str, str, str], str] = {}
        self.notices: dict[tuple[str, Person, str], datetime] = {}
        self.opted_out: set[Person] = set()

    def _reach(self) -> None:
        raise NotImplementedError

    async def votes(self, exchange_id: str) -> dict[Person, Vote]:
        raise NotImplementedError

    async def evidence(self, tenant: str, since: datetime, until: datetime) -> Evidence:
        self._reach()
        asked = [
            replace(exchange, recorded=replace(exchange.recorded, vector=None))
            for exchange in self.exchanges.values()
            if exchange.question.tenant == tenant
            and since <= exchange.question.asked_at < until
            and exchange.recorded
            and exchange.recorded.kind in COUNTED
        ]
        asked.sort(key=lambda exchange: exchange.question.asked_at)
        ids = {exchange.id for exchange in asked}
        choices = [one for one in self.choices if one.exchange_id in ids]
        votes = {exchange_id: await self.votes(exchange_id) for exchange_id in ids}
        return Evidence(
            exchanges=tuple(_told({one.exchange_id for one in choices}, one) for one in asked),
            votes={exchange_id: given for exchange_id, given in votes.items() if given},
            reasons=tuple(_in_time([r for r in self.reasons.values() if r.exchange_id in ids])),
            choices=tuple(_in_time(choices)),
            logged=tuple(_in_time([g for g in self.gaps.values() if g.exchange_id in ids])),
            notes={
                one.exchange_id: one.note
                for one in self.escalations.values()
                if one.exchange_id in ids and one.note
            },
        )

    async def vectors(self, exchange_ids: Sequence[str]) -> Mapping[str, Vector]:
        self._reach()
        known = {id_: self.exchanges[id_] for id_ in exchange_ids if id_ in self.exchanges}
        return {
            id_: one.recorded.vector
            for id_, one in known.items()
            if one.recorded and one.recorded.vector is not None
        }

    async def gap_records(self, tenant: str) -> list[GapRecord]:
        self._reach()
        of_tenant = [gap for gap in self.gap_book.values() if gap.tenant == tenant]
        return sorted(of_tenant, key=lambda gap: gap.created_at)

    async def gap_record(self, gap_id: str) -> GapRecord | None:
        self._reach()
        gap_id = _without_surrogates(gap_id)
        return self.gap_book.get(gap_id) or self.gap_book.get(canonical(gap_id))

    async def _known_gap(self, gap_id: str) -> GapRecord:
        gap = await self.gap_record(gap_id)
        if gap is None:
            raise NotFound("There is no gap of this name: look it up in the list of gaps.")
        return gap

    async def assign(self, tenant: str, members: Mapping[str, Sequence[str]], at: datetime) -> None:
        self._reach()
        if {id_ for ids in members.values() for id_ in ids} - self.exchanges.keys():
            raise NotFound("The journal has no such exchange: ask the question again.")
        placed = {id_ for gap in self.gap_book.values() for id_ in gap.exchange_ids}
        for typed, ids in members.items():
            gap_id = _without_surrogates(typed)
            gap = self.gap_book.get(gap_id, GapRecord(gap_id, tenant, at, ()))
            new = [id_ for id_ in dict.fromkeys(ids) if id_ not in placed]
            placed |= set(new)
            self.gap_book[gap_id] = replace(gap, exchange_ids=(*gap.exchange_ids, *new))

    async def decide(
        self,
        gap_id: str,
        status: GapStatus,
        *,
        by: Person | None,
        at: datetime,
        until: datetime | None = None,
        section: SectionRef | None = None,
        build: str = "",
    ) -> bool:
        gap = await self._known_gap(gap_id)
        owners = {GapStatus.OPEN: None, GapStatus.OWNED: by}
        answered = status in {GapStatus.DONE, GapStatus.CLOSED}
        after = replace(
            gap,
            status=status,
            owner=owners.get(status, gap.owner),
            snoozed_until=until if status is GapStatus.SNOOZED else None,
            section=section if answered else None,
            build=build if answered else "",
        )
        if _compared(after) == _compared(gap):
            return False
        self.gap_book[gap.id] = replace(after, changed_at=at, changed_by=by)
        self.decisions.append((gap.id, status, by, at))
        return True

    async def claim_digest(self, tenant: str, schedule: str, period: str, at: datetime) -> bool:
        self._reach()
        claimed = (tenant, schedule, period) in self.postings
        self.postings.setdefault((tenant, schedule, period), "")
        return not claimed

    async def digest_done(
        self, tenant: str, schedule: str, period: str, outcome: str, at: datetime
    ) -> None:
        self._reach()
        if (tenant, schedule, period) not in self.postings:
            raise NotFound("This digest was never begun: post it again.")
        self.postings[tenant, schedule, period] = outcome

    async def last_digest(self, tenant: str, schedule: str) -> tuple[str, str] | None:
        self._reach()
        mine = {
            period: outcome
            for (whose, which, period), outcome in self.postings.items()
            if (whose, which) == (tenant, schedule)
        }
        return max(mine.items(), default=None)

    async def claim_notice(self, gap_id: str, person: Person, build: str, at: datetime) -> bool:
        gap = await self._known_gap(gap_id)
        told = (gap.id, person, build) in self.notices
        if told or person in self.opted_out or is_forgotten(person):
            return False
        self.notices[gap.id, person, build] = at
        return True

    async def set_notices(self, person: Person, *, wanted: bool, at: datetime) -> None:
        self._reach()
        if wanted:
            self.opted_out.discard(person)
        else:
            self.opted_out.add(person)

    def gap_counts(self) -> dict[str, int]:
        return {
            "gaps": len(self.gap_book),
            "gap_exchanges": sum(len(gap.exchange_ids) for gap in self.gap_book.values()),
            "gap_decisions": len(self.decisions),
            "digests": len(self.postings),
            "notices": len(self.notices),
            "notice_optouts": len(self.opted_out),
        }


def _told(looked_at: set[str], exchange: Exchange) -> Exchange:
    """Leave out all but the first result of what was answered, unless somebody looked further."""
    recorded = exchange.recorded
    assert recorded
    if recorded.kind is not OutcomeKind.ANSWER or exchange.id in looked_at:
        results = recorded.results
    else:
        results = recorded.results[:1]
    event_id = exchange.question.event_id if exchange.told else ""
    question = replace(exchange.question, event_id=event_id)
    return replace(exchange, question=question, recorded=replace(recorded, results=results))


def _in_time(events: Sequence[T]) -> list[T]:
    return sorted(events, key=lambda event: event.at)


def _compared(gap: GapRecord) -> GapRecord:
    section = SectionRef(gap.section.section_id, "", "", "", "", ()) if gap.section else None
    return replace(gap, section=section)


def _without_surrogates(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)
