"""Asking a human: the people on call are called once, and somebody says how it ended."""

import logging
from typing import Any

import discord

from bots.app import App
from bots.card import Card, Tone
from bots.discord_bot.controls import NOTE, filled_in
from bots.discord_bot.delivery import FAILURES, Payload, deliver, in_channel, payloads
from bots.discord_bot.events import person
from bots.discord_bot.guilds import Guilds
from bots.discord_bot.posting import Posting
from bots.discord_bot.render import posts
from bots.notes import call_card, human_asked_card, resolved_card, unmapped_card
from core.errors import NotFound
from core.exchanges import Exchange
from core.models import Platform

log = logging.getLogger(__name__)


class Calling:
    """Calls the people on call, the one thing that ever notifies anybody."""

    def __init__(self, app: App, guilds: Guilds, posting: Posting) -> None:
        self._app = app
        self._guilds = guilds
        self._posting = posting

    async def call(self, interaction: discord.Interaction[Any], exchange_id: str) -> Card:
        """Call them about an exchange, in its channel, unless that was done before.

        Raises:
            NotFound: there is no such exchange.
        """
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        exchange = await self._app.journal.exchange(exchange_id)
        if here is None or interaction.channel_id is None:
            return unmapped_card(Platform.DISCORD, str(interaction.guild_id))
        if exchange is None:
            raise NotFound("This answer is not known any more.")
        if not await self._app.service.escalate(exchange_id, person(interaction.user)):
            return human_asked_card(first=False)
        role = here.tenant.oncall.discord_role
        ways = [in_channel(self._posting.channel(interaction.channel_id))]
        sent, _ = await deliver(_call(exchange, interaction.user, role), ways, exchange_id)
        return human_asked_card(first=True) if sent else _not_called(exchange_id)

    async def resolve(self, interaction: discord.Interaction[Any], exchange_id: str) -> Card:
        """Record how it was resolved, and say so in the place of the call."""
        note = filled_in(interaction.data or {}).get(NOTE, "")
        if not await self._app.service.resolve(exchange_id, person(interaction.user), note):
            return resolved_card(first=False)
        card = resolved_card(first=True, note=note)
        if interaction.message is not None:
            await self._close(interaction.message, interaction.user, card)
        return resolved_card(first=True)

    async def _close(
        self, message: discord.Message, who: discord.User | discord.Member, card: Card
    ) -> None:
        payload = Payload(posts(card)[0], content=f"Resolved by {who.mention}")
        channel = self._posting.channel(message.channel.id)
        try:
            await channel.get_partial_message(message.id).edit(**payload.changed())
        except FAILURES as error:
            log.warning("the call %d still stands: %r", message.id, error)


def _call(exchange: Exchange, who: discord.User | discord.Member, role: str | None) -> Payload:
    """Return the message that calls: only the role on call is notified, and nobody else."""
    (payload,) = payloads(call_card(exchange, oncall=role is not None), exchange.id)
    called = f"<@&{role}> " if role else ""
    return Payload(
        payload.post,
        exchange.id,
        content=f"{called}{who.mention} asks for a human.",
        mentions=discord.AllowedMentions(
            everyone=False, users=False, roles=[discord.Object(int(role))] if role else False
        ),
    )


def _not_called(exchange_id: str) -> Card:
    return Card(
        Tone.ERROR,
        "Nobody was called",
        lead="I may not write here: call the people on call yourself.",
        footer=f"reference {exchange_id}",
    )
