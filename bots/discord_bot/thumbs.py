"""Thumbs on Discord: kept, or whoever's was not is told so."""

import logging

import discord

from bots.app import App
from bots.discord_bot.delivery import FAILURES, in_channel, say
from bots.discord_bot.events import thumb_from
from bots.discord_bot.posting import Posting
from bots.notes import unsaved_thumb_card
from core.errors import JournalUnavailable

log = logging.getLogger(__name__)


class Thumbs:
    """Hands reactions to the journal. Discord sends each once: what is not saved is lost."""

    def __init__(self, client: discord.Client, app: App, posting: Posting) -> None:
        self._client = client
        self._app = app
        self._posting = posting
        self._told: set[int] = set()

    async def keep(self, event: discord.RawReactionActionEvent) -> None:
        """Keep that a thumb was put up or taken back; other reactions are left alone."""
        own_id = self._client.user.id if self._client.user else 0
        thumb = thumb_from(event, own_id=own_id, at=self._app.clock.now())
        if thumb is None:
            return
        try:
            await self._app.service.vote(thumb)
        except JournalUnavailable:
            log.exception("a thumb on message %d was not saved", event.message_id)
            await self._say_unsaved(event, own_id)
        else:
            self._told.clear()

    async def _say_unsaved(self, event: discord.RawReactionActionEvent, own_id: int) -> None:
        """Tell somebody directly, once until saving works again, if it is on one of our messages.

        The journal cannot say whose message it is while it fails: Discord is asked.
        """
        if event.user_id in self._told:
            return
        self._told.add(event.user_id)
        try:
            message = await self._posting.channel(event.channel_id).fetch_message(event.message_id)
            if message.author.id != own_id:
                return
            channel = await self._client.create_dm(discord.Object(event.user_id))
        except FAILURES as error:
            log.warning("nobody was told of an unsaved thumb: %r", error)
            return
        await say(unsaved_thumb_card(message.jump_url), [in_channel(channel)], "unsaved thumb")
