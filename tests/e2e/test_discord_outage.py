"""A question that Discord or the journal let fail: said, or answered later, never just gone."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bots.card import Tone
from bots.discord_bot.bot import NightlampBot
from core.errors import JournalUnavailable
from core.models import Platform, Question, Where
from tests.e2e.discord_driver import DiscordDriver, open_discord
from tests.e2e.world import ANN, OPS, World


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[DiscordDriver]:
    async with open_discord(World.at(folder, like=indexed_world)) as driver:
        yield driver


async def test_a_follow_up_is_answered_though_what_it_follows_cannot_be_read(
    chat: DiscordDriver,
) -> None:
    before = await chat.ask(ANN, "disk full")

    async def locked(*_: object) -> None:
        raise JournalUnavailable("The journal is locked.")

    chat.app.service.listens = locked  # type: ignore[method-assign,assignment]
    shown = await chat.follow_up(ANN, "dns timeouts: check every resolver", before)
    assert shown is not None
    assert shown.tone is Tone.ANSWER


async def test_of_what_waits_one_that_cannot_be_placed_keeps_no_other_back(
    chat: DiscordDriver,
) -> None:
    room = Where(Platform.DISCORD, str(chat.rooms[OPS.name].id))
    who = str(chat.actor(ANN, OPS).id)
    for number, asked_by in enumerate(("nobody", who)):
        at = chat.world.clock.now() + timedelta(seconds=number)
        question = Question(
            "disk full", "acme", asked_by, at, room, OPS.scope, event_id=f"interaction {number}"
        )
        await chat.app.service.received(question)
    await chat.restart()
    assert [one.tone for one in await chat.messages(OPS)] == [Tone.ANSWER]


async def test_what_reached_nobody_is_tried_again_while_the_bot_is_connected(
    chat: DiscordDriver,
) -> None:
    room = Where(Platform.DISCORD, str(chat.rooms[OPS.name].id))
    who = str(chat.actor(ANN, OPS).id)
    question = Question("disk full", "acme", who, chat.world.clock.now(), room, OPS.scope)
    exchange_id = await chat.app.service.received(question)
    assert exchange_id is not None
    [exchange] = await chat.app.service.unanswered()
    bot = chat.env.bot
    assert isinstance(bot, NightlampBot)
    await bot._answer_again(exchange)
    await asyncio.wait(set(bot._inflight._tasks))
    assert [one.tone for one in await chat.messages(OPS)] == [Tone.ANSWER]
