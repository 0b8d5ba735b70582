"""Stand-ins for what the core needs from outside, each passing its port's contract tests."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.errors import JournalUnavailable, NotFound
from core.exchanges import (
    Choice,
    Escalation,
    Exchange,
    LoggedGap,
    MessageRef,
    Person,
    Reason,
    Recorded,
    Thread,
    Thumb,
)
from core.models import Platform, Question, Vote, Where
from core.written import Writing
from tests.fake_announcer import FakeAnnouncer as FakeAnnouncer
from tests.fake_embedder import OPERATIONS as OPERATIONS
from tests.fake_embedder import SCRIPTED_CALIBRATION as SCRIPTED_CALIBRATION
from tests.fake_embedder import FrozenClock as FrozenClock
from tests.fake_embedder import ScriptedEmbedder as ScriptedEmbedder
from tests.fake_gap_journal import GapMemory
from tests.fake_index import FakeBuild as FakeBuild
from tests.fake_index import FakeIndex as FakeIndex
from tests.fake_writings import FakeWritings


class FakeJournal(FakeWritings, GapMemory):
    """Journal and GapJournal in dictionaries; while `unavailable`, every verb raises."""

    def __init__(self) -> None:
        GapMemory.__init__(self)
        self.unavailable = False
        self.exchanges: dict[str, Exchange] = {}
        self.carried: dict[MessageRef, tuple[str, int]] = {}
        self.deleted: set[str | MessageRef] = set()
        self.incomplete: set[MessageRef] = set()
        self.thumbs: dict[tuple[Any, ...], tuple[str, Thumb]] = {}
        self.reasons: dict[tuple[str, Person], Reason] = {}
        self.choices: dict[Choice, None] = {}
        self.gaps: dict[tuple[str, Person], LoggedGap] = {}
        self.escalations: dict[str, Escalation] = {}
        self.mutes: dict[tuple[Platform, str, str], bool] = {}
        self.threads: dict[tuple[Platform, str, str], Thread] = {}
        self.writings: dict[str, Writing] = {}

    def _reach(self) -> None:
        if self.unavailable:
            raise JournalUnavailable("The journal is unavailable: this test says so.")

    def _known(self, exchange_id: str) -> Exchange:
        self._reach()
        if exchange_id not in self.exchanges:
            raise NotFound("The journal has no such exchange: ask the question again.")
        return self.exchanges[exchange_id]

    def _with_messages(self, exchange: Exchange) -> Exchange:
        parts = [
            (part, message)
            for message, (exchange_id, part) in self.carried.items()
            if exchange_id == exchange.id and message not in self.deleted
        ]
        messages = tuple(message for _, message in sorted(parts, key=lambda pair: pair[0]))
        return replace(exchange, messages=messages)

    async def receive(self, exchange_id: str, question: Question) -> bool:
        self._reach()
        event = (question.where.platform, question.event_id)
        known = {(e.question.where.platform, e.question.event_id) for e in self.exchanges.values()}
        if exchange_id in self.exchanges or (question.event_id and event in known):
            return False
        self.exchanges[exchange_id] = Exchange(
            exchange_id, replace(question, text=without_surrogates(question.text))
        )
        return True

    async def record_outcome(self, exchange_id: str, recorded: Recorded) -> None:
        self.exchanges[exchange_id] = replace(self._known(exchange_id), recorded=recorded)

    async def record_message(
        self, exchange_id: str, message: MessageRef, part: int, *, more: bool = False
    ) -> None:
        self._known(exchange_id)
        self.carried[message] = (exchange_id, part)
        self.incomplete = (self.incomplete - {message}) | ({message} if more else set())

    async def exchange(self, exchange_id: str) -> Exchange | None:
        self._reach()
        exchange = self.exchanges.get(exchange_id)
        return self._with_messages(exchange) if exchange else None

    async def exchange_of(self, message: MessageRef) -> Exchange | None:
        self._reach()
        carried = self.carried.get(message)
        return await self.exchange(carried[0]) if carried else None

    async def unanswered(self, since: datetime) -> list[Exchange]:
        self._reach()
        answered = {exchange_id for exchange_id, _ in self.carried.values()}
        waiting = [
            exchange
            for exchange in self.exchanges.values()
            if exchange.question.asked_at >= since
            and exchange.id not in self.deleted
            and (
                exchange.recorded is None
                or exchange.id not in answered
                or not self.incomplete.isdisjoint(self._with_messages(exchange).messages[-1:])
            )
        ]
        waiting.sort(key=lambda exchange: exchange.question.asked_at)
        return [self._with_messages(exchange) for exchange in waiting]

    async def recent(self, person: Person, limit: int) -> list[Exchange]:
        self._reach()
        asked = [
            exchange
            for exchange in reversed(self.exchanges.values())
            if Person(exchange.question.where.platform, exchange.question.asked_by) == person
        ]
        asked.sort(key=lambda exchange: exchange.question.asked_at, reverse=True)
        return [self._with_messages(exchange) for exchange in asked[:limit]]

    async def record_deleted(self, exchange_id: str, at: datetime) -> tuple[MessageRef, ...]:
        there = self._with_messages(self._known(exchange_id)).messages
        self.deleted |= {exchange_id, *there}
        return there

    async def record_thumb(self, thumb: Thumb) -> Exchange | None:
        self._reach()
        exchange = await self.exchange(thumb.exchange_id or "")
        exchange = exchange or await self.exchange_of(thumb.message)
        if exchange:
            event = (thumb.message, thumb.person, thumb.vote, thumb.added, thumb.at)
            self.thumbs.pop(event, None)
            self.thumbs[event] = (exchange.id, thumb)
        return exchange

    async def votes(self, exchange_id: str) -> dict[Person, Vote]:
        self._reach()
        events = [thumb for exchange, thumb in self.thumbs.values() if exchange == exchange_id]
        standing: dict[tuple[MessageRef, Person, Vote], Thumb] = {}
        for thumb in sorted(events, key=lambda event: event.at):
            held = (thumb.message, thumb.person, thumb.vote)
            standing.pop(held, None)
            if thumb.added:
                standing[held] = thumb
        return {person: vote for _, person, vote in standing}

    async def thumbs_on(self, message: MessageRef) -> set[tuple[Person, Vote]]:
        self._reach()
        standing: dict[tuple[Person, Vote], Thumb] = {}
        for _, thumb in sorted(self.thumbs.values(), key=lambda kept: kept[1].at):
            if thumb.message == message:
                standing[thumb.person, thumb.vote] = thumb
        return {held for held, thumb in standing.items() if thumb.added}

    async def open_messages(self, platform: Platform, since: datetime) -> list[MessageRef]:
        self._reach()
        asked = [
            exchange
            for exchange in self.exchanges.values()
            if exchange.question.asked_at >= since
            and not (exchange.question.where.private or exchange.told)
        ]
        asked.sort(key=lambda exchange: exchange.question.asked_at)
        found = [one for exchange in asked for one in self._with_messages(exchange).messages]
        return [one for one in reversed(found) if one.platform is platform]

    async def record_reason(self, reason: Reason) -> None:
        self._known(reason.exchange_id)
        key = (reason.exchange_id, reason.person)
        if key not in self.reasons or self.reasons[key].at <= reason.at:
            self.reasons[key] = replace(reason, text=without_surrogates(reason.text))

    async def record_choice(self, choice: Choice) -> None:
        self._known(choice.exchange_id)
        self.choices[choice] = None

    async def record_gap(self, gap: LoggedGap) -> bool:
        self._known(gap.exchange_id)
        key = (gap.exchange_id, gap.person)
        logged = key in self.gaps
        self.gaps.setdefault(key, gap)
        return not logged

    async def record_escalation(self, escalation: Escalation) -> bool:
        self._known(escalation.exchange_id)
        asked = escalation.exchange_id in self.escalations
        self.escalations.setdefault(escalation.exchange_id, escalation)
        return not asked

    async def resolve_escalation(
        self, exchange_id: str, person: Person, note: str, at: datetime
    ) -> bool:
        self._reach()
        escalation = self.escalations.get(exchange_id)
        if escalation is None or escalation.resolved_at:
            return False
        self.escalations[exchange_id] = replace(
            escalation, resolved_by=person, resolved_at=at, note=without_surrogates(note)
        )
        return True

    async def escalation(self, exchange_id: str) -> Escalation | None:
        self._reach()
        return self.escalations.get(exchange_id)

    async def set_muted(self, where: Where, muted: bool, person: Person, at: datetime) -> None:
        self._reach()
        self.mutes[where.platform, where.channel_id, where.thread_id] = muted

    async def muted(self, where: Where) -> bool:
        self._reach()
        channel = self.mutes.get((where.platform, where.channel_id, ""), False)
        return self.mutes.get((where.platform, where.channel_id, where.thread_id), channel)

    async def record_thread(self, thread: Thread) -> None:
        self._known(thread.exchange_id)
        where = thread.where
        self.threads[where.platform, where.channel_id, where.thread_id] = thread

    async def thread(self, where: Where) -> Thread | None:
        self._reach()
        return self.threads.get((where.platform, where.channel_id, where.thread_id))

    async def counts(self) -> Mapping[str, int]:
        self._reach()
        return {
            "exchanges": len(self.exchanges),
            "messages": len(self.carried),
            "thumbs": len(self.thumbs),
            "reasons": len(self.reasons),
            "choices": len(self.choices),
            "logged_gaps": len(self.gaps),
            "escalations": len(self.escalations),
            "mutes": len(self.mutes),
            "threads": len(self.threads),
            "writings": len(self.writings),
            **self.gap_counts(),
        }

    async def health(self) -> str:
        return "The journal is unavailable: this test says so." if self.unavailable else ""


def without_surrogates(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)
