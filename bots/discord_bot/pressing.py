"""What people do with an answer on Discord: buttons, the menu, the forms."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, cast

import discord

from bots.app import App
from bots.card import ButtonKind, Card, GapAction
from bots.desk import Desk, failure_card
from bots.discord_bot.asking import defer
from bots.discord_bot.calling import Calling
from bots.discord_bot.controls import (
    GAP,
    KIND,
    PICK,
    RIGHT,
    TENANT,
    TEXT,
    Control,
    Form,
    control_from,
    filled_in,
    reason_form,
    resolution_form,
)
from bots.discord_bot.delivery import FAILURES, by_reply, in_channel, payloads, say
from bots.discord_bot.events import message_ref, person
from bots.discord_bot.gapping import Gapping
from bots.discord_bot.guilds import Guilds
from bots.discord_bot.listening import Listening
from bots.discord_bot.posting import Posting
from bots.notes import deleted_card, gap_card, shared_card, unmapped_card, voted_card
from bots.touching import check_touchable
from core.errors import NightlampError, NotFound
from core.exchanges import Reason, ReasonKind, Thumb
from core.models import Platform, Scope, Vote

log = logging.getLogger(__name__)

Doing = Callable[[discord.Interaction[Any], str], Awaitable[Card]]

_ABOUT_GAPS = {GAP, Form.GAP_ANSWER, *GapAction}
_SOON = 1.5
"""Seconds in which a form must open: Discord waits for three."""


class Pressing:
    """Does what buttons, menus and forms say, whenever their message was posted."""

    def __init__(
        self,
        app: App,
        desk: Desk,
        guilds: Guilds,
        posting: Posting,
        listening: Listening,
        gapping: Gapping,
    ) -> None:
        self._app = app
        self._desk = desk
        self._guilds = guilds
        self._posting = posting
        self._listening = listening
        self._gapping = gapping
        calling = Calling(app, guilds, posting)
        self._doing: Mapping[str, Doing] = {
            ButtonKind.UP: partial(self._vote, Vote.UP),
            ButtonKind.DOWN: partial(self._vote, Vote.DOWN),
            ButtonKind.LOG_GAP: self._log_gap,
            ButtonKind.ASK_HUMAN: calling.call,
            ButtonKind.SHARE: self._share,
            ButtonKind.DELETE: self._delete,
            Form.REASON: self._reason,
            Form.RESOLUTION: calling.resolve,
        }

    async def act(self, interaction: discord.Interaction[Any]) -> None:
        """Handle a press, a pick or a form that was sent; those of others are left alone."""
        control = control_from(str(_data(interaction).get("custom_id", "")))
        if control is None:
            return
        match control.name:
            case ButtonKind.TELL_WHY:
                await self._open(interaction, await self._reason_form(interaction, control.carried))
            case ButtonKind.RESOLVE:
                await self._open(interaction, resolution_form(control.carried))
            case _ if control.name == PICK:
                await self._pick(interaction, control.carried)
            case _ if control.name in _ABOUT_GAPS:
                await self._about_gap(interaction, control)
            case _ if control.name == TENANT:
                await self._pick_tenant(interaction, int(control.carried))
            case _:
                await self._say(interaction, control)

    async def _about_gap(self, interaction: discord.Interaction[Any], control: Control) -> None:
        if control.name == GAP:
            await self._gapping.pick(interaction, _picked(interaction))
        elif control.name == Form.GAP_ANSWER:
            await self._gapping.fill(interaction, control.carried)
        else:
            await self._gapping.press(interaction, GapAction(control.name), control.carried)

    async def _say(self, interaction: discord.Interaction[Any], control: Control) -> None:
        """Do what was pressed, and tell the person alone what came of it."""
        await defer(interaction, private=True)
        try:
            card = await self._done(interaction, control)
        except NightlampError as error:
            card = failure_card(error, control.carried)
        await say(card, [by_reply(interaction, private=True)], control.carried, private=True)

    async def _done(self, interaction: discord.Interaction[Any], control: Control) -> Card:
        doing = self._doing.get(control.name)
        if doing is None:
            raise NotFound("This button is of another version.")
        called = control.name == Form.RESOLUTION
        await self._check(interaction, control.carried, called=called)
        return await doing(interaction, control.carried)

    async def _check(
        self, interaction: discord.Interaction[Any], exchange_id: str, *, called: bool = False
    ) -> None:
        """Check that an exchange may be acted on from here.

        Raises:
            NotFound: it was asked elsewhere, or by somebody else in private.
        """
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        await check_touchable(
            self._app.journal,
            exchange_id,
            person(interaction.user),
            here.tenant.name if here else None,
            here.where.channel_id if here else str(interaction.channel_id),
            called=called,
        )

    async def _log_gap(self, interaction: discord.Interaction[Any], exchange_id: str) -> Card:
        who = person(interaction.user)
        return gap_card(first=await self._app.service.log_gap(exchange_id, who))

    async def _delete(self, interaction: discord.Interaction[Any], exchange_id: str) -> Card:
        who, admin = person(interaction.user), self._guilds.is_admin(interaction)
        for ref in await self._app.service.delete(exchange_id, who, admin=admin):
            await self._posting.take_down(ref)
        return deleted_card()

    # --- opinions -------------------------------------------------------------------------------

    async def _vote(
        self, vote: Vote, interaction: discord.Interaction[Any], exchange_id: str
    ) -> Card:
        if interaction.message is None:
            raise NotFound("This answer is not known any more.")
        thumb = Thumb(
            person(interaction.user),
            vote,
            added=True,
            at=self._app.clock.now(),
            message=message_ref(interaction.message.channel.id, interaction.message.id),
            exchange_id=exchange_id,
        )
        if await self._app.service.vote(thumb) is None:
            raise NotFound("This answer is not known any more.")
        return voted_card()

    async def _reason_form(
        self, interaction: discord.Interaction[Any], exchange_id: str
    ) -> discord.ui.Modal:
        """Return the form with the sections to choose from, if they can be read in time."""
        try:
            async with asyncio.timeout(_SOON):
                await self._check(interaction, exchange_id)
                exchange = await self._app.journal.exchange(exchange_id)
        except (NightlampError, TimeoutError) as error:
            log.warning("%s: a form without sections: %r", exchange_id, error)
            exchange = None
        recorded = exchange.recorded if exchange else None
        return reason_form(exchange_id, recorded.results if recorded else ())

    async def _reason(self, interaction: discord.Interaction[Any], exchange_id: str) -> Card:
        fields = filled_in(_data(interaction))
        await self._app.service.reason(
            Reason(
                exchange_id,
                person(interaction.user),
                ReasonKind(fields[KIND]),
                fields.get(TEXT, ""),
                self._app.clock.now(),
                fields.get(RIGHT, ""),
            )
        )
        return voted_card()

    async def _open(self, interaction: discord.Interaction[Any], form: discord.ui.Modal) -> None:
        try:
            await interaction.response.send_modal(form)
        except FAILURES as error:
            log.warning("interaction %d: no form: %r", interaction.id, error)

    # --- another result, another place ----------------------------------------------------------

    async def _pick(self, interaction: discord.Interaction[Any], exchange_id: str) -> None:
        """Show another result in the place of the answer; only what this place may see."""
        await interaction.response.defer()
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        scope = here.room.scope if here else Scope()
        index = int(_picked(interaction))
        async with self._app.turns.of(exchange_id):
            try:
                await self._check(interaction, exchange_id)
                card = await self._desk.choose(exchange_id, person(interaction.user), index, scope)
                exchange = await self._app.journal.exchange(exchange_id)
            except NightlampError as error:
                await self._say_beside(interaction, failure_card(error, exchange_id))
                return
            if exchange is None:
                return
            if exchange.question.where.private:
                (payload,) = self._posting.payloads(card, exchange)
                await interaction.edit_original_response(**payload.changed())
            else:
                await self._posting.replace(exchange, card)

    async def _say_beside(self, interaction: discord.Interaction[Any], card: Card) -> None:
        for payload in payloads(card, private=True):
            await interaction.followup.send(ephemeral=True, **payload.new())

    async def _pick_tenant(self, interaction: discord.Interaction[Any], message_id: int) -> None:
        """Answer a direct message from the runbooks of the guild that was picked for it."""
        await interaction.response.defer()
        guild_id = int(_picked(interaction))
        theirs = {guild.id for guild in await self._guilds.of(interaction.user)}
        channel = interaction.channel
        if guild_id in theirs and isinstance(channel, discord.DMChannel):
            message = await channel.fetch_message(message_id)
            await self._listening.in_direct_message(message, guild_id)

    async def _share(self, interaction: discord.Interaction[Any], exchange_id: str) -> Card:
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        if here is None or interaction.channel_id is None:
            return unmapped_card(Platform.DISCORD, str(interaction.guild_id))
        who = person(interaction.user)
        shared = await self._desk.share(exchange_id, who, here.where, here.room.scope)
        if shared is not None:
            ways = [in_channel(self._posting.channel(interaction.channel_id))]
            new_id, card = shared
            await self._posting.post(new_id, card, here.where, ways)
        return shared_card(first=shared is not None)


def _picked(interaction: discord.Interaction[Any]) -> str:
    """Return the value that was picked from a menu."""
    values = _data(interaction).get("values") or ["0"]
    return str(values[0])


def _data(interaction: discord.Interaction[Any]) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], interaction.data or {})
