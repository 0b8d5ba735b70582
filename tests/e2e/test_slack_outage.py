"""What Slack let fail, or nobody listened to, is made up for when it can be reached again."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.models import Vote
from tests.e2e import slack_payloads as payloads
from tests.e2e.fake_slack import Fault
from tests.e2e.slack_driver import CHANNELS, PATIENCE, USERS, SlackDriver, open_slack
from tests.e2e.world import ANN, BEN, OPS, World


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[SlackDriver]:
    world = World.at(folder, like=indexed_world)
    async with open_slack(world, patience=replace(PATIENCE, ending=10.0, again=0.01)) as driver:
        yield driver


async def test_what_reached_nobody_is_answered_once_slack_is_back(chat: SlackDriver) -> None:
    chat.slack.fail("chat.postMessage", Fault(), Fault())
    chat.slack.fail("chat.postEphemeral", Fault())
    mention = payloads.mention("disk full", USERS[ANN], CHANNELS[OPS])
    await chat.slack.hand_over("events_api", payloads.event(mention))
    await chat.channel.tasks.idle()
    await asyncio.sleep(0.05)
    assert await chat.messages(OPS) == []
    chat.world.clock.advance(timedelta(seconds=30))
    await chat.slack.until(lambda: chat.slack.messages[CHANNELS[OPS]])
    await chat.channel.tasks.idle()
    chat.world.clock.advance(timedelta(minutes=5))
    await asyncio.sleep(0.05)
    await chat.channel.tasks.idle()
    [shown] = await chat.messages(OPS)
    assert shown.title == "Disk full › Grow the volume"


async def test_thumbs_that_were_given_and_taken_back_while_nobody_listened_count(
    chat: SlackDriver,
) -> None:
    shown = await chat.ask(ANN, "disk full")
    await chat.react(ANN, shown, Vote.UP)
    [answer] = chat.slack.messages[CHANNELS[OPS]].values()
    await chat.stop()
    at = (CHANNELS[OPS], answer["ts"])
    chat.slack.thumbs[at] = [("-1::skin-tone-3", USERS[ANN]), ("+1", USERS[BEN])]
    await chat.start()
    assert await chat.votes(shown) == {ANN: Vote.DOWN, BEN: Vote.UP}
    await chat.restart()
    assert await chat.votes(shown) == {ANN: Vote.DOWN, BEN: Vote.UP}


async def test_thumbs_that_cannot_be_read_stay_as_they_are(chat: SlackDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    await chat.react(ANN, shown, Vote.UP)
    chat.slack.fail("reactions.get", Fault())
    await chat.restart()
    assert await chat.votes(shown) == {ANN: Vote.UP}
