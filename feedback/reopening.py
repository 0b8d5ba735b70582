"""Gaps that were settled and are not: a question asked since was not answered either."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.exchanges import Exchange, OutcomeKind, Person
from core.models import Vote
from core.ports import Clock
from feedback.gap_journal import WholeJournal
from feedback.models import GapRecord, GapStatus

LOOKED_AT = 200
"""Exchanges of a gap, the newest, that are read."""
LATELY = timedelta(days=14)
"""How long after a gap was settled it is followed: the bot may have been away."""
SETTLED = frozenset({GapStatus.CLOSED, GapStatus.DONE})


@dataclass(frozen=True, slots=True)
class _Failed:
    """A question that a settled gap's section did not help; `by` is who voted it down, if one."""

    by: Person | None = None


async def reopen_failed(
    journal: WholeJournal, clock: Clock, tenant: str, touched: Collection[str] = ()
) -> list[GapRecord]:
    """Open the settled gaps of which a question, asked since, was not answered either.

    That is one that stands voted down, what askers are told included, and one that was refused or
    weakly answered without a thumb up. Looked at are the gaps settled lately, and `touched` ones,
    by name, which have new questions.

    Raises:
        JournalUnavailable: nothing more could be saved.
    """
    opened = []
    for record in await settled(journal, clock, tenant, touched):
        failed = await _failed_since(journal, record)
        if failed and await journal.decide(record.id, GapStatus.OPEN, by=failed.by, at=clock.now()):
            opened.append(record)
    return opened


async def settled(
    journal: WholeJournal, clock: Clock, tenant: str, also: Collection[str] = ()
) -> list[GapRecord]:
    """Return the gaps that were settled lately, and those of these names whenever they were."""
    since = clock.now() - LATELY
    return [
        record
        for record in await journal.gap_records(tenant)
        if record.status in SETTLED and (changed(record) >= since or record.id in also)
    ]


async def exchanges_of(journal: WholeJournal, ids: Sequence[str]) -> list[Exchange]:
    """Return exchanges, oldest first; without text there is nothing left of one to go by."""
    read = [await journal.exchange(one) for one in ids]
    there = [one for one in read if one and one.question.text]
    return sorted(there, key=lambda one: one.question.asked_at)


def changed(record: GapRecord) -> datetime:
    """Return when a gap was last decided on."""
    return record.changed_at or record.created_at


async def _failed_since(journal: WholeJournal, record: GapRecord) -> _Failed | None:
    for exchange in await exchanges_of(journal, record.exchange_ids[-LOOKED_AT:]):
        if exchange.question.asked_at < changed(record):
            continue
        votes = await journal.votes(exchange.id)
        for person, vote in votes.items():
            if vote is Vote.DOWN:
                return _Failed(person)
        if not exchange.told and _unanswered(exchange) and not votes:
            return _Failed()
    return None


def _unanswered(exchange: Exchange) -> bool:
    recorded = exchange.recorded
    kinds = {OutcomeKind.REFUSAL, OutcomeKind.WEAK}
    return recorded is not None and recorded.dense and recorded.kind in kinds
