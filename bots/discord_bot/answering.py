"""A received question to its answer, wherever it was asked; also after a restart."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import discord

from bots.app import App
from bots.card import Card, Tone
from bots.cards import not_saved_card
from bots.desk import Desk
from bots.discord_bot.delivery import FAILURES, Way, in_channel, say, to_person
from bots.discord_bot.events import where_of
from bots.discord_bot.posting import Posting
from bots.discord_bot.writing import Writing
from bots.harmless import harmless
from bots.waiting import Waiting
from core.errors import JournalUnavailable
from core.exchanges import Exchange
from core.models import Platform, Question

log = logging.getLogger(__name__)

MESSAGE, INTERACTION = "message", "interaction"
"""What begins the id of an event: by it the message that asked is found again."""
_THREAD_NAME = 90
_ARCHIVED_AFTER: Literal[1440] = 1440


class Answering:
    """Has questions written down and answered, and posts the answers."""

    def __init__(
        self, client: discord.Client, app: App, desk: Desk, posting: Posting, writing: Writing
    ) -> None:
        self._client = client
        self._writing = writing
        self._app = app
        self._desk = desk
        self._posting = posting
        self.waiting = Waiting(app.service, Platform.DISCORD, app.clock)

    async def received(self, question: Question, ways: Sequence[Way]) -> str | None:
        """Write the question down; None if that was done before, or could not be done, said so."""
        try:
            exchange_id = await self._app.service.received(question)
        except JournalUnavailable:
            log.exception("%s: not saved", question.event_id)
            await say(not_saved_card(question.event_id), ways, question.event_id)
            return None
        if exchange_id is not None:
            self.waiting.taken(exchange_id)
        return exchange_id

    async def answer(self, exchange_id: str, question: Question, ways: Sequence[Way]) -> None:
        """Answer a received question by the first way that works."""
        with self.waiting.trying(exchange_id):
            worded = await self._desk.answer(exchange_id, question)
            sent = await self._posting.post(exchange_id, worded.card, question.where, ways)
            if not sent and question.where.private:
                await self._say_that_private_failed(exchange_id, question)
            if sent:
                self._writing.start(worded, question.where, sent, ways)
        self._settle(exchange_id)

    def _settle(self, exchange_id: str) -> None:
        """Leave an answer that stands as it is, though that could not be written down."""
        if exchange_id in self._posting.unrecorded:
            self.waiting.settled(exchange_id)

    async def _say_that_private_failed(self, exchange_id: str, question: Question) -> None:
        """Say in the channel, without a word of it, that an answer could not be delivered."""
        card = Card(
            Tone.ERROR,
            "I cannot write to you",
            lead="Allow direct messages from members of this server, or ask with /query.",
            footer=f"reference {exchange_id}",
        )
        channel = self._posting.channel(int(question.where.thread_id or question.where.channel_id))
        if await say(card, [in_channel(channel, _asked_in(question))], exchange_id):
            self.waiting.settled(exchange_id)

    async def in_thread(
        self,
        channel: discord.TextChannel,
        message_id: int,
        question: Question,
        ways: Sequence[Way],
    ) -> tuple[Question, list[Way]]:
        """Open a thread at a message and answer there; where that cannot be, as before."""
        try:
            thread = await channel.create_thread(
                name=title(question.text, _THREAD_NAME) or "Runbooks",
                message=discord.Object(message_id),
                auto_archive_duration=_ARCHIVED_AFTER,
            )
        except FAILURES as error:
            log.warning("%s: no thread: %r", question.event_id, error)
            return question, list(ways)
        return replace(question, where=where_of(thread)), [in_channel(thread), *ways]

    # --- after a restart --------------------------------------------------------------------------

    async def catch_up(self) -> None:
        """Answer what was asked here in the last minutes and never answered."""
        await self.waiting.look(self.again)

    async def _complete(self, exchange: Exchange) -> None:
        """Show an answer that broke off between two parts whole, in the place of what stands."""
        with self.waiting.trying(exchange.id):
            worded = await self._desk.answer(exchange.id, exchange.question)
            await self._posting.replace(exchange, worded.card)
            whole = await self._app.journal.exchange(exchange.id)
        self._settle(exchange.id)
        if whole is not None and worded.card.buttons:
            self._posting.start_thumbs(whole.messages[-1])

    async def again(self, exchange: Exchange) -> None:
        """Answer an exchange in its place, as far as that can be reached."""
        question = exchange.question
        if exchange.messages and not question.where.private:
            await self._complete(exchange)
            return
        user = self._client.get_user(int(question.asked_by))
        ways: list[Way] = []
        if not question.where.private:
            channel_id = int(question.where.thread_id or question.where.channel_id)
            ways.append(in_channel(self._posting.channel(channel_id), _asked_in(question)))
        try:
            ways.append(to_person(user or await self._client.fetch_user(int(question.asked_by))))
        except FAILURES as error:
            log.warning("%s: who asked cannot be found: %r", exchange.id, error)
        await self.answer(exchange.id, question, ways)


def _asked_in(question: Question) -> discord.MessageReference | None:
    """Return the message in which something was asked, if it was one."""
    kind, _, id_ = question.event_id.partition(" ")
    if kind != MESSAGE:
        return None
    channel_id = int(question.where.thread_id or question.where.channel_id)
    return discord.MessageReference(
        message_id=int(id_), channel_id=channel_id, fail_if_not_exists=False
    )


def title(text: str, longest: int) -> str:
    """Return the beginning of a text on one line."""
    return harmless(" ".join(text.split()))[:longest]
