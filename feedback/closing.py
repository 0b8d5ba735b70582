"""Closing the loop: which gaps a build closed, and whom that concerns.

Closed is a gap of whose questions, asked again as they were, more than half are strongly answered;
the section is the one that answers most of them. A section that had answered them before does not
count unless its page changed in the build: it is what the gap complains of.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from core.exchanges import Exchange, OutcomeKind, Person
from core.models import Platform, Section
from core.outcomes import Answer
from core.ports import Clock
from core.service import Nightlamp
from feedback.gap_journal import WholeJournal
from feedback.models import GapRecord, GapStatus, SectionRef
from feedback.reopening import LOOKED_AT, changed, exchanges_of, settled

SAMPLED = 5
"""Questions of a gap that are asked again: its newest that are worded apart."""
PAUSE = 0.02
"""Seconds between two questions: one at a time and never in a row, people come first."""

UNDECIDED = frozenset({GapStatus.OPEN, GapStatus.OWNED, GapStatus.SNOOZED})


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell an asker: the gap that is settled, and what they last asked of it."""

    record: GapRecord
    section: SectionRef
    exchange: Exchange

    @property
    def person(self) -> Person:
        """Return who asked."""
        return asker(self.exchange)

    @property
    def settled_by(self) -> str:
        """Return what settled the gap: a person is told once of each."""
        return self.record.build or f"done {self.section.section_id}"

    @property
    def settlement(self) -> str:
        """Return the name of a gap's being settled, this time."""
        return settlement(self.record)


class Closing:
    """Asks the questions of open gaps again, in their own tenant and scope."""

    def __init__(
        self,
        service: Nightlamp,
        journal: WholeJournal,
        clock: Clock,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._service = service
        self._journal = journal
        self._clock = clock
        self._pause = pause

    async def close(
        self, tenant: str, build: str, fresh: Collection[str] = ()
    ) -> list[tuple[GapRecord, SectionRef]]:
        """Close the gaps that a build answers; `fresh` are the pages, `source/path`, it changed.

        Safe to break off and to do again.

        Raises:
            IndexUnavailable: the index cannot be reached.
            JournalUnavailable: nothing more could be saved.
        """
        closed = []
        for record in await self._journal.gap_records(tenant):
            if record.status not in UNDECIDED:
                continue
            section = await self._answering(record, fresh)
            if section and await self._journal.decide(
                record.id,
                GapStatus.CLOSED,
                by=None,
                at=self._clock.now(),
                section=section,
                build=build,
            ):
                closed.append((record, section))
        return closed

    async def notices(
        self, tenant: str, dealt_with: Collection[str] = ()
    ) -> dict[Person, list[Notice]]:
        """Return what there is to tell of the gaps settled lately, by person, one a gap each.

        Whether they were told before is for `claim_notice` to say; what is `dealt_with` (the names
        of settlements) need not be read again. The terminal's are left out: nobody can be told
        there.
        """
        found: dict[Person, list[Notice]] = {}
        for record in await settled(self._journal, self._clock, tenant):
            if record.section is None or settlement(record) in dealt_with:
                continue
            newest = {
                asker(one): one
                for one in await exchanges_of(self._journal, record.exchange_ids)
                if not one.told and one.question.asked_at <= changed(record)
            }
            for person, exchange in newest.items():
                if person.platform is not Platform.TERMINAL and person.user_id:
                    notice = Notice(record, record.section, exchange)
                    found.setdefault(person, []).append(notice)
        return found

    async def stands(self, notice: Notice) -> bool:
        """Return whether who is to be told still is who asked: nobody was forgotten meanwhile."""
        exchange = await self._journal.exchange(notice.exchange.id)
        return exchange is not None and asker(exchange) == notice.person

    # --- inside ---------------------------------------------------------------------------------

    async def _answering(self, record: GapRecord, fresh: Collection[str]) -> SectionRef | None:
        exchanges = await exchanges_of(self._journal, record.exchange_ids[-LOOKED_AT:])
        before = {one for exchange in exchanges for one in _answered_with(exchange)}
        asked = _worded_apart([one for one in exchanges if not one.told])[:SAMPLED]
        found: Counter[str] = Counter()
        sections: dict[str, SectionRef] = {}
        for exchange in asked:
            section = await self._strong(exchange)
            if section and (section.section_id not in before or _page(section) in fresh):
                found[section.section_id] += 1
                sections.setdefault(section.section_id, section)
        if 2 * found.total() <= len(asked):
            return None
        return sections[found.most_common(1)[0][0]]

    async def _strong(self, exchange: Exchange) -> SectionRef | None:
        """Return the section that answers a question strongly, not by words alone."""
        await self._pause(PAUSE)
        answered = await self._service.look_up(exchange.question, limit=1)
        match answered.outcome:
            case Answer(results, evidence) if evidence.gate.dense:
                return reference(results[0].best.section, results[0].best.distance)
            case _:
                return None


def settlement(record: GapRecord) -> str:
    """Return the name of a gap's being settled, this time."""
    return f"{record.id} {changed(record).isoformat()}"


def asker(exchange: Exchange) -> Person:
    """Return who asked."""
    return Person(exchange.question.where.platform, exchange.question.asked_by)


def reference(section: Section, distance: float | None = None) -> SectionRef:
    """Return what the journal keeps of a section."""
    return SectionRef(
        section_id=section.id,
        document_id=section.document_id,
        source=section.source,
        path=section.path,
        breadcrumb=section.breadcrumb,
        visibility=section.metadata.visibility,
        distance=distance,
    )


def _page(section: SectionRef) -> str:
    return f"{section.source}/{section.path}"


def _answered_with(exchange: Exchange) -> tuple[str, ...]:
    """Return the sections that a question was strongly answered with."""
    recorded = exchange.recorded
    if recorded is None or recorded.kind is not OutcomeKind.ANSWER or not recorded.results:
        return ()
    return recorded.results[0].section_ids


def _worded_apart(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the newest of each wording, newest first; what follows another comes last."""
    newest = {" ".join(one.question.text.casefold().split()): one for one in exchanges}
    return sorted(
        sorted(newest.values(), key=lambda one: one.question.asked_at, reverse=True),
        key=lambda one: one.question.follows is not None,
    )
