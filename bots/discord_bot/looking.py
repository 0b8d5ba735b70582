"""The commands that only look: past incidents, what there is, help, status; and `/mute`."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands

from bots.app import App
from bots.card import Card
from bots.cards import help_card
from bots.desk import Desk, failure_card
from bots.discord_bot.asking import Asking, defer
from bots.discord_bot.delivery import by_reply, say
from bots.discord_bot.events import person
from bots.discord_bot.guilds import Guilds, Here
from bots.notes import muted_card, unmapped_card
from core.errors import NightlampError
from core.models import Platform, Question, Scope
from core.points import IndexedDocument
from core.scoping import services

_SUGGESTIONS, _LONGEST = 25, 100
Choices = list[app_commands.Choice[str]]


class Looking:
    """Answers the commands that change nothing, and suggests what can be typed."""

    def __init__(self, app: App, desk: Desk, guilds: Guilds, asking: Asking) -> None:
        self._app = app
        self._desk = desk
        self._guilds = guilds
        self._asking = asking
        self._seen: dict[tuple[str, str, Scope], list[IndexedDocument]] = {}

    # --- commands -------------------------------------------------------------------------------

    async def similar(self, interaction: discord.Interaction[Any], text: str) -> None:
        """Show the past incident that is most like a text, where the channel's settings say."""
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        card = self._asking.refused(interaction, here)
        private = card is not None or (here is not None and here.room.answers == "private")
        acknowledged = await defer(interaction, private=private)
        if here is not None and card is None:
            card = await self._similar(interaction, here, text)
        ways = self._asking.ways_back(interaction, private=private, acknowledged=acknowledged)
        if card is not None:
            await say(card, ways, str(interaction.id), private=private)

    async def _similar(self, interaction: discord.Interaction[Any], here: Here, text: str) -> Card:
        now = self._app.clock.now()
        who = str(interaction.user.id)
        question = Question(text, here.tenant.name, who, now, here.where, here.room.scope)
        try:
            return await self._desk.similar(question)
        except NightlampError as error:
            return failure_card(error, str(interaction.id))

    async def runbooks(self, interaction: discord.Interaction[Any], service: str) -> None:
        """List what can be seen in the channel."""
        await defer(interaction, private=True)
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        if here is None:
            card = unmapped_card(Platform.DISCORD, str(interaction.guild_id))
        else:
            scope = here.room.scope
            scope = replace(scope, service=(service,)) if service else scope
            try:
                card = await self._desk.runbooks(here.tenant.name, scope)
            except NightlampError as error:
                card = failure_card(error, str(interaction.id))
        await self._say(interaction, card)

    async def mute(self, interaction: discord.Interaction[Any], *, muted: bool) -> None:
        """Keep quiet in the thread, or listen again; in a channel, in all of its threads."""
        await defer(interaction, private=True)
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        if here is None:
            card = unmapped_card(Platform.DISCORD, str(interaction.guild_id))
        else:
            try:
                await self._app.service.mute(here.where, person(interaction.user), muted=muted)
                card = muted_card(muted=muted, thread=bool(here.where.thread_id))
            except NightlampError as error:
                card = failure_card(error, str(interaction.id))
        await self._say(interaction, card)

    async def status(self, interaction: discord.Interaction[Any]) -> None:
        """Say what is indexed and running."""
        await defer(interaction, private=True)
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        try:
            card = (
                await self._desk.status(
                    here.tenant.name, self._guilds.sources(interaction.guild_id)
                )
                if here
                else unmapped_card(Platform.DISCORD, str(interaction.guild_id))
            )
        except NightlampError as error:
            card = failure_card(error, str(interaction.id))
        await self._say(interaction, card)

    async def help(self, interaction: discord.Interaction[Any]) -> None:
        """Say what can be asked."""
        await defer(interaction, private=True)
        await self._say(interaction, help_card(Platform.DISCORD))

    async def _say(self, interaction: discord.Interaction[Any], card: Card) -> None:
        await say(card, [by_reply(interaction, private=True)], str(interaction.id), private=True)

    # --- suggestions ----------------------------------------------------------------------------

    async def suggest_headings(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        """Suggest titles and headings that can be seen there."""
        found = await self._documents(interaction)
        names = (name for one in found for name in (one.metadata.title, *one.headings))
        return _choices(names, typed)

    async def suggest_services(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        """Suggest the services of what can be seen there."""
        return _choices(services(await self._documents(interaction)), typed)

    async def suggest_types(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        """Suggest the types of what can be seen there."""
        found = await self._documents(interaction)
        return _choices(sorted({one.metadata.type for one in found} - {""}), typed)

    async def _documents(self, interaction: discord.Interaction[Any]) -> list[IndexedDocument]:
        """Return what can be seen there, read once for each build: each key stroke asks."""
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        info = self._app.library.index.info
        if here is None or info is None:
            return []
        key = (info.id, here.tenant.name, here.room.scope)
        if key not in self._seen:
            self._seen = {old: found for old, found in self._seen.items() if old[0] == info.id}
            try:
                self._seen[key] = await self._app.service.runbooks(key[1], key[2])
            except NightlampError:
                return []
        return self._seen[key]


def _choices(names: Iterable[str], typed: str) -> Choices:
    """Return the names that hold what was typed, those that begin with it first."""
    wanted = typed.strip().casefold()
    fitting = [name for name in dict.fromkeys(names) if wanted in name.casefold() and name.strip()]
    fitting.sort(key=lambda name: not name.casefold().startswith(wanted))
    cut = dict.fromkeys(name[:_LONGEST] for name in fitting)
    return [app_commands.Choice(name=name, value=name) for name in list(cut)[:_SUGGESTIONS]]
