"""Presses on Slack that name another exchange than the one on whose message they are."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bots.card import ButtonKind, Tone
from bots.slack_bot.render import CHOOSE, action_id
from tests.e2e import slack_payloads as payloads
from tests.e2e.chat import Shown
from tests.e2e.slack_driver import CHANNELS, TEAMS, USERS, SlackDriver, Standing, open_slack
from tests.e2e.slack_screen import seen
from tests.e2e.world import ANN, BEN, OPS, PAYMENTS, PLANT, ROOT, Place, World

THEIRS = "payments disk full of card numbers"
PRESSES = [
    *(action_id(kind) for kind in (ButtonKind.UP, ButtonKind.LOG_GAP, ButtonKind.ASK_HUMAN)),
    *(action_id(kind) for kind in (ButtonKind.SHARE, ButtonKind.DELETE)),
    CHOOSE,
]


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[SlackDriver]:
    async with open_slack(World.at(folder, like=indexed_world), way="command") as driver:
        yield driver


async def forged(chat: SlackDriver, person: str, on: Shown, name: str, value: str) -> None:
    """Press a button on a message that carries something else than what was sent with it."""
    assert isinstance(on.handle, Standing)
    place = on.handle.place
    channel, user = CHANNELS[place], USERS[person]
    action = {"action_id": name, "type": "button", "value": value}
    payload = payloads.pressed(
        action,
        on.handle.messages[0],
        user,
        channel,
        url=chat.slack.response_url(user, channel),
        trigger=chat.slack.trigger(),
        team=TEAMS[place.tenant],
    )
    await chat.slack.hand_over("interactive", payload)
    await chat.channel.tasks.idle()


def posted(chat: SlackDriver, place: Place) -> str:
    return str(chat.slack.messages[CHANNELS[place]])


@pytest.mark.parametrize("name", PRESSES)
@pytest.mark.parametrize(
    ("asked_in", "private", "presser", "pressed_in"),
    [
        (OPS, True, BEN, OPS),
        (OPS, True, ROOT, OPS),
        (PAYMENTS, False, ROOT, OPS),
        (OPS, False, BEN, PLANT),
    ],
)
async def test_a_press_reaches_no_answer_of_another_place_or_person(
    chat: SlackDriver, asked_in: Place, private: bool, presser: str, pressed_in: Place, name: str
) -> None:
    theirs = await chat.ask(ANN, THEIRS, asked_in, private=private)
    own = await chat.ask(presser, "disk full", pressed_in)
    before, standing = await chat.counts(), posted(chat, pressed_in)
    value = f"{theirs.exchange_id}:0" if name == CHOOSE else theirs.exchange_id
    noted = len(chat.slack.ephemerals)
    await forged(chat, presser, own, name, value)
    assert seen(chat.slack.ephemerals[noted:]).tone is Tone.ERROR
    assert await chat.counts() == before
    assert posted(chat, pressed_in) == standing
    assert THEIRS not in str(chat.slack.ephemerals[noted:])


async def test_a_form_names_no_other_channel_than_its_own(chat: SlackDriver) -> None:
    theirs = await chat.ask(ANN, THEIRS, PAYMENTS)
    own = await chat.ask(BEN, "disk full", OPS)
    value = f"{theirs.exchange_id}|C0PAYMENTS||"
    await forged(chat, BEN, own, action_id(ButtonKind.TELL_WHY), value)
    await chat.submit(BEN, chat.slack.views[-1], {"kind": "outdated", "text": "x"})
    assert (await chat.counts())["reasons"] == 0
