"""Presses on Discord that name another exchange than the one on whose message they are."""

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from bots.card import ButtonKind, Tone
from bots.discord_bot.controls import PICK, control_id
from tests.e2e.discord_driver import DiscordDriver, open_discord
from tests.e2e.world import ANN, BEN, OPS, PAYMENTS, PLANT, ROOT, Place, World

THEIRS = "payments disk full of card numbers"
ELSEWHERE = [
    (OPS, True, BEN, OPS),
    (PAYMENTS, False, ROOT, OPS),
    (OPS, False, BEN, PLANT),
]
PLACES = ("asked_in", "private", "presser", "pressed_in")


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[DiscordDriver]:
    async with open_discord(World.at(folder, like=indexed_world), answers="channel") as driver:
        yield driver


async def forged(
    chat: DiscordDriver, place: Place, *items: discord.ui.Item[discord.ui.View]
) -> discord.Message:
    """Have a message stand there whose controls carry what they never were sent with."""
    view = discord.ui.View(timeout=None)
    for item in items:
        view.add_item(item)
    view.stop()
    channel = chat.env.bot.get_channel(chat.rooms[place.name].id)
    assert isinstance(channel, discord.TextChannel)
    return await channel.send("x", view=view)


@pytest.mark.parametrize(
    "kind",
    [
        ButtonKind.UP,
        ButtonKind.LOG_GAP,
        ButtonKind.ASK_HUMAN,
        ButtonKind.SHARE,
        ButtonKind.DELETE,
    ],
)
@pytest.mark.parametrize(PLACES, ELSEWHERE)
async def test_a_press_reaches_no_answer_of_another_place_or_person(
    chat: DiscordDriver,
    asked_in: Place,
    private: bool,
    presser: str,
    pressed_in: Place,
    kind: ButtonKind,
) -> None:
    theirs = await chat.ask(ANN, THEIRS, asked_in, private=private)
    button: discord.ui.Button[discord.ui.View] = discord.ui.Button(
        label="x", custom_id=control_id(kind, theirs.exchange_id)
    )
    message = await forged(chat, pressed_in, button)
    before = await chat.counts()
    done = await chat.actor(presser, pressed_in).click(message, custom_id=button.custom_id)
    assert chat.said(done, presser).tone is Tone.ERROR
    assert await chat.counts() == before
    assert THEIRS not in str([one.embeds for one in chat.rooms[pressed_in.name].history()][-1:])


@pytest.mark.parametrize(PLACES, ELSEWHERE)
async def test_a_pick_and_a_form_show_nothing_of_another_place_or_person(
    chat: DiscordDriver, asked_in: Place, private: bool, presser: str, pressed_in: Place
) -> None:
    theirs = await chat.ask(ANN, THEIRS, asked_in, private=private)
    why: discord.ui.Button[discord.ui.View] = discord.ui.Button(
        label="x", custom_id=control_id(ButtonKind.TELL_WHY, theirs.exchange_id), row=0
    )
    menu: discord.ui.Select[discord.ui.View] = discord.ui.Select(
        custom_id=control_id(PICK, theirs.exchange_id),
        options=[discord.SelectOption(label="x", value="0")],
        row=1,
    )
    message = await forged(chat, pressed_in, why, menu)
    before = await chat.counts()
    who = chat.actor(presser, pressed_in)
    picked = await who.select(message, ["0"])
    assert [one.message.embeds[0].title for one in picked.followups] == ["That did not work"]
    form = await who.click(message, custom_id=why.custom_id)
    assert form.modal is not None
    assert len(form.modal["components"]) == 2  # without the menu of sections
    assert await chat.counts() == before
