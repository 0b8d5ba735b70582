"""Questions that come by a command or by the menu of a message."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord

from bots.app import App
from bots.card import Card
from bots.discord_bot.answering import INTERACTION, Answering, title
from bots.discord_bot.delivery import FAILURES, NOBODY, Way, by_reply, in_channel, say, to_person
from bots.discord_bot.events import person
from bots.discord_bot.guilds import Guilds, Here
from bots.discord_bot.markup import escaped
from bots.discord_bot.posting import Posting
from bots.limits import Limits
from bots.notes import limited_card, switched_off_card, unmapped_card
from core.models import Platform, Question, Scope

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What is chosen beside the text of a question."""

    service: str = ""
    type: str = ""
    private: bool = False


class Asking:
    """Answers commands."""

    def __init__(
        self, app: App, guilds: Guilds, posting: Posting, limits: Limits, answering: Answering
    ) -> None:
        self._app = app
        self._guilds = guilds
        self._posting = posting
        self._limits = limits
        self._answering = answering

    async def by_command(
        self, interaction: discord.Interaction[Any], text: str, narrowed: Narrowed
    ) -> None:
        """Answer a command or a message menu, where the channel's settings say."""
        here = self._guilds.here(interaction.guild_id, interaction.channel)
        refused = self.refused(interaction, here)
        private = narrowed.private or refused is not None
        private = private or (here is not None and here.room.answers == "private")
        acknowledged = await defer(interaction, private=private)
        ways = self.ways_back(interaction, private=private, acknowledged=acknowledged)
        if here is None or refused is not None:
            card = refused or unmapped_card(Platform.DISCORD, str(interaction.guild_id))
            await say(card, ways, str(interaction.id), private=True)
            return
        question = Question(
            text=text,
            tenant=here.tenant.name,
            asked_by=str(interaction.user.id),
            asked_at=self._app.clock.now(),
            where=replace(here.where, private=private),
            scope=_scope(here.room.scope, narrowed),
            event_id=f"{INTERACTION} {interaction.id}",
        )
        exchange_id = await self._answering.received(question, ways)
        if exchange_id is None:
            return
        if here.room.answers == "thread" and acknowledged:
            question, ways = await self._in_new_thread(interaction, question, ways)
        await self._answering.answer(exchange_id, question, ways)

    def refused(self, interaction: discord.Interaction[Any], here: Here | None) -> Card | None:
        """Return why nothing can be asked there now; None if it can, and it is counted."""
        if here is None:
            return unmapped_card(Platform.DISCORD, str(interaction.guild_id))
        if here.room.mode == "off":
            return switched_off_card()
        wait = self._limits.take(person(interaction.user), here.where)
        return None if wait is None else limited_card(wait)

    def ways_back(
        self, interaction: discord.Interaction[Any], *, private: bool, acknowledged: bool
    ) -> list[Way]:
        """Return how to reply: to the command, else in its channel, else to the person."""
        ways = [by_reply(interaction, private=private)] if acknowledged else []
        if not private and interaction.channel_id is not None:
            ways.append(in_channel(self._posting.channel(interaction.channel_id)))
        return [*ways, to_person(interaction.user)]

    async def _in_new_thread(
        self, interaction: discord.Interaction[Any], question: Question, ways: Sequence[Way]
    ) -> tuple[Question, list[Way]]:
        """Say in the channel what was asked, and answer in a thread under it; if it can be made."""
        if question.where.private or not isinstance(interaction.channel, discord.TextChannel):
            return question, list(ways)
        said = escaped(title(question.text, 300)) or "Runbooks"
        try:
            first = await interaction.edit_original_response(content=said, allowed_mentions=NOBODY)
        except FAILURES as error:
            log.warning("interaction %d: no message for a thread: %r", interaction.id, error)
            return question, list(ways)
        return await self._answering.in_thread(interaction.channel, first.id, question, ways[1:])


async def defer(interaction: discord.Interaction[Any], *, private: bool) -> bool:
    """Acknowledge within three seconds; False where it is too late, or was done already."""
    try:
        await interaction.response.defer(thinking=True, ephemeral=private)
    except (*FAILURES, discord.InteractionResponded) as error:
        log.warning("interaction %d is not acknowledged: %r", interaction.id, error)
        return False
    return True


def _scope(scope: Scope, narrowed: Narrowed) -> Scope:
    """Return a room's scope narrowed further, never widened."""
    service = _within(narrowed.service, scope.service)
    return replace(scope, service=service, type=_within(narrowed.type, scope.type))


def _within(value: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if value and (not allowed or value in allowed) else allowed
