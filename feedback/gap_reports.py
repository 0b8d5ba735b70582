"""Reports of gaps from the journal: windows are read, new questions named, the report is made.

What takes long (grouping thousands of questions) runs in a thread.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.errors import NotFound
from core.exchanges import Exchange
from core.models import Vector
from core.points import Filter, IndexedDocument
from core.ports import Clock, SearchableIndex
from feedback import gaps
from feedback.gap_filter import GapFilter
from feedback.gap_journal import WholeJournal
from feedback.models import Evidence, Gap, GapRecord, GapReport, GapStatus
from feedback.naming import assign_to
from feedback.reopening import LOOKED_AT, SETTLED, exchanges_of, reopen_failed
from feedback.right_sections import meant_by
from feedback.unanswered import unanswered

NAMED = timedelta(days=28)
"""How far back questions are named that no report has named yet."""
_SET_ASIDE = frozenset({GapStatus.SNOOZED, GapStatus.DISMISSED})


@dataclass(frozen=True, slots=True)
class _Window:
    """What a report is made from: a window and the one of the same length before it.

    `failed` is what was left unanswered in both, oldest first.
    """

    tenant: str
    since: datetime
    until: datetime
    evidence: Evidence
    earlier: Evidence
    failed: tuple[Exchange, ...]
    documents: Mapping[str, IndexedDocument]
    vectors: Mapping[str, Vector]


@dataclass(frozen=True, slots=True)
class GapStory:
    """One gap with all that was asked of it and is still known, and how humans resolved it.

    `meant` is what people said to be the right section, as `meant_by` returns it.
    """

    gap: Gap
    exchanges: tuple[Exchange, ...]
    notes: Mapping[str, str]
    meant: tuple[tuple[str, ...], ...] = ()


class GapReports:
    """Makes reports; what they name is saved, so that a gap keeps its name from week to week."""

    def __init__(self, journal: WholeJournal, index: SearchableIndex, clock: Clock) -> None:
        self._journal = journal
        self._index = index
        self._clock = clock

    async def report(
        self, tenant: str, since: datetime, until: datetime, visibility: tuple[str, ...]
    ) -> GapReport:
        """Return a tenant's window [since, until) for readers who see these labels."""
        window = await self._window(tenant, since, until)
        return await self._made(window, await self._named(window), visibility)

    async def listing(
        self,
        tenant: str,
        since: datetime,
        until: datetime,
        visibility: tuple[str, ...],
        narrowed: GapFilter,
    ) -> GapReport:
        """Return a report of which the gaps are narrowed; open ones, if no status is asked for."""
        window = await self._window(tenant, since, until)
        records = await self._named(window)
        if narrowed.status in _SET_ASIDE:
            aside = [one for one in records if one.status is narrowed.status]
            report = await self._alone(window, aside, visibility)
        else:
            report = await self._made(window, records, visibility)
        pool = report.closed if narrowed.status in SETTLED else report.gaps
        return replace(
            report,
            gaps=tuple(gap for gap in pool if narrowed.passes(gap)),
            closed=() if narrowed.status else report.closed,
        )

    async def name_gaps(self, tenant: str) -> None:
        """Name what was asked in the last weeks, so that it counts before the next report."""
        now = self._clock.now()
        await self._named(await self._window(tenant, now - NAMED / 2, now))

    async def story(self, gap_id: str, tenant: str, visibility: tuple[str, ...]) -> GapStory:
        """Return a gap, however it stands, for readers who see these labels.

        What they may not read is in its exchanges: `quotable` says which those are.

        Raises:
            NotFound: the tenant has no such gap, or nothing is left of what was asked.
        """
        record = await self.gap(gap_id, tenant)
        asked = await exchanges_of(self._journal, record.exchange_ids[-LOOKED_AT:])
        exchanges = tuple(one for one in asked if not one.told)
        now = self._clock.now() + timedelta(microseconds=1)
        if not exchanges:
            raise NotFound(f"Nothing is left of what was asked of {record.id}.")
        window = await self._window(tenant, exchanges[0].question.asked_at, now, before=False)
        report = await self._alone(window, [record], visibility)
        if not report.gaps:
            raise NotFound(f"Nothing is left of what was asked of {record.id}.")
        [gap] = report.gaps
        meant = meant_by(gap, exchanges, window.evidence, visibility)
        return GapStory(gap, exchanges, window.evidence.notes, meant)

    async def gap(self, gap_id: str, tenant: str) -> GapRecord:
        """Return a gap by its name, however it was typed.

        Raises:
            NotFound: the tenant has none of this name.
        """
        record = await self._journal.gap_record(gap_id)
        if record is None or record.tenant != tenant:
            raise NotFound(
                f"There is no gap {gap_id.strip()[:20]}: look its name up in the list of gaps."
            )
        return record

    # --- inside ---------------------------------------------------------------------------------

    async def _window(
        self, tenant: str, since: datetime, until: datetime, *, before: bool = True
    ) -> _Window:
        evidence = await self._journal.evidence(tenant, since, until)
        start = since - (until - since)
        earlier = await self._journal.evidence(tenant, start, since) if before else Evidence(())
        failed = await asyncio.to_thread(lambda: (*unanswered(earlier), *unanswered(evidence)))
        vectors = await self._journal.vectors([one.id for one in failed])
        documents = await self._index.documents(Filter(tenant, None))
        return _Window(tenant, since, until, evidence, earlier, failed, documents, vectors)

    async def _named(self, window: _Window) -> list[GapRecord]:
        """Name what is in no gap yet, open again what fails still; return the tenant's gaps."""
        records = await self._journal.gap_records(window.tenant)
        members = await asyncio.to_thread(
            assign_to,
            records,
            window.failed,
            window.vectors,
            services={one.metadata.service for one in window.documents.values()},
        )
        if members:
            await self._journal.assign(window.tenant, members, self._clock.now())
        await reopen_failed(self._journal, self._clock, window.tenant, members.keys())
        return await self._journal.gap_records(window.tenant)

    async def _made(
        self, window: _Window, records: list[GapRecord], visibility: tuple[str, ...]
    ) -> GapReport:
        return await asyncio.to_thread(
            gaps.report,
            window.evidence,
            window.earlier,
            records,
            tenant=window.tenant,
            since=window.since,
            until=window.until,
            visibility=visibility,
            documents=window.documents,
            vectors=window.vectors,
        )

    async def _alone(
        self, window: _Window, records: Sequence[GapRecord], visibility: tuple[str, ...]
    ) -> GapReport:
        """Report these gaps as if they alone were open, each with its own status all the same."""
        alone = {record.id: record for record in records}
        shown = [
            replace(one, status=GapStatus.OPEN if one.id in alone else GapStatus.DISMISSED)
            for one in await self._journal.gap_records(window.tenant)
        ]
        report = await self._made(window, shown, visibility)
        known = tuple(gap for gap in report.gaps if gap.record.id in alone)
        own = tuple(
            replace(gap, record=replace(gap.record, status=alone[gap.record.id].status))
            for gap in known
        )
        return replace(report, gaps=own)
