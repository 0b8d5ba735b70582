"""A received question to the answer that stands on Slack."""

import logging
from dataclasses import dataclass, replace

from bots.app import App
from bots.card import Button, ButtonKind, Card, Tone
from bots.cards import error_card
from bots.desk import Desk
from bots.slack_bot.events import person
from bots.slack_bot.posting import Posting, Reader
from bots.slack_bot.render import messages
from bots.slack_bot.tasks import Tasks
from bots.slack_bot.web import UNREACHABLE
from core.errors import NightlampError
from core.exchanges import MessageRef, Thread
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

    def __init__(self, app: App, posting: Posting, tasks: Tasks) -> None:
        self._app = app
        self._desk = Desk(app)
        self._posting = posting
        self._tasks = tasks

    def start(self, asked: Asked) -> None:
        """Answer by and by; a fault of ours is said too, with the exchange as the reference."""
        task = self._tasks.start(self.answer(asked))

        def said(_: object) -> None:
            if not task.cancelled() and task.exception():
                self._tasks.start(self._failed(asked))

        task.add_done_callback(said)

    async def catch_up(self) -> None:
        """Answer what was asked before a restart and never answered."""
        for exchange in await self._app.service.unanswered():
            if exchange.question.where.platform is Platform.SLACK:
                self.start(Asked(exchange.id, exchange.question, typed=True))

    async def answer(self, asked: Asked) -> None:
        """Search, and show what was found."""
        card = await self._desk.answer(asked.exchange_id, asked.question)
        await self.show(asked, card)

    async def show(self, asked: Asked, card: Card) -> None:
        """Show a card in its question's place: to all, or to the asker alone."""
        where = asked.question.where
        if where.private and not is_direct(where.channel_id):
            await self._privately(asked, card)
            return
        if is_direct(where.channel_id):
            card = without_sharing(card)
        shown = messages(
            card,
            exchange_id=asked.exchange_id,
            asked=asked.question.text if asked.typed else "",
        )
        try:
            posted = await self._posting.post(where.channel_id, where.thread_id, shown)
        except UNREACHABLE as error:
            private = replace(asked.question, where=replace(where, private=True))
            told = self._posting.unpostable(
                buttons_for_one(card, asked.exchange_id), where.channel_id, error
            )
            await self._privately(replace(asked, question=private), told)
            return
        await self._remember(asked, posted)
        if card.tone in _SEEDED:
            await self._posting.seed(posted[0])

    async def _remember(self, asked: Asked, posted: list[MessageRef]) -> None:
        for part, message in enumerate(posted):
            await self._app.service.posted(asked.exchange_id, message, part)
        question, first = asked.question, posted[0]
        if not question.where.thread_id:
            where = replace(question.where, channel_id=first.channel_id, thread_id=first.message_id)
            talk = frozenset({question.asked_by})
            thread = Thread(where, question.asked_by, asked.exchange_id, talk)
            await self._app.journal.record_thread(thread)

    async def _privately(self, asked: Asked, card: Card) -> None:
        where = asked.question.where
        reader = Reader(
            asked.question.asked_by, where.channel_id, where.thread_id, asked.response_url
        )
        message_id = await self._posting.tell(reader, card, exchange_id=asked.exchange_id)
        if message_id:
            message = MessageRef(Platform.SLACK, where.channel_id, message_id)
            await self._app.service.posted(asked.exchange_id, message)

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
