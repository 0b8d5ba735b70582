"""Journals to test, and what is put into them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from core.exchanges import MessageRef, OutcomeKind, Person, Recorded, ShownHit
from core.journal_port import Journal
from core.models import Platform, Question, Span, Where
from feedback.gap_journal import GapJournal
from feedback.journal import open_journal
from tests.fakes import FakeJournal

KINDS = ("fake", "memory", "disk")
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
CHANNEL = Where(Platform.SLACK, "C1")
THREAD = Where(Platform.SLACK, "C1", "1700000000.000100")
ANN, BEN = Person(Platform.SLACK, "U1"), Person(Platform.SLACK, "U2")
FIRST = MessageRef(Platform.SLACK, "C1", "1700000000.000100")
SECOND = MessageRef(Platform.SLACK, "C1", "1700000000.000200")
PLAIN = Question("why?", "acme", "U1", NOON, CHANNEL)
RECORDED = Recorded(
    kind=OutcomeKind.WEAK,
    confidence=0.5,
    distance=0.25,
    results=(
        ShownHit(("s1", "s2"), "d1", "own", "a.md", "A › B", 0.25, 0.75, Span(3, 9), ("sre",)),
        ShownHit(("s3",), "d2", "own", "ü.md", "Ü", None, 0.5, Span(0, 2), ("everyone", "sre")),
    ),
    dense=True,
    ms=12.5,
    vector=(0.5, -0.25, 0.0),
    model="scripted",
)


class Both(Journal, GapJournal, Protocol):
    """What open_journal returns."""


@asynccontextmanager
async def open_kind(kind: str, folder: Path) -> AsyncIterator[Both]:
    """Open the fake, or SQLite in memory or on disk."""
    if kind == "fake":
        yield FakeJournal()
    else:
        async with open_journal(folder / "journal.db" if kind == "disk" else None) as journal:
            yield journal


def minutes(count: float) -> datetime:
    return NOON + timedelta(minutes=count)


async def answered(journal: Journal, exchange_id: str = "x1") -> None:
    await journal.receive(exchange_id, replace(PLAIN, event_id=exchange_id))
    await journal.record_outcome(exchange_id, RECORDED)
    await journal.record_message(exchange_id, FIRST, 0)
    await journal.record_message(exchange_id, SECOND, 1)


async def rows(journal: Journal, **expected: int) -> None:
    counts = await journal.counts()
    assert {name: counts[name] for name in expected} == expected
