"""Gaps on Discord: the command, a gap picked from a digest, and what its buttons decide."""

import io
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import discord

from bots.app import App
from bots.card import Card, GapAction
from bots.desk import failure_card
from bots.discord_bot.asking import defer
from bots.discord_bot.controls import NOTE, done_form, filled_in
from bots.discord_bot.delivery import FAILURES, NOBODY, Payload, by_reply, payloads, say
from bots.discord_bot.events import person
from bots.discord_bot.guilds import Guilds
from bots.discord_bot.posting import Posting
from bots.discord_bot.render import posts
from bots.gap_cards import decided_card
from bots.gap_desk import GapDesk, NamedFile, Said
from bots.notes import refused_card, unmapped_card
from bots.people_desk import PeopleDesk
from bots.places import reading
from core.errors import NightlampError, NotAllowed, NotFound, UsageError
from core.exchanges import Person
from core.models import Platform
from feedback.gap_book import Actor

log = logging.getLogger(__name__)


class Gapping:
    """Answers whoever acts alone; that somebody owns a gap is said to all."""

    def __init__(self, app: App, guilds: Guilds, posting: Posting) -> None:
        self._desk = GapDesk(app)
        self._people = PeopleDesk(app)
        self._guilds = guilds
        self._posting = posting

    # --- commands -------------------------------------------------------------------------------

    async def gaps(self, interaction: discord.Interaction[Any], what: str) -> None:
        """List gaps, act on one, or draft its page."""

        async def do() -> Said:
            return await self._desk.command(what, self._actor(interaction))

        await self._answer(interaction, do)

    async def my_data(self, interaction: discord.Interaction[Any]) -> None:
        """Hand a person what is kept of them."""
        await self._answer(interaction, lambda: self._people.my_data(self._me(interaction)))

    async def forget_me(self, interaction: discord.Interaction[Any], *, sure: bool) -> None:
        """Erase what is kept of a person."""

        async def do() -> Said:
            return Said(await self._people.forget(self._me(interaction), sure=sure))

        await self._answer(interaction, do)

    async def notices(self, interaction: discord.Interaction[Any], *, wanted: bool) -> None:
        """Tell a person, or no longer, when what they asked is answered."""

        async def do() -> Said:
            return Said(await self._people.notices(self._me(interaction), wanted=wanted))

        await self._answer(interaction, do)

    # --- on a digest ----------------------------------------------------------------------------

    async def pick(self, interaction: discord.Interaction[Any], gap_id: str) -> None:
        """Show a gap that was picked, with its buttons, to whoever picked it."""

        async def do() -> Said:
            return Said(await self._desk.one(gap_id, self._actor(interaction)))

        await self._answer(interaction, do)

    async def press(
        self, interaction: discord.Interaction[Any], action: GapAction, gap_id: str
    ) -> None:
        """Decide on a gap; what answers it is asked for in a form first."""
        if action is GapAction.DONE:
            try:
                await interaction.response.send_modal(done_form(gap_id))
            except FAILURES as error:
                log.warning("%s: a form could not be opened: %r", gap_id, error)
            return
        await self._decide(interaction, action, gap_id)

    async def fill(self, interaction: discord.Interaction[Any], gap_id: str) -> None:
        """Say which section answers a gap."""
        section = filled_in(interaction.data or {}).get(NOTE, "")
        await self._decide(interaction, GapAction.DONE, gap_id, section)

    async def _decide(
        self,
        interaction: discord.Interaction[Any],
        action: GapAction,
        gap_id: str,
        section: str = "",
    ) -> None:
        async def do() -> Said:
            actor = self._actor(interaction)
            card = decided_card(await self._desk.act(action, gap_id, actor, section=section))
            await self._tell_all(interaction, card)
            return Said(card)

        await self._answer(interaction, do)

    async def _tell_all(self, interaction: discord.Interaction[Any], card: Card) -> None:
        """Say in the channel what was decided and by whom, without calling anybody."""
        if interaction.channel_id is None:
            return
        payload = Payload(posts(card)[0], content=f"by {interaction.user.mention}")
        try:
            await self._posting.channel(interaction.channel_id).send(**payload.new())
        except FAILURES as error:
            log.warning("a decision could not be said to all: %r", error)

    # --- inside ---------------------------------------------------------------------------------

    async def _answer(
        self, interaction: discord.Interaction[Any], do: Callable[[], Awaitable[Said]]
    ) -> None:
        await defer(interaction, private=True)
        try:
            said = await do()
        except _Unmapped:
            said = Said(unmapped_card(Platform.DISCORD, str(interaction.guild_id)))
        except (NotFound, NotAllowed, UsageError) as error:
            said = Said(refused_card(error))
        except NightlampError as error:
            said = Said(failure_card(error, str(interaction.id)))
        reply = by_reply(interaction, private=True)
        await say(said.card, [reply], str(interaction.id), private=True)
        if said.file:
            await _hand(interaction, said.file)

    def _actor(self, interaction: discord.Interaction[Any]) -> Actor:
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        if here is None:
            raise _Unmapped("This place has no runbooks.")
        admin = self._guilds.is_admin(interaction)
        place = here.where.channel_id, here.where.thread_id
        scope = reading(here.room.scope, Platform.DISCORD, *place)
        return Actor(self._me(interaction), here.tenant.name, scope, admin)

    @staticmethod
    def _me(interaction: discord.Interaction[Any]) -> Person:
        return person(interaction.user)


class _Unmapped(NotFound):
    """The guild has no runbooks, and so no gaps."""


async def _hand(interaction: discord.Interaction[Any], file: NamedFile) -> None:
    """Hand a file to one person alone."""
    try:
        await interaction.followup.send(
            file=discord.File(io.BytesIO(file.data), filename=file.name),
            ephemeral=True,
            allowed_mentions=NOBODY,
        )
    except FAILURES as error:
        log.warning("interaction %d: a file was not handed over: %r", interaction.id, error)
        (payload,) = payloads(failure_card(NightlampError("too large"), str(interaction.id)))
        await interaction.followup.send(ephemeral=True, **payload.new())
