"""What goes on by itself: every build closes gaps and tells their askers, wherever it came from."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from bots.card import Card, Tone
from bots.digesting import Digests
from bots.gap_loop import GapLoop, tenants
from bots.updates import FollowedIndexer
from core.exchanges import MessageRef, Thumb
from core.models import Document, Vote
from core.ports import Attachment
from core.reports import IndexOptions, IndexReport
from core.settings import Settings
from feedback.gap_book import GapBook
from feedback.models import GapReport, GapStatus, Numbers
from tests.fakes import FakeAnnouncer
from tests.indexed import put
from tests.looping import ANN, DISK, DISK_BETTER, SEARCH, SETTINGS, Team, team

NONE = Numbers(0, 0, 0, 0, 0, 0, 0, 0.0)


class ScriptedIndexer:
    """An indexer whose next run finds these pages; the same ones make no build."""

    def __init__(self, acme: Team) -> None:
        self._acme = acme
        self._before: tuple[Document, ...] = ()
        self.pages: tuple[Document, ...] = ()

    @property
    def running_since(self) -> datetime | None:
        return None

    async def run(self, options: IndexOptions, progress: object = None) -> IndexReport:
        if self.pages == self._before:
            return IndexReport()
        await put(self._acme.index, self._acme.embedder, self.pages)
        changed = tuple(f"{one.source}/{one.path}" for one in self.pages if one not in self._before)
        self._before = self.pages
        return IndexReport(changed=changed)


class Looping:
    """A loop over a team, and the indexer whose runs it follows."""

    def __init__(self, acme: Team) -> None:
        self.acme = acme
        self.inner = ScriptedIndexer(acme)
        self.loop = self.start()
        self.indexer = FollowedIndexer(self.inner, acme.index, lambda r: self.loop.built(r))

    def start(self) -> GapLoop:
        acme = self.acme
        digests = Digests(report, word, acme.journal, acme.announcer, acme.settings, acme.clock)
        return GapLoop(
            GapBook(acme.journal, acme.index, acme.clock),
            acme.closing,
            acme.teller,
            digests,
            acme.journal,
            acme.index,
            acme.settings,
            acme.clock,
        )

    async def index(self, *pages: Document) -> None:
        self.acme.clock.advance(timedelta(hours=1))
        self.inner.pages = pages
        await self.indexer.run(IndexOptions())

    async def status(self) -> GapStatus:
        return (await self.acme.record("G-DISK")).status


async def report(
    tenant: str, since: datetime, until: datetime, visibility: tuple[str, ...]
) -> GapReport:
    return GapReport(tenant, since, until, visibility, (), (), NONE, NONE)


async def word(report: GapReport) -> tuple[Card, Attachment | None]:
    return Card(Tone.INFO, report.tenant), None


@pytest.fixture
async def looping() -> AsyncIterator[Looping]:
    async with team() as acme:
        await acme.gap("G-DISK", await acme.ask("disk full"))
        yield Looping(acme)


class Ringing(FakeAnnouncer):
    """Rings whenever somebody is told."""

    def __init__(self) -> None:
        super().__init__()
        self.rung = asyncio.Event()

    async def post(self, *args: Any, **more: Any) -> MessageRef | None:
        said = await super().post(*args, **more)
        self.rung.set()
        return said


async def test_a_run_that_makes_a_build_live_closes_gaps_and_tells_at_once(
    looping: Looping,
) -> None:
    looping.acme.announcer = announcer = Ringing()
    looping.loop = looping.start()
    async with looping.loop.running():
        await looping.index(SEARCH, DISK)
        await announcer.rung.wait()
    assert await looping.status() is GapStatus.CLOSED
    assert looping.acme.places == ["C1/T1"]


async def test_a_run_that_changes_nothing_is_none(looping: Looping) -> None:
    told: list[IndexReport] = []
    acme = looping.acme
    indexer = FollowedIndexer(looping.inner, acme.index, told.append)
    looping.inner.pages = (SEARCH, DISK)
    first = await indexer.run(IndexOptions())
    await indexer.run(IndexOptions())
    assert told == [first]


async def test_what_was_built_while_the_bot_was_away_is_looked_at_after_a_start(
    looping: Looping,
) -> None:
    looping.acme.clock.advance(timedelta(hours=1))
    await put(looping.acme.index, looping.acme.embedder, [SEARCH, DISK])
    await looping.start().settle()
    assert await looping.status() is GapStatus.CLOSED
    assert len(looping.acme.cards) == 1


async def test_the_questions_are_asked_again_once_a_build(looping: Looping) -> None:
    await looping.loop.settle()
    asked = len(looping.acme.slept)
    await looping.loop.settle()
    assert len(looping.acme.slept) == asked


async def test_a_crash_after_the_closing_leaves_the_askers_to_the_next_start(
    looping: Looping,
) -> None:
    looping.acme.clock.advance(timedelta(hours=1))
    await put(looping.acme.index, looping.acme.embedder, [SEARCH, DISK])
    await looping.acme.closing.close("acme", "build-2")
    await looping.start().settle()
    await looping.start().settle()
    assert looping.acme.places == ["C1/T1"]


async def test_voted_down_it_is_open_again_until_its_page_changes(looping: Looping) -> None:
    acme = looping.acme
    await looping.index(SEARCH, DISK)
    await looping.loop.settle()
    [(message, _)] = acme.announcer.said
    acme.clock.advance(timedelta(minutes=1))
    await acme.nightlamp.vote(Thumb(ANN, Vote.DOWN, True, acme.clock.now(), message))
    await looping.loop.settle()
    assert await looping.status() is GapStatus.OPEN
    await looping.start().settle()
    assert await looping.status() is GapStatus.OPEN
    await looping.index(SEARCH, DISK_BETTER)
    await looping.loop.settle()
    assert await looping.status() is GapStatus.CLOSED


async def test_tidying_erases_what_is_older_than_the_retention(looping: Looping) -> None:
    acme = looping.acme
    acme.clock.advance(timedelta(days=181))
    kept = await acme.ask("queue lag")
    await looping.loop.tidy()
    record = await acme.record("G-DISK")
    old = await acme.journal.exchange(record.exchange_ids[0])
    new = await acme.journal.exchange(kept.exchange_id)
    assert old is not None
    assert new is not None
    assert (old.question.text, new.question.text) == ("", "queue lag")


def test_every_tenant_is_looked_after() -> None:
    sources = [{"name": "x", "path": "x", "tenant": "default"}]
    assert list(tenants(SETTINGS)) == ["acme", "globex"]
    assert list(tenants(Settings())) == ["default"]
    assert list(tenants(Settings.model_validate({"sources": sources}))) == ["default"]
