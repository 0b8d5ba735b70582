"""`/reindex`: for admins, its progress edited in place, then what changed."""

import asyncio
import logging
from typing import Any

import discord

from bots.app import App
from bots.card import Card
from bots.desk import Desk, failure_card
from bots.discord_bot.asking import defer
from bots.discord_bot.delivery import FAILURES, Way, by_reply, payloads, say, to_person
from bots.discord_bot.guilds import Guilds
from bots.notes import admins_only_card, busy_card, indexing_card
from core.errors import NightlampError
from core.reports import IndexOptions, IndexProgress, of_sources

log = logging.getLogger(__name__)

_EVERY = 2.0
"""Seconds between two edits: Discord slows down who edits more often."""


class Reindexing:
    """Runs the indexer for an admin, and shows the report to that admin alone: it names pages."""

    def __init__(self, app: App, desk: Desk, guilds: Guilds) -> None:
        self._app = app
        self._desk = desk
        self._guilds = guilds

    async def run(self, interaction: discord.Interaction[Any], *, full: bool) -> None:
        """Read the runbooks again, if who asks may, and no run is going on."""
        await defer(interaction, private=True)
        reply = by_reply(interaction, private=True)
        since = self._app.library.indexer.running_since
        if not self._guilds.is_admin(interaction):
            await say(admins_only_card(), [reply], str(interaction.id), private=True)
        elif since is not None:
            card = busy_card(since, self._app.clock.now())
            await say(card, [reply], str(interaction.id), private=True)
        else:
            await self._run(interaction, reply, full=full)

    async def _run(self, interaction: discord.Interaction[Any], reply: Way, *, full: bool) -> None:
        """Index, and report by direct message where the run outlived the command's 15 minutes."""
        latest: list[IndexProgress] = []
        showing = asyncio.create_task(self._show(interaction, latest))
        try:
            names = self._guilds.sources(interaction.guild_id)
            card = await self._indexed(latest, names, full=full)
        finally:
            showing.cancel()
            await asyncio.wait({showing})
        ways = [reply, to_person(interaction.user)]
        await say(card, ways, str(interaction.id), private=True)

    async def _indexed(
        self, latest: list[IndexProgress], names: set[str] | None, *, full: bool
    ) -> Card:
        """Index, and word what changed in the tenant's own sources."""

        def told(at: IndexProgress) -> None:
            latest[:] = [at]

        try:
            options = IndexOptions(rebuild=full)
            report = await self._app.library.indexer.run(options, told)
            return self._desk.report(report if names is None else of_sources(report, names))
        except NightlampError as error:
            return failure_card(error, "reindex")

    async def _show(
        self, interaction: discord.Interaction[Any], latest: list[IndexProgress]
    ) -> None:
        """Edit the reply with how far it is, for as long as that can be done."""
        while True:
            (payload,) = payloads(indexing_card(latest[0] if latest else None), private=True)
            try:
                await interaction.edit_original_response(**payload.changed())
            except FAILURES as error:
                log.warning("the progress cannot be shown any more: %r", error)
                return
            await asyncio.sleep(_EVERY)
