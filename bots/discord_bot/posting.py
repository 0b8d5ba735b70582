"""Putting an answer where people see it: posted, tied to its exchange, thumbs put under it."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import discord

from bots.app import App
from bots.card import ButtonKind, Card
from bots.discord_bot.delivery import FAILURES, GONE, Payload, Way, deliver, in_channel, payloads
from bots.discord_bot.events import THUMBS, message_ref
from bots.discord_bot.inflight import InFlight
from core.errors import JournalUnavailable
from core.exchanges import Exchange, MessageRef
from core.models import Where

log = logging.getLogger(__name__)

NOT_IN_DIRECT_MESSAGES = {ButtonKind.SHARE, ButtonKind.ASK_HUMAN}
"""There is nobody to share with, and no channel in which to call anybody."""


class Posting:
    """Sends answers and keeps the journal told of their messages."""

    def __init__(self, client: discord.Client, app: App, inflight: InFlight) -> None:
        self._client = client
        self._app = app
        self._inflight = inflight
        self.unrecorded: set[str] = set()

    async def post(
        self, exchange_id: str, card: Card, where: Where, ways: Sequence[Way]
    ) -> list[discord.Message]:
        """Send the answer of an exchange, part by part, and put up the thumbs at its end.

        What only one person sees takes no reactions. Every message is recorded as soon as it is
        sent, so that a restart does not answer again.
        """
        sent: list[discord.Message] = []
        left = list(ways)
        wanted = _payloads(exchange_id, card, where)
        for part, payload in enumerate(wanted):
            got, left = await deliver(payload, left, exchange_id)
            if got is None:
                break
            sent.append(got)
            await self.record(exchange_id, got, part, more=part + 1 < len(wanted))
        if sent and card.buttons and not where.private:
            self.start_thumbs(message_ref(sent[-1].channel.id, sent[-1].id))
        return sent

    def start_thumbs(self, message: MessageRef) -> None:
        """Put both thumbs under a message by and by."""
        self._inflight.start(self._put_thumbs(message), "thumbs")

    async def replace(self, exchange: Exchange, card: Card) -> None:
        """Show a card in the place of an exchange's messages: as many as it needs, no more."""
        new = self.payloads(card, exchange)
        refs = exchange.messages
        for part, payload in enumerate(new):
            if part < len(refs) and await self._changed(refs[part], payload):
                continue
            ways = [in_channel(self.channel(int(refs[0].channel_id)))]
            got, _ = await deliver(payload, ways, exchange.id)
            if got is not None:
                await self.record(exchange.id, got, part, more=part + 1 < len(new))
        for ref in refs[len(new) :]:
            await self.take_down(ref)

    @staticmethod
    def payloads(card: Card, exchange: Exchange) -> list[Payload]:
        """Return the messages of a card where an exchange was asked; one if it is private."""
        return _payloads(exchange.id, card, exchange.question.where)

    @staticmethod
    def shown(exchange_id: str, card: Card, where: Where) -> list[Payload]:
        """Return the messages of a card as `post` sends them."""
        return _payloads(exchange_id, card, where)

    async def take_down(self, ref: MessageRef) -> None:
        """Delete one of the bot's messages; one that has gone already is no failure."""
        channel = self.channel(int(ref.channel_id))
        try:
            await channel.get_partial_message(int(ref.message_id)).delete()
        except discord.HTTPException as error:
            if error.code not in GONE:
                log.warning("message %s was not deleted: %r", ref.message_id, error)

    async def record(
        self, exchange_id: str, message: discord.Message, part: int, *, more: bool = False
    ) -> None:
        """Tie a message to its exchange; a journal that cannot be written loses no answer."""
        try:
            ref = message_ref(message.channel.id, message.id)
            await self._app.service.posted(exchange_id, ref, part, more=more)
        except JournalUnavailable:
            log.exception("%s: message %d is not recorded", exchange_id, message.id)
            self.unrecorded.add(exchange_id)

    def channel(self, channel_id: int) -> discord.PartialMessageable:
        """Return a channel, thread or direct message by its id, whether it is cached or not."""
        return self._client.get_partial_messageable(channel_id)

    async def _changed(self, ref: MessageRef, payload: Payload) -> bool:
        message = self.channel(int(ref.channel_id)).get_partial_message(int(ref.message_id))
        try:
            await message.edit(**payload.changed())
        except FAILURES as error:
            log.warning("message %s was not edited: %r", ref.message_id, error)
            return False
        return True

    async def _put_thumbs(self, message: MessageRef) -> None:
        channel = self.channel(int(message.channel_id))
        partial = channel.get_partial_message(int(message.message_id))
        for emoji in THUMBS:
            try:
                await partial.add_reaction(emoji)
            except FAILURES as error:
                log.info("message %s takes no thumbs: %r", message.message_id, error)
                return


def _payloads(exchange_id: str, card: Card, where: Where) -> list[Payload]:
    """Return the messages of a card, without the buttons that mean nothing in a direct message."""
    if where.channel_id == where.thread_id:
        kept = tuple(one for one in card.buttons if one.kind not in NOT_IN_DIRECT_MESSAGES)
        card = replace(card, buttons=kept)
    return payloads(card, exchange_id, private=where.private)
