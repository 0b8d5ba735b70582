"""Votes that were given or taken back while nobody listened."""

import logging

import discord

from bots.app import App
from bots.discord_bot.delivery import FAILURES
from bots.discord_bot.events import person, vote_of
from bots.discord_bot.posting import Posting
from core.exchanges import MessageRef, Person
from core.models import Platform, Vote

log = logging.getLogger(__name__)

_MOST = 50
"""Messages that are looked at: each costs up to a few calls."""


async def reconcile(app: App, posting: Posting) -> None:
    """Read the thumbs of recent answers from Discord, and keep what was missed."""
    missed = 0
    for ref in (await app.service.open_messages(Platform.DISCORD))[:_MOST]:
        read_at = app.clock.now()
        try:
            standing = await _standing(posting, ref)
        except FAILURES as error:
            log.info("message %s: its votes cannot be read: %r", ref.message_id, error)
            continue
        missed += await app.service.reconcile(ref, standing, read_at)
    if missed:
        log.info("%d thumbs were missed and are kept now", missed)


async def _standing(posting: Posting, ref: MessageRef) -> set[tuple[Person, Vote]]:
    channel = posting.channel(int(ref.channel_id))
    message = await channel.fetch_message(int(ref.message_id))
    found: set[tuple[Person, Vote]] = set()
    for reaction in message.reactions:
        if vote := _vote(reaction):
            found |= {(person(user), vote) async for user in reaction.users() if not user.bot}
    return found


def _vote(reaction: discord.Reaction) -> Vote | None:
    """Return what a reaction means, if anybody but the bot has put it up."""
    if isinstance(reaction.emoji, discord.Emoji) or reaction.count <= int(reaction.me):
        return None
    return vote_of(reaction.emoji)
