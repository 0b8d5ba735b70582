"""The whole story: a question without an answer comes back as a page, and its askers are told."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from bots.app import App, followed
from bots.card import Card, GapAction
from bots.control import control_open
from bots.control_client import reached
from bots.gap_desk import GapDesk
from bots.gap_loop import GapLoop, loop_over
from bots.gap_pages import draft_page
from bots.gap_verbs import gap_verbs
from core.errors import NightlampError, NotAllowed, UsageError
from core.exchanges import MessageRef, Person, Reason, ReasonKind, Thumb
from core.models import EVERYONE, Platform, Question, Scope, Vote, Where
from core.outcomes import Answer, Refusal
from core.reports import IndexOptions
from core.service import Reply
from core.settings import Settings
from feedback.gap_book import Actor
from feedback.models import GapKind, GapReport, GapStatus
from tests.e2e.world import World
from tests.fakes import FakeAnnouncer

ANN, BEN, EVE = (Person(Platform.SLACK, name) for name in ("U-ann", "U-ben", "U-eve"))
THREAD = Where(Platform.SLACK, "C-ops", "T1")
PRIVATE = Where(Platform.SLACK, "C-ops", private=True)
PRINTER = "# Printer paper jam\n\n## Open the tray\n\nOpen the printer tray and pull the paper.\n"
NEXT = "## Order more"
TRAY = f"# Feeding tray\n\n## Stuck sheet\n\nPull it out by both corners.\n\n{NEXT}\n\nCall them.\n"
SECRET = "launch codes of the printer paper jam"  # noqa: S105 - what somebody asks in private


@dataclass
class Story:
    """A team on Slack whose bot is stopped and started between the scenes."""

    world: World
    announcer: FakeAnnouncer = field(default_factory=FakeAnnouncer)

    @property
    def settings(self) -> Settings:
        digests = [{"cron": "0 9 * * mon", "channels": ["slack:C-ops"]}]
        tenants = [{"name": "acme", "digests": digests}, {"name": "globex"}]
        return self.world.settings(tenants=tenants)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[tuple[App, GapLoop]]:
        async with self.world.open_app(self.settings) as app:
            loop = loop_over(app, self.announcer)
            yield followed(app, loop), loop

    async def ask(
        self, app: App, text: str, person: Person, where: Where = THREAD, tenant: str = "acme"
    ) -> Reply:
        self.world.clock.advance(timedelta(minutes=1))
        now = self.world.clock.now()
        question = Question(text, tenant, person.user_id, now, where, Scope())
        exchange_id = await app.service.received(question)
        assert exchange_id is not None
        reply = await app.service.ask(exchange_id, question)
        message = MessageRef(person.platform, where.channel_id, f"m-{exchange_id}")
        await app.service.posted(exchange_id, message)
        return reply

    async def correct(self, app: App, reply: Reply, person: Person, section: str) -> None:
        """Say which section had been meant."""
        now = self.world.clock.now()
        kind = ReasonKind.WRONG_SECTION
        await app.journal.record_reason(Reason(reply.exchange_id, person, kind, "", now, section))

    async def report(self, app: App) -> GapReport:
        now = self.world.clock.now()
        return await app.gaps.report("acme", now - timedelta(days=7), now, (EVERYONE,))

    def next_monday(self) -> None:
        self.world.clock.advance(timedelta(days=7))

    @property
    def cards(self) -> list[Card]:
        return [card for _, card in self.announcer.said if isinstance(card, Card)]


@pytest.fixture
def story(folder: Path, indexed_world: World) -> Story:
    return Story(World.at(folder, like=indexed_world))


async def test_a_refused_question_becomes_a_page_and_its_askers_are_told(story: Story) -> None:
    async with story.open() as (app, _):  # two people ask what no page answers, and one in private
        refused = await story.ask(app, "printer paper jam", ANN)
        assert isinstance(refused.outcome, Refusal)
        await story.ask(app, "paper jam printer", BEN)
        await story.ask(app, SECRET, EVE, PRIVATE)

    story.world.clock.advance(timedelta(days=7) - timedelta(minutes=3))
    async with story.open() as (app, loop):  # the digest says so, and nothing of the private one
        await loop.digests.look()
        await loop.digests.look()
        [digest] = story.cards
        [gap] = (await story.report(app)).gaps
        assert gap.record.id in repr(digest)
        assert "launch codes" not in repr(digest)
        assert gap.sample in {"printer paper jam", "paper jam printer"}

    async with story.open() as (app, _):  # somebody takes it on
        await app.gaps.own(gap.record.id, Actor(BEN, "acme"))
        page = await draft_page(app, gap.record.id, "acme", (EVERYONE,))
        assert page.name.endswith(".md")
        assert "launch codes" not in page.text
        assert (page.found, page.text[:4]) == (False, "---\n")

    story.world.clock.advance(timedelta(hours=1))
    story.world.write("acme/printer.md", PRINTER)
    async with story.open() as (app, loop):  # the page is written and indexed
        await app.library.indexer.run(IndexOptions())
        await loop.settle()
        record = await app.gaps.gap(gap.record.id, "acme")
        assert record.status is GapStatus.CLOSED
        assert record.section is not None
        assert record.section.path == "printer.md"
    async with story.open() as (app, loop):  # nobody is told twice, whatever is started again
        await loop.settle()
    told = story.announcer.said[1:]
    assert [story.announcer.mentions.get(message) for message, _ in told] == [ANN, BEN, None]
    assert story.announcer.threads[told[0][0]] == "T1"
    assert told[2][0].channel_id == EVE.user_id
    assert "https://acme.example/printer.md" in repr(told[0][1])

    async with story.open() as (app, loop):  # the answer helped, and the next digest says so
        thumb = Thumb(ANN, Vote.UP, True, story.world.clock.now(), told[0][0])
        voted = await app.service.vote(thumb)
        assert voted is not None
        assert voted.told
        story.next_monday()
        await loop.digests.look()
        report = await story.report(app)
        assert (report.gaps, [one.record.id for one in report.closed]) == ((), [gap.record.id])


async def test_a_question_that_missed_its_section_finds_it_once_the_drafted_line_is_added(
    story: Story,
) -> None:
    story.world.write("acme/tray.md", TRAY)
    async with story.open() as (app, loop):
        await app.library.indexer.run(IndexOptions())
        await loop.settle()
        refused = await story.ask(app, "printer paper jam", ANN)
        assert isinstance(refused.outcome, Refusal)
        await story.correct(app, refused, BEN, "https://acme.example/tray.md#stuck-sheet")
        private = await story.ask(app, SECRET, EVE, PRIVATE)
        await story.correct(app, private, EVE, "disk-full.md")

        story.world.clock.advance(timedelta(minutes=1))
        [gap] = (await story.report(app)).gaps
        assert gap.kind is GapKind.FINDABLE
        said = await GapDesk(app).command(f"draft {gap.record.id}", Actor(ANN, "acme"))
        assert said.card.title == f"A line for {gap.record.id}"
        assert said.file is not None
        draft = said.file.data.decode()
        assert "<https://acme.example/tray.md#stuck-sheet>" in draft
        assert "launch codes" not in draft
        [line] = re.findall(r"^<!-- asked: printer .*", draft, re.MULTILINE)

    story.world.clock.advance(timedelta(hours=1))
    story.world.write("acme/tray.md", TRAY.replace(NEXT, f"{line}\n\n{NEXT}"))
    async with story.open() as (app, loop):
        await app.library.indexer.run(IndexOptions())
        await loop.settle()
        record = await app.gaps.gap(gap.record.id, "acme")
        assert app.library.index.info is not None
        assert (record.status, record.build) == (GapStatus.CLOSED, app.library.index.info.id)
        assert record.section is not None
        assert record.section.breadcrumb == "Feeding tray › Stuck sheet"
        again = await story.ask(app, "printer paper jam", BEN)
        assert isinstance(again.outcome, Answer)
        assert "asked:" not in again.outcome.results[0].best.section.text
    assert ANN in story.announcer.mentions.values()


async def test_a_section_that_is_no_longer_seen_is_named_in_no_draft(story: Story) -> None:
    story.world.write("acme/tray.md", TRAY)
    async with story.open() as (app, _):
        await app.library.indexer.run(IndexOptions())
        refused = await story.ask(app, "printer paper jam", ANN)
        await story.correct(app, refused, BEN, "tray.md#stuck-sheet")
        story.world.clock.advance(timedelta(minutes=1))
        [gap] = (await story.report(app)).gaps
        page = await draft_page(app, gap.record.id, "acme", (EVERYONE,))
        assert page.found
        story.world.write("acme/tray.md", f"---\nvisibility: [board]\n---\n{TRAY}")
        await app.library.indexer.run(IndexOptions())
        hidden = await draft_page(app, gap.record.id, "acme", (EVERYONE,))
        assert not hidden.found
        assert "tray" not in hidden.text


async def test_what_was_asked_since_the_last_digest_is_closed_and_told_too(story: Story) -> None:
    async with story.open() as (app, loop):
        await story.ask(app, "printer paper jam", ANN)
        story.world.clock.advance(timedelta(minutes=5))
        story.world.write("acme/printer.md", PRINTER)
        await app.library.indexer.run(IndexOptions())
        await loop.settle()
    assert list(story.announcer.mentions.values()) == [ANN]


async def test_a_tenant_is_neither_told_of_nor_closed_by_the_pages_of_another(
    story: Story,
) -> None:
    async with story.open() as (app, loop):
        await story.ask(app, "printer paper jam", ANN)
        story.world.clock.advance(timedelta(minutes=5))
        story.world.write("globex/printer.md", PRINTER)
        await app.library.indexer.run(IndexOptions())
        await loop.settle()
        assert story.cards == []
        [gap] = (await story.report(app)).gaps
        assert gap.record.status is GapStatus.OPEN


async def test_commands_reach_the_gaps_of_a_running_bot(story: Story) -> None:
    nothing = {"tenant": "acme", "visibility": [EVERYONE]}
    async with story.open() as (app, _):
        folder = app.library.folder
        await story.ask(app, "printer paper jam", ANN)
        story.world.clock.advance(timedelta(minutes=1))
        async with control_open(folder.control, gap_verbs(app)), reached(folder) as bot:
            assert bot is not None
            listed = await bot.call("gaps", {**nothing, "seconds": 3600})
            [gap] = listed["json"]["gaps"]
            assert gap["sample"] == "printer paper jam"
            owned = await bot.call("gap", {**nothing, "do": "own", "id": gap["id"]})
            assert owned["json"]["owner"].startswith("terminal:")
            posted = await bot.call("digest", {**nothing, "post": True})
            assert posted == {"posted": {"slack:C-ops": True}}
            drafted = await bot.call("draft", {**nothing, "id": gap["id"]})
            assert drafted["name"] == "printer-paper-jam.md"
            with pytest.raises(NightlampError, match="Name one of the tenants"):
                await bot.call("gaps", {"seconds": 3600})
            with pytest.raises(NightlampError):
                await bot.call("gap", {**nothing, "do": "eat", "id": gap["id"]})
            with pytest.raises(NightlampError):
                await bot.call("gaps", {**nothing, "seconds": "long"})
            with pytest.raises(NightlampError):
                await bot.call("gaps", {**nothing, "seconds": 60, "kind": "odd"})


async def test_the_buttons_of_a_digest_decide_on_its_gaps(story: Story) -> None:
    ann, admin = Actor(ANN, "acme"), Actor(BEN, "acme", admin=True)
    async with story.open() as (app, _):
        await story.ask(app, "printer paper jam", ANN)
        story.world.clock.advance(timedelta(minutes=1))
        desk = GapDesk(app)
        [line] = (await desk.command("", ann)).card.gaps
        assert [button.action for button in line.buttons] == list(GapAction)
        steps = {
            GapAction.OWN: (ann, GapStatus.OWNED),
            GapAction.SNOOZE: (admin, GapStatus.SNOOZED),
            GapAction.DISMISS: (admin, GapStatus.DISMISSED),
            GapAction.DONE: (admin, GapStatus.DONE),
        }
        for action, (actor, status) in steps.items():
            record = await desk.act(action, line.gap_id, actor, section="disk-full.md")
            assert record.status is status
        assert (await desk.command("", ann)).card.gaps == ()
        [shown] = (await desk.one(line.gap_id, ann)).gaps
        assert shown.gap_id == line.gap_id


async def test_what_is_typed_after_gaps_is_done(story: Story) -> None:
    ann, admin = Actor(ANN, "acme"), Actor(BEN, "acme", admin=True)
    async with story.open() as (app, _):
        await story.ask(app, "printer paper jam", ANN)
        story.world.clock.advance(timedelta(minutes=1))
        desk = GapDesk(app)
        [line] = (await desk.command("missing printer since:2d", ann)).card.gaps
        lacking = await desk.command(f"draft {line.gap_id}", ann)
        assert lacking.card.title == f"A page for {line.gap_id}"
        steps = {
            f"own {line.gap_id}": "has an owner",
            f"snooze {line.gap_id} 7d": "is snoozed until 2030-01-14",
            f"dismiss {line.gap_id}": "is no gap",
            f"reopen {line.gap_id}": "is open again",
            f"done {line.gap_id} disk-full.md": "is answered",
        }
        for typed, says in steps.items():
            assert (await desk.command(typed, admin)).card.title == f"{line.gap_id} {says}"
        with pytest.raises(NotAllowed):
            await desk.command(f"dismiss {line.gap_id}", ann)
        with pytest.raises(UsageError, match="Say what answers it"):
            await desk.command(f"done {line.gap_id}", admin)
        said = await desk.command(f"draft {line.gap_id}", ann)  # somebody said what answers it
        assert said.card.title == f"A line for {line.gap_id}"
        drafted = said.file
        assert drafted is not None
        assert drafted.name == "printer-paper-jam.md"
        assert b"printer paper jam" in drafted.data
