"""A team whose gaps are closed: a Nightlamp over an index in memory and a journal in SQLite."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

from bots.card import Card
from bots.telling import Teller
from core.exchanges import MessageRef, Person, Thumb
from core.models import EVERYONE, Document, Platform, Question, Scope, Section, Vote, Where
from core.ports import Embedder
from core.service import Nightlamp, Reply
from core.settings import Settings
from feedback.closing import Closing
from feedback.journal import SqliteJournal, open_journal
from feedback.models import GapRecord
from feedback.reopening import reopen_failed
from tests.fakes import FakeAnnouncer, FakeIndex, FrozenClock, ScriptedEmbedder
from tests.indexed import answerer_of, page, put

ANN, BEN = Person(Platform.SLACK, "U1"), Person(Platform.SLACK, "U2")
THREAD = Where(Platform.SLACK, "C1", "T1")
PAY = Where(Platform.SLACK, "C-pay", "T2")
OPEN = Scope()
PAY_SCOPE = Scope(visibility=(EVERYONE, "pay"))
SETTINGS = Settings.model_validate(
    {
        "tenants": [{"name": "acme"}, {"name": "globex"}],
        "channels": [
            {"platform": "slack", "id": "C-pay", "scope": {"visibility": [EVERYONE, "pay"]}}
        ],
    }
)

SEARCH = page("search.md", "# Search index\n\n## Roll back\n\nPoint the alias at the old index.\n")
DISK = page("disk.md", "# Disk full\n\nDelete the old logs of the disk.\n")
DISK_BETTER = page("disk.md", "# Disk full\n\nDelete the old logs of the disk, then grow it.\n")
DISK_PAY = page("disk.md", "---\nvisibility: [pay]\n---\n# Disk full\n\nDelete the old logs.\n")
DISK_THEIRS = page("disk.md", "# Disk full\n\nDelete the old logs of the disk.\n", tenant="globex")
QUEUE = page("queue.md", "# Queue lag\n\nAdd a consumer to the queue.\n")


@dataclass
class Team:
    """People who ask, a library that grows, and what they are told."""

    nightlamp: Nightlamp
    index: FakeIndex
    embedder: Embedder
    journal: SqliteJournal
    clock: FrozenClock
    announcer: FakeAnnouncer = field(default_factory=FakeAnnouncer)
    settings: Settings = SETTINGS
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    @property
    def closing(self) -> Closing:
        return Closing(self.nightlamp, self.journal, self.clock, pause=self.sleep)

    async def reopen(self, touched: Collection[str] = ()) -> list[GapRecord]:
        return await reopen_failed(self.journal, self.clock, "acme", touched)

    @property
    def teller(self) -> Teller:
        return Teller(
            self.closing,
            self.nightlamp,
            self.journal,
            self.index,
            self.announcer,
            self.settings,
            link_of,
            self.clock,
            sleep=self.sleep,
        )

    async def ask(
        self,
        text: str,
        person: Person = ANN,
        where: Where = THREAD,
        scope: Scope = OPEN,
        tenant: str = "acme",
    ) -> Reply:
        """Ask, a minute after what was before, and have it answered by a message."""
        self.clock.advance(timedelta(minutes=1))
        asked = Question(text, tenant, person.user_id, self.clock.now(), where, scope)
        question = replace(asked, where=replace(where, platform=person.platform))
        exchange_id = await self.nightlamp.received(question)
        assert exchange_id is not None
        reply = await self.nightlamp.ask(exchange_id, question)
        message = MessageRef(person.platform, where.channel_id, f"m-{exchange_id}")
        await self.nightlamp.posted(exchange_id, message)
        return reply

    async def gap(self, name: str, *replies: Reply, tenant: str = "acme") -> None:
        """Name a gap of these questions."""
        ids = [reply.exchange_id for reply in replies]
        await self.journal.assign(tenant, {name: ids}, self.clock.now())

    async def build(self, *documents: Document) -> None:
        """Make these pages all that there are, an hour later."""
        self.clock.advance(timedelta(hours=1))
        await put(self.index, self.embedder, documents)

    async def record(self, name: str) -> GapRecord:
        record = await self.journal.gap_record(name)
        assert record is not None
        return record

    async def thumb(self, exchange_id: str, vote: Vote, person: Person = ANN) -> None:
        self.clock.advance(timedelta(minutes=1))
        message = MessageRef(person.platform, "C1", "pressed")
        thumb = Thumb(person, vote, True, self.clock.now(), message, exchange_id)
        await self.nightlamp.vote(thumb)

    @property
    def cards(self) -> list[Card]:
        return [card for _, card in self.announcer.said if isinstance(card, Card)]

    @property
    def places(self) -> list[str]:
        """Where something was said: a channel with its thread, or a person."""
        said = self.announcer.said
        threads = self.announcer.threads
        return [
            "/".join(part for part in (message.channel_id, threads.get(message, "")) if part)
            for message, _ in said
        ]


def link_of(section: Section) -> str:
    return f"https://runbooks.example/{section.path}#{section.anchor}"


@asynccontextmanager
async def team(documents: Sequence[Document] = (SEARCH,)) -> AsyncIterator[Team]:
    """Return a team whose library holds these pages."""
    embedder, clock = ScriptedEmbedder(), FrozenClock()
    index = FakeIndex(embedder.dimension)
    await put(index, embedder, documents)
    async with open_journal(None, now=clock.now) as journal:
        nightlamp = Nightlamp(answerer_of(index, embedder), index, journal, clock)
        yield Team(nightlamp, index, embedder, journal, clock)
