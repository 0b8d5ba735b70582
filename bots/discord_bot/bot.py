"""The Discord client: what comes in goes to who handles it; nothing else happens here."""

import logging
from contextlib import AbstractAsyncContextManager
from typing import Any

import discord
from discord import app_commands

from bots.app import App
from bots.cards import error_card
from bots.connection import Connection
from bots.desk import Desk
from bots.discord_bot.announcing import DiscordAnnouncer
from bots.discord_bot.answering import Answering
from bots.discord_bot.asking import Asking
from bots.discord_bot.contact import Contact
from bots.discord_bot.delivery import FAILURES, NOBODY, payloads
from bots.discord_bot.gapping import Gapping
from bots.discord_bot.guilds import Guilds
from bots.discord_bot.inflight import InFlight
from bots.discord_bot.listening import Listening
from bots.discord_bot.looking import Looking
from bots.discord_bot.posting import Posting
from bots.discord_bot.pressing import Pressing
from bots.discord_bot.reconciling import reconcile
from bots.discord_bot.reindexing import Reindexing
from bots.discord_bot.thumbs import Thumbs
from bots.discord_bot.tree import add_commands, sync_if_changed
from bots.discord_bot.writing import Writing
from bots.limits import Limits
from bots.places import Places
from core.errors import NightlampError
from core.exchanges import Exchange
from core.models import Platform

log = logging.getLogger(__name__)

COMMANDS_FILE = "discord-commands.sha256"
"""In the data folder: the hash of the commands that Discord was told."""
_AT_THE_END = 20.0
"""Seconds that what is going on may take when the bot is told to stop."""
_OURS = (discord.InteractionType.component, discord.InteractionType.modal_submit)


class NightlampBot(discord.Client):
    """Nightlamp on Discord. It keeps no messages: old ones count as much as new ones."""

    def __init__(
        self,
        app: App,
        *,
        content: bool = True,
        connection: Connection | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            intents=wanted_intents(content=content),
            allowed_mentions=NOBODY,
            max_messages=None,
            **options,
        )
        limits = Limits(
            app.clock,
            per_person=app.settings.limits.per_person,
            per_channel=app.settings.limits.per_channel,
        )
        self._app = app
        self._inflight = InFlight()
        self._caught_up = False
        self.contact = Contact(connection=connection)
        desk, guilds = Desk(app), Guilds(self, Places(app.settings, Platform.DISCORD))
        self._posting = posting = Posting(self, app, self._inflight)
        self.announcer = DiscordAnnouncer(self, posting)
        self._thumbs = Thumbs(self, app, posting)
        writing = Writing(app, desk, posting, self._inflight)
        self._answering = Answering(self, app, desk, posting, writing)
        asking = Asking(app, guilds, posting, limits, self._answering)
        self._listening = Listening(self, app, guilds, limits, self._answering)
        gapping = Gapping(app, guilds, posting)
        self._pressing = Pressing(app, desk, guilds, posting, self._listening, gapping)
        self.tree = CountedTree(self, self._inflight)
        add_commands(
            self.tree,
            asking,
            Looking(app, desk, guilds, asking),
            Reindexing(app, desk, guilds),
            gapping,
        )

    async def setup_hook(self) -> None:
        """Tell Discord the commands if they changed."""
        folder = self._app.library.folder.root
        await sync_if_changed(self.tree, folder / COMMANDS_FILE, self.application_id or 0)

    async def on_connect(self) -> None:
        """Take in that there is a connection."""
        self.contact.made()

    async def on_resumed(self) -> None:
        """Take in that there is one again."""
        self.contact.made()

    async def on_disconnect(self) -> None:
        """Take in that there is none; the library tries again by itself."""
        self.contact.broke()

    async def on_ready(self) -> None:
        """Answer what a stop left unanswered, once; after every lost session look for votes."""
        log.info("Discord: connected, in %d servers", len(self.guilds))
        if not self._caught_up:
            self._caught_up = True
            with self._inflight.one():
                await self._answering.catch_up()
        with self._inflight.one():
            await reconcile(self._app, self._posting)

    async def close(self) -> None:
        """Let what is going on end first, then leave."""
        if not self.is_closed():
            await self._inflight.ended(_AT_THE_END)
        await super().close()

    def keep_answering(self) -> AbstractAsyncContextManager[None]:
        """Return a block in which what failed on the way to Discord is tried again."""
        return self._answering.waiting.looked_at(self._answer_again)

    async def _answer_again(self, exchange: Exchange) -> None:
        if self.is_ready():
            self._inflight.start(self._answering.again(exchange), exchange.id)

    # --- what comes in --------------------------------------------------------------------------

    async def on_message(self, message: discord.Message) -> None:
        """Answer a message that is for the bot."""
        with self._inflight.one():
            await self._listening.by_message(message)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Do what a button, menu or form says; commands are the tree's."""
        if interaction.type in _OURS:
            with self._inflight.one():
                await self._pressing.act(interaction)

    async def on_raw_reaction_add(self, event: discord.RawReactionActionEvent) -> None:
        """Keep a thumb."""
        with self._inflight.one():
            await self._thumbs.keep(event)

    async def on_raw_reaction_remove(self, event: discord.RawReactionActionEvent) -> None:
        """Keep that a thumb was taken back."""
        with self._inflight.one():
            await self._thumbs.keep(event)

    # --- what goes wrong ------------------------------------------------------------------------

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log what no handler expected, and say so to who waits for it."""
        log.exception("%s failed", event_method)
        if args and isinstance(args[0], discord.Interaction):
            await say_failed(args[0])


class CountedTree(app_commands.CommandTree[NightlampBot]):
    """Commands that the end of the bot waits for, and that always end in a word."""

    def __init__(self, client: NightlampBot, inflight: InFlight) -> None:
        super().__init__(client)
        self._inflight = inflight

    async def _call(self, interaction: discord.Interaction[NightlampBot]) -> None:
        with self._inflight.one():
            await super()._call(interaction)

    async def on_error(
        self,
        interaction: discord.Interaction[NightlampBot],
        error: app_commands.AppCommandError,
    ) -> None:
        """Log what no command expected, and say so with a reference."""
        log.error("interaction %d failed", interaction.id, exc_info=error)
        await say_failed(interaction)


async def say_failed(interaction: discord.Interaction[Any]) -> None:
    """Say that something went wrong, with the interaction's id to find it in the log."""
    card = error_card(NightlampError("not expected"), str(interaction.id))
    (payload,) = payloads(card, private=True)
    try:
        if interaction.response.is_done():
            await interaction.followup.send(ephemeral=True, **payload.new())
        else:
            await interaction.response.send_message(ephemeral=True, **payload.new())
    except FAILURES as error:
        log.warning("interaction %d: the failure could not be said: %r", interaction.id, error)


def wanted_intents(*, content: bool) -> discord.Intents:
    """Return only what is used. Message content is privileged: follow-ups alone need it."""
    intents = discord.Intents.none()
    intents.guilds = True
    intents.messages = True
    intents.reactions = True
    intents.message_content = content
    return intents
