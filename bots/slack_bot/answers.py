"""A received question to the answer that stands on Slack."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from bots.app import App
from bots.card import Button, ButtonKind, Card, Part, Tone
from bots.cards import error_card
from bots.desk import Desk, Worded
from bots.slack_bot.events import person
from bots.slack_bot.posting import Posting, Reader
from bots.slack_bot.render import Message, messages, only_adds
from bots.slack_bot.tasks import Tasks
from bots.slack_bot.web import UNREACHABLE, code_of
from bots.waiting import LOOK, Waiting
from bots.written_cards import with_written, written_card
from core.errors import JournalUnavailable, NightlampError
from core.exchanges import Exchange, MessageRef, Thread
from core.models import Platform, Question

log = logging.getLogger(__name__)
_SEEDED = {Tone.ANSWER, Tone.WEAK}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question whose exchange is written down, and how to answer it.

    `typed` says that nobody else saw the question being typed, so that the answer repeats it.
    """

    exchange_id: str
    question: Question
    response_url: str = ""
    typed: bool = False


class Answers:
    """Answers what was received, each once, in its place."""

    def __init__(self, app: App, posting: Posting, tasks: Tasks, *, every: float = LOOK) -> None:
        self._app = app
        self._desk = Desk(app)
        self._posting = posting
        self._tasks = tasks
        self._waiting = Waiting(app.service, Platform.SLACK, app.clock, every=every)

    def start(self, asked: Asked) -> None:
        """Answer by and by; a fault of ours is said too, with the exchange as the reference."""
        self._start(asked, lambda: self.answer(asked))

    async def catch_up(self) -> None:
        """Answer what was asked before a restart and never answered."""
        for exchange in await self._waiting.left():
            await self._again(exchange)

    def keep_answering(self) -> AbstractAsyncContextManager[None]:
        """Return a block in which what failed on the way to Slack is tried again."""
        return self._waiting.looked_at(self._again)

    async def _again(self, exchange: Exchange) -> None:
        asked = Asked(exchange.id, exchange.question, typed=True)
        if exchange.messages and not exchange.question.where.private:
            self._start(asked, lambda: self._complete(asked, exchange.messages))
        else:
            self.start(asked)

    def _start(self, asked: Asked, answering: Callable[[], Awaitable[None]]) -> None:
        self._waiting.taken(asked.exchange_id)
        task = self._tasks.start(self._tried(asked, answering))

        def said(_: object) -> None:
            if not task.cancelled() and task.exception():
                log.error("%s: its answer could not be shown", asked.exchange_id)
                self._tasks.start(self._failed(asked))

        task.add_done_callback(said)

    async def _tried(self, asked: Asked, answering: Callable[[], Awaitable[None]]) -> None:
        with self._waiting.trying(asked.exchange_id):
            await answering()

    async def _complete(self, asked: Asked, there: Sequence[MessageRef]) -> None:
        """Show an answer that broke off between two parts whole, in the place of what stands."""
        worded = await self._desk.answer(asked.exchange_id, asked.question)
        first, *further = there
        await self._posting.take_down(further)
        shown = self._messages(asked, worded.card)
        more = await self._posting.change(first, shown, asked.question.where.thread_id)
        for part, message in enumerate([first, *more]):
            await self._record(asked.exchange_id, message, part)
        await self._remember_thread(asked, first)
        if worded.card.tone in _SEEDED:
            await self._posting.seed(first)

    async def answer(self, asked: Asked) -> None:
        """Search, and show what was found."""
        worded = await self._desk.answer(asked.exchange_id, asked.question)
        posted = await self.show(asked, worded.card)
        if self._app.scribe is not None and worded.reply is not None:
            self._tasks.start(self._write(asked, worded, posted))

    async def show(self, asked: Asked, card: Card) -> list[MessageRef]:
        """Show a card in its question's place: to all, or to the asker alone.

        Returns the messages that all can see.
        """
        where = asked.question.where
        if where.private and not is_direct(where.channel_id):
            await self._privately(asked, card)
            return []
        shown = self._messages(asked, card)

        async def sent(message: MessageRef, part: int) -> None:
            await self._record(asked.exchange_id, message, part, more=part + 1 < len(shown))

        try:
            posted = await self._posting.post(where.channel_id, where.thread_id, shown, sent)
        except UNREACHABLE as error:
            private = replace(asked.question, where=replace(where, private=True))
            told = self._posting.unpostable(
                buttons_for_one(card, asked.exchange_id), where.channel_id, error
            )
            await self._privately(replace(asked, question=private), told)
            return []
        await self._remember_thread(asked, posted[0])
        if card.tone in _SEEDED:
            await self._posting.seed(posted[0])
        return posted

    def _messages(self, asked: Asked, card: Card) -> list[Message]:
        if is_direct(asked.question.where.channel_id):
            card = without_sharing(card)
        return messages(
            card,
            exchange_id=asked.exchange_id,
            asked=asked.question.text if asked.typed else "",
        )

    async def _write(self, asked: Asked, worded: Worded, posted: list[MessageRef]) -> None:
        """Add what a language model wrote: in one edit, or below where it has no room."""
        part = await self._desk.written(worded)
        if part is None:
            return
        if not posted:
            await self._tell(asked, written_card(part))
            return
        async with self._app.turns.of(asked.exchange_id):
            try:
                if await self._desk.may_add_to(asked.exchange_id, posted):
                    await self._add(asked, worded.card, part, posted)
            except (NightlampError, *UNREACHABLE) as error:
                code = code_of(error) or error
                log.warning("%s: what was written is not shown: %s", asked.exchange_id, code)

    async def _add(self, asked: Asked, card: Card, part: Part, posted: list[MessageRef]) -> None:
        thread = asked.question.where.thread_id or posted[0].message_id
        longer = with_written(card, part)
        if only_adds(card, longer):
            await self._posting.change(posted[-1], self._messages(asked, longer)[-1:], thread)
            return
        further = messages(written_card(part, asked.exchange_id))
        if len(further) > 1:
            log.info("%s: what was written is too long to be shown", asked.exchange_id)
            return
        more = await self._posting.post(posted[0].channel_id, thread, further)
        await self._record(asked.exchange_id, more[0], len(posted))

    async def _record(
        self, exchange_id: str, message: MessageRef, part: int, *, more: bool = False
    ) -> None:
        """Tie a message to its exchange; a journal that cannot be written loses no answer."""
        try:
            await self._app.service.posted(exchange_id, message, part, more=more)
        except JournalUnavailable:
            log.exception("%s: message %s is not recorded", exchange_id, message.message_id)
            self._waiting.settled(exchange_id)

    async def _remember_thread(self, asked: Asked, first: MessageRef) -> None:
        question = asked.question
        if not question.where.thread_id:
            where = replace(question.where, channel_id=first.channel_id, thread_id=first.message_id)
            talk = frozenset({question.asked_by})
            thread = Thread(where, question.asked_by, asked.exchange_id, talk)
            await self._app.journal.record_thread(thread)

    async def _privately(self, asked: Asked, card: Card) -> None:
        message_id = await self._tell(asked, card)
        if message_id:
            message = MessageRef(Platform.SLACK, asked.question.where.channel_id, message_id)
            await self._record(asked.exchange_id, message, 0)

    async def _tell(self, asked: Asked, card: Card) -> str:
        where = asked.question.where
        reader = Reader(
            asked.question.asked_by, where.channel_id, where.thread_id, asked.response_url
        )
        return await self._posting.tell(reader, card, exchange_id=asked.exchange_id)

    async def _failed(self, asked: Asked) -> None:
        exchange = await self._app.journal.exchange(asked.exchange_id)
        if exchange and exchange.messages:
            return  # it stands there: what failed came after
        await self.show(asked, error_card(NightlampError(""), asked.exchange_id))

    async def forget(self, asked: Asked) -> None:
        """Take back an exchange whose asker was told that it was not saved."""
        await self._app.service.delete(asked.exchange_id, person(asked.question.asked_by))


def is_direct(channel: str) -> bool:
    """Return whether a channel is a direct message."""
    return channel.startswith("D")


def without_sharing(card: Card) -> Card:
    """Return a card for a direct message, from which there is no channel to share with."""
    kept = tuple(one for one in card.buttons if one.kind is not ButtonKind.SHARE)
    return replace(card, buttons=kept)


def buttons_for_one(card: Card, exchange_id: str) -> Card:
    """Return a card for one person: two buttons stand in for the thumbs that cannot be put up."""
    if card.tone not in _SEEDED:
        return replace(card, buttons=without(card, ButtonKind.DELETE))
    thumbs = (
        Button(ButtonKind.UP, "👍", exchange_id),
        Button(ButtonKind.DOWN, "👎", exchange_id),
    )
    return replace(card, buttons=(*thumbs, *without(card, ButtonKind.DELETE)))


def without(card: Card, kind: ButtonKind) -> tuple[Button, ...]:
    """Return a card's buttons but for one kind."""
    return tuple(one for one in card.buttons if one.kind is not kind)
