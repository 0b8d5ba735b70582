"""What is asked in a channel that not everybody may enter is quoted in no other."""

from pathlib import Path

import discord

from tests.e2e import slack_payloads as payloads
from tests.e2e.discord_gaps import open_discord_gaps
from tests.e2e.gap_scenarios import JAM, digests, on_monday
from tests.e2e.slack_driver import CHANNELS, USERS
from tests.e2e.slack_gaps import open_slack_gaps
from tests.e2e.world import ANN, BEN, OPS, PAYMENTS, World

OPS_ID, ANN_ID = CHANNELS[OPS], USERS[ANN]


async def test_on_slack_by_command(folder: Path, indexed_world: World) -> None:
    async with open_slack_gaps(World.at(folder, like=indexed_world)) as chat:
        url, trigger = chat.slack.response_url(ANN_ID, OPS_ID), chat.slack.trigger()
        typed = payloads.command("/query", JAM, ANN_ID, OPS_ID, url=url, trigger=trigger)
        await chat.slack.hand_over("slash_commands", typed | {"channel_name": "privategroup"})
        await chat.channel.tasks.idle()
        await on_monday(chat)
        [own], [other] = await digests(chat, OPS), await digests(chat, PAYMENTS)
        assert JAM in own.text
        assert JAM not in other.all
        assert "1 gap was asked only in private or in narrower channels." in other.text
        assert JAM in (await chat.command(BEN, "gaps")).shown.text
        assert JAM not in (await chat.command(BEN, "gaps", "", PAYMENTS)).shown.all


async def test_on_slack_by_a_mention_that_is_a_message_too(
    folder: Path, indexed_world: World
) -> None:
    async with open_slack_gaps(World.at(folder, like=indexed_world)) as chat:
        mention = payloads.mention(JAM, ANN_ID, OPS_ID)
        message = payloads.said(mention["text"], ANN_ID, OPS_ID, ts=mention["ts"])
        for inner in (message | {"channel_type": "group"}, mention):
            await chat.slack.hand_over("events_api", payloads.event(inner))
            await chat.channel.tasks.idle()
        await on_monday(chat)
        [own], [other] = await digests(chat, OPS), await digests(chat, PAYMENTS)
        assert JAM in own.text
        assert JAM not in other.all


async def test_on_discord(folder: Path, indexed_world: World) -> None:
    async with open_discord_gaps(World.at(folder, like=indexed_world)) as chat:
        ann = chat.actor(ANN)
        seen = {
            chat.acme.default_role: discord.PermissionOverwrite(view_channel=False),
            ann: discord.PermissionOverwrite(view_channel=True),
        }
        room = chat.acme.create_text_channel("incident", overwrites=seen)
        await ann.slash(room, "query", text=JAM)
        await on_monday(chat)
        for place in (OPS, PAYMENTS):
            [digest] = await digests(chat, place)
            assert JAM not in digest.all
            assert "1 gap was asked only in private or in narrower channels." in digest.text
        assert JAM not in (await chat.command(ANN, "gaps")).shown.all
        assert JAM in chat.said(await ann.slash(room, "gaps"), ANN).text
