"""The verbs: everything that a channel calls. Knows no chat platform and no database."""

import uuid
from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.answering import Answered, Answerer, clean, searchable_text
from core.errors import JournalUnavailable, NotAllowed, NotFound
from core.exchanges import (
    Choice,
    Escalation,
    Exchange,
    LoggedGap,
    MessageRef,
    Person,
    Reason,
    Thread,
    Thumb,
)
from core.journal_port import Journal
from core.models import Platform, Question, Scope, Vote, Where
from core.narrowing import narrowed, unknown_name
from core.outcomes import Outcome, Refusal, Result, UnknownName
from core.points import Filter, IndexedDocument
from core.ports import Clock, SearchableIndex
from core.recording import failed, recorded, result_again

CATCH_UP = timedelta(minutes=15)
"""Questions older than this are not answered after a restart: whoever asked has moved on."""
RECONCILED = timedelta(days=1)
"""Answers older than this are not looked at again for votes that were missed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is to be shown for an exchange."""

    exchange_id: str
    question: Question
    outcome: Outcome


class Nightlamp:
    """Answers questions and remembers what people thought of the answers."""

    def __init__(
        self, answerer: Answerer, index: SearchableIndex, journal: Journal, clock: Clock
    ) -> None:
        self._answerer = answerer
        self._index = index
        self._journal = journal
        self._clock = clock

    # --- asking ---------------------------------------------------------------------------------

    async def received(self, question: Question) -> str | None:
        """Make the exchange durable before anything is searched; None if its event was seen before.

        Raises:
            JournalUnavailable: nothing was saved.
        """
        exchange_id = uuid.uuid4().hex[:12]
        return exchange_id if await self._journal.receive(exchange_id, clean(question)) else None

    async def ask(self, exchange_id: str, question: Question, *, limit: int = 10) -> Reply:
        """Search, decide, record.

        Raises:
            IndexUnavailable: the index cannot be reached; recorded as an error, never as a gap.
        """
        question = clean(question)
        try:
            answered = await self._answer(question, limit)
        except Exception:  # a fault of ours, too, is how the exchange ended
            await self._journal.record_outcome(exchange_id, failed())
            raise
        await self._journal.record_outcome(exchange_id, recorded(answered, self._answerer.model))
        with suppress(JournalUnavailable):  # an answer is worth more than what may follow it
            await self._remember_thread(exchange_id, question)
        return Reply(exchange_id, question, answered.outcome)

    async def posted(
        self, exchange_id: str, message: MessageRef, part: int = 0, *, more: bool = False
    ) -> None:
        """Tie a posted message to its exchange, so that thumbs find it; `more` parts may follow."""
        await self._journal.record_message(exchange_id, message, part, more=more)

    async def unanswered(self) -> list[Exchange]:
        """Return what was asked in the last 15 minutes and not wholly answered, oldest first.

        What has messages already was broken off between two parts: it is shown anew in their place.
        """
        waiting = await self._journal.unanswered(self._clock.now() - CATCH_UP)
        return [one for one in waiting if not one.told]

    async def look_up(self, question: Question, *, limit: int = 10) -> Answered:
        """Answer a question as it would be now, without recording that it was asked."""
        return await self._answer(clean(question), limit)

    async def similar(self, question: Question, *, limit: int = 5) -> Answered:
        """Find past incidents like this one: the same search, over postmortems alone."""
        return await self._answer(question, limit, past=True)

    async def runbooks(self, tenant: str, scope: Scope) -> list[IndexedDocument]:
        """Return the documents that this scope sees, by service, then title."""
        where = Filter(tenant, scope.visibility, scope.service, scope.type)
        found = await self._index.documents(where)
        return sorted(
            found.values(), key=lambda d: (d.metadata.service, d.metadata.title.casefold(), d.id)
        )

    # --- what people do with an answer ----------------------------------------------------------

    async def vote(self, thumb: Thumb) -> Exchange | None:
        """Record a thumb; None if it was on a message that carries no exchange."""
        return await self._journal.record_thumb(thumb)

    async def reconcile(
        self, message: MessageRef, standing: Set[tuple[Person, Vote]], read_at: datetime
    ) -> int:
        """Make the votes on a message those that stood there; returns how many were missed.

        `read_at` is before they were read: whoever voted or took it back since is right.
        """
        missed = standing ^ await self._journal.thumbs_on(message)
        for who, vote in missed:
            added = (who, vote) in standing
            await self._journal.record_thumb(Thumb(who, vote, added, read_at, message))
        return len(missed)

    async def open_messages(self, platform: Platform) -> list[MessageRef]:
        """Return the messages on which somebody may have voted lately, newest first."""
        return await self._journal.open_messages(platform, self._clock.now() - RECONCILED)

    async def reason(self, reason: Reason) -> None:
        """Record why somebody voted as they did.

        Raises:
            NotFound: there is no such exchange.
        """
        await self._exchange(reason.exchange_id)
        await self._journal.record_reason(reason)

    async def choose(self, exchange_id: str, person: Person, index: int, scope: Scope) -> Result:
        """Return another result of an exchange as the index has it now, and record the choice.

        Raises:
            NotFound: no such exchange or result, or the section has gone since.
            NotAllowed: the scope does not see it.
        """
        exchange = await self._exchange(exchange_id)
        result = await self._again(exchange, index, scope)
        section_id = result.best.section.id
        await self._journal.record_choice(
            Choice(exchange_id, person, index, section_id, self._clock.now())
        )
        return result

    async def share(
        self, exchange_id: str, person: Person, where: Where, scope: Scope
    ) -> Reply | None:
        """Answer a private question again for all to see; None if that was done in this channel.

        What is shared is an exchange of its own, found in the scope of the place: whatever can be
        picked from it may be seen there.

        Raises:
            NotAllowed: somebody else asked, or what was shown is not visible there.
            NotFound: there is no such exchange, or it showed nothing.
        """
        exchange = await self._exchange(exchange_id)
        self._only_asker(exchange, person)
        if exchange.recorded is None or not exchange.recorded.results:
            raise NotFound("There is nothing to share.")
        await self._again(exchange, 0, scope)
        question = replace(
            exchange.question,
            where=where,
            scope=scope,
            asked_at=self._clock.now(),
            event_id=f"share {exchange_id} {where.channel_id}",
        )
        shared_id = await self.received(question)
        return None if shared_id is None else await self.ask(shared_id, question)

    async def log_gap(self, exchange_id: str, person: Person) -> bool:
        """Log by hand that the runbooks lack this; False if this person had done so already."""
        await self._exchange(exchange_id)
        return await self._journal.record_gap(LoggedGap(exchange_id, person, self._clock.now()))

    async def escalate(self, exchange_id: str, person: Person) -> bool:
        """Ask a human; False if one was asked about this exchange already."""
        await self._exchange(exchange_id)
        return await self._journal.record_escalation(
            Escalation(exchange_id, person, self._clock.now())
        )

    async def resolve(self, exchange_id: str, person: Person, note: str) -> bool:
        """Record who resolved an escalation and how; False if there is none open."""
        return await self._journal.resolve_escalation(
            exchange_id, person, searchable_text(note), self._clock.now()
        )

    async def mute(self, where: Where, person: Person, *, muted: bool = True) -> None:
        """Silence the bot in a thread, or wake it."""
        await self._journal.set_muted(where, muted, person, self._clock.now())

    async def listens(self, where: Where, user_id: str) -> Thread | None:
        """Return the thread whose follow-up this is, or None where the bot should keep quiet.

        It is quiet where it was muted, where it knows no thread, and from then on when a second
        person has joined the talk.
        """
        if await self._journal.muted(where):
            return None
        thread = await self._journal.thread(where)
        if thread is None or (thread.where.private and not where.private):
            return None
        if user_id not in thread.participants:
            joined = replace(thread, participants=thread.participants | {user_id})
            await self._journal.record_thread(joined)
            return None
        return thread if thread.participants == {user_id} else None

    async def delete(
        self, exchange_id: str, person: Person, *, admin: bool = False
    ) -> tuple[MessageRef, ...]:
        """Mark an answer deleted; returns the messages to take down.

        Raises:
            NotAllowed: neither the asker nor an admin.
            NotFound: there is no such exchange.
        """
        exchange = await self._exchange(exchange_id)
        if not admin:
            self._only_asker(exchange, person)
        return await self._journal.record_deleted(exchange_id, self._clock.now())

    # --- inside ---------------------------------------------------------------------------------

    async def _answer(self, question: Question, limit: int, *, past: bool = False) -> Answered:
        narrow = await narrowed(question, self._index)
        if isinstance(narrow, UnknownName):
            return Answered(narrow)
        text, scope = narrow
        context = await self._context(question, scope)
        within = replace(scope, type=("postmortem",)) if past else scope
        found = await self._answerer.answer(
            text, tenant=question.tenant, scope=within, context=context, limit=limit
        )
        if not isinstance(found.outcome, Refusal) or found.outcome.nearest:
            return found
        unknown = await unknown_name(question, scope, self._index)
        return Answered(unknown) if unknown else found

    async def _context(self, question: Question, scope: Scope) -> str:
        """Return the breadcrumb of what a follow-up follows, if its asker may see that here."""
        if question.follows is None:
            return ""
        before = await self._journal.exchange(question.follows)
        if before is None or before.recorded is None or not before.recorded.results:
            return ""
        if before.question.tenant != question.tenant:
            return ""
        first = before.recorded.results[0]
        return first.breadcrumb if set(first.visibility) & set(scope.visibility) else ""

    async def _remember_thread(self, exchange_id: str, question: Question) -> None:
        if not question.where.thread_id:
            return
        known = await self._journal.thread(question.where)
        if known and question.where.private and not known.where.private:
            return  # what one asks in private is no part of the others' talk
        if known is None or (known.where.private and not question.where.private):
            asker = question.asked_by
            thread = Thread(question.where, asker, exchange_id, frozenset({asker}))
        else:
            thread = replace(
                known,
                exchange_id=exchange_id,
                participants=known.participants | {question.asked_by},
            )
        await self._journal.record_thread(thread)

    async def _again(self, exchange: Exchange, index: int, scope: Scope) -> Result:
        results = exchange.recorded.results if exchange.recorded else ()
        if not 0 <= index < len(results):
            raise NotFound("This answer has no such result.")
        kept = results[index]
        sections = await self._index.sections(kept.section_ids)
        found = [sections[id_] for id_ in kept.section_ids if id_ in sections]
        if not found:
            raise NotFound("This section is no longer in the runbooks.")
        if any(
            section.tenant != exchange.question.tenant
            or not set(section.metadata.visibility) & set(scope.visibility)
            for section in found
        ):
            raise NotAllowed("This section is not visible here.")
        return result_again(kept, found)

    async def _exchange(self, exchange_id: str) -> Exchange:
        exchange = await self._journal.exchange(exchange_id)
        if exchange is None:
            raise NotFound("This answer is not known any more.")
        return exchange

    @staticmethod
    def _only_asker(exchange: Exchange, person: Person) -> None:
        asker = Person(exchange.question.where.platform, exchange.question.asked_by)
        if person != asker:
            raise NotAllowed("Only the person who asked may do this.")
