"""Saying on Discord what nobody just asked for: a digest in a channel, a word to somebody."""

import logging
from dataclasses import replace

import discord

from bots.card import Card
from bots.discord_bot.delivery import Payload, Way, deliver, in_channel, payloads
from bots.discord_bot.events import message_ref
from bots.discord_bot.posting import Posting
from core.exchanges import MessageRef, Person
from core.models import Platform
from core.ports import Attachment

log = logging.getLogger(__name__)


class DiscordAnnouncer:
    """An Announcer by a client that is logged in."""

    def __init__(self, client: discord.Client, posting: Posting) -> None:
        self._client = client
        self._posting = posting

    async def post(
        self,
        platform: Platform,
        channel_id: str,
        card: object,
        *,
        thread_id: str = "",
        mention: Person | None = None,
        attachment: Attachment | None = None,
    ) -> MessageRef | None:
        """Post a card to a channel or thread; None if Discord refuses it, and so nothing was sent.

        A thread that is gone or closed is spoken to in its channel.

        Raises:
            discord.DiscordServerError, OSError, aiohttp.ClientError: nobody knows whether it was.
        """
        for place in dict.fromkeys(filter(None, (thread_id, channel_id))):
            channel = self._posting.channel(int(place))
            if sent := await self._send(channel, card, attachment, mention):
                return sent
        return None

    async def tell(
        self, person: Person, card: object, *, attachment: Attachment | None = None
    ) -> MessageRef | None:
        """Send a direct message; None if the person takes none.

        Raises:
            discord.DiscordServerError, OSError, aiohttp.ClientError: nobody knows whether it came.
        """
        try:
            channel = await self._client.create_dm(discord.Object(int(person.user_id)))
        except (discord.Forbidden, discord.NotFound) as error:
            log.warning("a person cannot be told: %r", error)
            return None
        return await self._send(channel, card, attachment)

    async def _send(
        self,
        channel: discord.abc.Messageable,
        card: object,
        attachment: Attachment | None,
        mention: Person | None = None,
    ) -> MessageRef | None:
        assert isinstance(card, Card)  # noqa: S101 - the port knows no cards
        exchange_id = next((one.exchange_id for one in card.buttons if one.exchange_id), "")
        first, *rest = payloads(card, exchange_id)
        first = _addressed(first, attachment, mention)
        way = in_channel(channel)
        message = await _unless_refused(way, first)
        if message is None:
            return None
        sent, left = [message], [way]
        for payload in rest:
            got, left = await deliver(payload, left, exchange_id or card.title)
            if got is not None:
                sent.append(got)
        if exchange_id:
            for part, one in enumerate(sent):
                await self._posting.record(exchange_id, one, part)
            self._posting.start_thumbs(message_ref(sent[-1].channel.id, sent[-1].id))
        return message_ref(message.channel.id, message.id)


async def _unless_refused(way: Way, payload: Payload) -> discord.Message | None:
    """Send a message; None if Discord refused it for good."""
    try:
        return await way(payload)
    except discord.DiscordServerError:
        raise
    except discord.HTTPException as error:
        log.warning("an announcement was refused: %r", error)
        return None


def _addressed(payload: Payload, attachment: Attachment | None, mention: Person | None) -> Payload:
    """Return a message with its picture, calling the one person whom it concerns."""
    if attachment is not None:
        payload = payload.with_picture(attachment)
    if mention is None:
        return payload
    who = discord.Object(int(mention.user_id))
    return replace(
        payload,
        content=f"<@{who.id}>",
        mentions=discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[who]
        ),
    )
