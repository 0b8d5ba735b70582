"""A Nightlamp over an index in memory and a fake journal, and people who ask it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from core.exchanges import Exchange, MessageRef, Person, Thumb
from core.models import Document, Platform, Question, Scope, Vote, Where
from core.outcomes import Outcome, shown
from core.ports import Embedder
from core.service import Nightlamp, Reply
from tests.fakes import FakeIndex, FakeJournal, FrozenClock, ScriptedEmbedder
from tests.indexed import answerer_of, indexed, page

ANN, BEN = Person(Platform.SLACK, "U1"), Person(Platform.SLACK, "U2")
CHANNEL = Where(Platform.SLACK, "C1")
PRIVATE = replace(CHANNEL, private=True)
THREAD = replace(CHANNEL, thread_id="T1")
OPEN = Scope()
SECOPS = Scope(visibility=("everyone", "secops"))

CRASH = page(
    "pod-crash.md",
    "---\nservice: platform\nalerts: [KubePodCrashLooping]\n---\n# Pod crash\n\n"
    "## Meaning\n\nA pod restarts again and again.\n\n"
    "## Roll back\n\nUndo the last deploy of the pod.\n",
)
SEARCH = page("search.md", "# Search index\n\n## Roll back\n\nPoint the alias at the old index.\n")
DISK = page("disk.md", "---\nservice: storage\n---\n# Disk full\n\nDelete old logs.\n")
VAULT = page(
    "vault.md", "---\nservice: vault\nvisibility: [secops]\n---\n# Vault sealed\n\nUnseal it.\n"
)
INCIDENT = page("postmortems/2030.md", "# Disk full in March\n\nThe disk was full.\n")
THEIRS = page("disk.md", "# Full disk of theirs\n\nThe disk of another.\n", tenant="globex")
PAGES = (CRASH, SEARCH, DISK, VAULT, INCIDENT, THEIRS)


@dataclass(frozen=True)
class Desk:
    """What a test of the verbs looks at."""

    nightlamp: Nightlamp
    index: FakeIndex
    journal: FakeJournal
    clock: FrozenClock
    embedder: Embedder

    def question(
        self,
        text: str,
        *,
        where: Where = CHANNEL,
        scope: Scope = OPEN,
        tenant: str = "acme",
        person: Person = ANN,
        follows: str | None = None,
        event_id: str = "",
    ) -> Question:
        """Return a question that is asked now."""
        now = self.clock.now()
        return Question(text, tenant, person.user_id, now, where, scope, follows, event_id)

    async def ask(self, question: Question, *, limit: int = 10) -> Reply:
        """Receive a question and answer it."""
        exchange_id = await self.nightlamp.received(question)
        assert exchange_id is not None
        return await self.nightlamp.ask(exchange_id, question, limit=limit)

    async def answered(self, text: str, where: Where = CHANNEL) -> str:
        """Ask, post, and return the exchange's id; the message is named `m-` and that id."""
        reply = await self.ask(self.question(text, where=where))
        await self.nightlamp.posted(reply.exchange_id, message_of(reply.exchange_id))
        return reply.exchange_id

    async def kept(self, exchange_id: str) -> Exchange:
        """Return what the journal keeps of an exchange."""
        exchange = await self.journal.exchange(exchange_id)
        assert exchange is not None
        return exchange

    def thumb(self, exchange_id: str, vote: Vote = Vote.UP, *, added: bool = True) -> Thumb:
        """Return a thumb of Ann's on an exchange's message, a second after the one before."""
        self.clock.advance(timedelta(seconds=1))
        return Thumb(ANN, vote, added, self.clock.now(), message_of(exchange_id))


async def desk(embedder: Embedder | None = None, documents: Sequence[Document] = PAGES) -> Desk:
    """Return a desk with these documents on the index."""
    embedder = embedder or ScriptedEmbedder()
    index = await indexed(embedder, documents)
    journal, clock = FakeJournal(), FrozenClock()
    nightlamp = Nightlamp(answerer_of(index, embedder), index, journal, clock)
    return Desk(nightlamp, index, journal, clock, embedder)


def message_of(exchange_id: str) -> MessageRef:
    return MessageRef(Platform.SLACK, "C1", f"m-{exchange_id}")


def breadcrumbs(outcome: Outcome) -> list[str]:
    """Return all that an outcome shows, by its headings."""
    return [hit.section.breadcrumb for result in shown(outcome) for hit in result.hits]
