"""What Discord hands over, as the core's own values. Pure."""

import re
from collections.abc import Iterator
from datetime import datetime

import discord

from core.exchanges import MessageRef, Person, Thumb
from core.models import Platform, Vote, Where

_VOTES = {"\N{THUMBS UP SIGN}": Vote.UP, "\N{THUMBS DOWN SIGN}": Vote.DOWN}
_DRESS = re.compile("[\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}\U0001f3fb-\U0001f3ff]")
THUMBS = tuple(_VOTES)
"""The emoji that are put under an answer, in order."""


def vote_of(emoji: discord.PartialEmoji | str) -> Vote | None:
    """Return the vote that an emoji means, in any skin; None for custom ones and all others."""
    if isinstance(emoji, discord.PartialEmoji):
        if emoji.id is not None:
            return None
        emoji = emoji.name
    return _VOTES.get(_DRESS.sub("", emoji))


def thumb_from(event: discord.RawReactionActionEvent, *, own_id: int, at: datetime) -> Thumb | None:
    """Read a reaction that was put up or taken back; None if it is no thumb, or a bot's."""
    vote = vote_of(event.emoji)
    by_bot = event.member is not None and event.member.bot
    if vote is None or event.user_id == own_id or by_bot:
        return None
    return Thumb(
        Person(Platform.DISCORD, str(event.user_id)),
        vote,
        added=event.event_type == "REACTION_ADD",
        at=at,
        message=message_ref(event.channel_id, event.message_id),
    )


def message_ref(channel_id: int, message_id: int) -> MessageRef:
    """Return the name of a message; for one in a thread the channel is the thread."""
    return MessageRef(Platform.DISCORD, str(channel_id), str(message_id))


def person(user: discord.abc.User) -> Person:
    """Return somebody by their id."""
    return Person(Platform.DISCORD, str(user.id))


def where_of(channel: object, *, private: bool = False) -> Where:
    """Return a channel, thread or direct message as a place.

    A thread is in its parent; a direct message is a private talk of its own, so a thread too.
    """
    if isinstance(channel, discord.Thread):
        return Where(Platform.DISCORD, str(channel.parent_id), str(channel.id), private)
    id_ = str(getattr(channel, "id", ""))
    if isinstance(channel, discord.DMChannel):
        return Where(Platform.DISCORD, id_, id_, private=True)
    return Where(Platform.DISCORD, id_, "", private)


def asked_text(content: str, *mentions: str) -> str:
    """Return what was asked in a message: its text without the mentions of the bot."""
    for mention in mentions:
        content = content.replace(mention, " ")
    return content.strip()


def mentions_of(own_id: int, role: discord.Role | None) -> tuple[str, ...]:
    """Return how the bot is mentioned in text: by its name, its nickname, or its own role."""
    return (f"<@{own_id}>", f"<@!{own_id}>", *((role.mention,) if role else ()))


def whole_text(message: discord.Message) -> str:
    """Return all text of a message: alerts often have theirs in embeds alone."""
    texts = [message.content]
    for embed in message.embeds:
        texts += _embed_texts(embed)
    return "\n".join(filter(None, texts))


def _embed_texts(embed: discord.Embed) -> Iterator[str]:
    yield embed.title or ""
    yield embed.description or ""
    for field in embed.fields:
        yield f"{field.name or ''} {field.value or ''}".strip()
