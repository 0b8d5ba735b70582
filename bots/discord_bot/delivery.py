"""Getting a card to people: one way after the other until one works.

A reply to a command has 15 minutes, a channel may be closed to the bot, a thread archived, a person
may take no direct messages: what cannot go one way goes the next.
"""

import io
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import discord

from bots.card import Card
from bots.discord_bot.controls import view_of
from bots.discord_bot.render import Post, posts
from core.ports import Attachment

log = logging.getLogger(__name__)

NOBODY = discord.AllowedMentions.none()
FAILURES = (discord.HTTPException, aiohttp.ClientError, OSError)
"""What a call to Discord may raise: refused (401, 403, 404, 429 …), not reached, or hung up on."""
_ALT = 1024
"""Characters that Discord takes as a picture's description."""
GONE = {10003, 10008}
"""Discord's codes for a channel and a message that do not exist any more."""


@dataclass(frozen=True, slots=True)
class Payload:
    """One message to send, with the exchange that its menu carries, and a picture if it has one."""

    post: Post
    exchange_id: str = ""
    content: str | None = None
    mentions: discord.AllowedMentions = NOBODY
    picture: Attachment | None = None

    def new(self) -> dict[str, Any]:
        """Return the arguments of a call that sends it."""
        given: dict[str, Any] = {
            "embeds": list(self.post.embeds),
            "allowed_mentions": self.mentions,
        }
        if self.content is not None:
            given["content"] = self.content
        if view := view_of(self.post, self.exchange_id):
            given["view"] = view
        if self.picture:
            given["file"] = discord.File(
                io.BytesIO(self.picture.data),
                filename=self.picture.name,
                description=self.picture.alt[:_ALT],
            )
        return given

    def with_picture(self, picture: Attachment) -> "Payload":
        """Return the message with a picture below the text of its last embed."""
        *before, last = self.post.embeds
        shown = last.copy().set_image(url=f"attachment://{picture.name}")
        return replace(self, post=replace(self.post, embeds=(*before, shown)), picture=picture)

    def changed(self) -> dict[str, Any]:
        """Return the arguments of a call that puts it in the place of another message."""
        return {
            "content": self.content,
            "embeds": list(self.post.embeds),
            "view": view_of(self.post, self.exchange_id),
            "allowed_mentions": self.mentions,
        }


Way = Callable[[Payload], Awaitable[discord.Message]]


def payloads(card: Card, exchange_id: str = "", *, private: bool = False) -> list[Payload]:
    """Return the messages of a card."""
    return [Payload(post, exchange_id) for post in posts(card, private=private)]


async def deliver(
    payload: Payload, ways: Sequence[Way], reference: str
) -> tuple[discord.Message | None, list[Way]]:
    """Send a message by the first way that works; returns it, and the ways that are left to use.

    What no way takes is logged with its reference.
    """
    for at, way in enumerate(ways):
        try:
            return await way(payload), list(ways[at:])
        except FAILURES as error:
            log.warning("%s: not delivered this way: %r", reference, error)
    log.error("%s: a message could not be delivered", reference)
    return None, []


async def say(card: Card, ways: Sequence[Way], reference: str, *, private: bool = False) -> bool:
    """Send a card that answers no question; returns whether all of it was delivered."""
    left = list(ways)
    for payload in payloads(card, private=private):
        sent, left = await deliver(payload, left, reference)
        if sent is None:
            return False
    return True


# --- ways -----------------------------------------------------------------------------------------


def by_reply(interaction: discord.Interaction[Any], *, private: bool = False) -> Way:
    """Return the way of a deferred interaction: its own message first, then further ones."""
    first = True

    async def send(payload: Payload) -> discord.Message:
        nonlocal first
        if first:
            sent: discord.Message = await interaction.edit_original_response(**payload.changed())
            first = False
            return sent
        further: discord.Message = await interaction.followup.send(
            wait=True, ephemeral=private, **payload.new()
        )
        return further

    return send


def in_channel(
    channel: discord.abc.Messageable, reply_to: discord.MessageReference | None = None
) -> Way:
    """Return the way into a channel, the first message as a reply if there is one to reply to."""
    reference = reply_to

    async def send(payload: Payload) -> discord.Message:
        nonlocal reference
        given = payload.new()
        if reference is not None:
            given["reference"] = reference
            given["mention_author"] = False
        sent = await channel.send(**given)
        reference = None
        return sent

    return send


def to_person(user: discord.User | discord.Member) -> Way:
    """Return the way of a direct message."""

    async def send(payload: Payload) -> discord.Message:
        return await user.send(**payload.new())

    return send
