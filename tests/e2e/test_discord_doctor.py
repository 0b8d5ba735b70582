"""What `doctor` says of Discord, asked of a Discord on loopback."""

from collections.abc import AsyncIterator

import pytest

from bots.check import Check, Level
from bots.discord_bot.channel import INTENTS_OFF, WRONG_TOKEN
from bots.discord_bot.checks import discord_checks
from core.settings import Settings
from tests.e2e.fake_discord import APP, CHANNEL, TOKEN, FakeDiscord, fake_discord


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with fake_discord() as fake:
        yield fake


def settings(*channels: int, token: str = TOKEN) -> Settings:
    rows = [{"platform": "discord", "id": str(id_)} for id_ in channels]
    return Settings.model_validate({"discord": {"token": token}, "channels": rows})


async def test_all_is_well_where_token_intents_and_permissions_are(fake: FakeDiscord) -> None:
    checks = await discord_checks(settings(CHANNEL))
    assert checks[:3] == [
        Check("discord token", Level.OK, "it is nightlamp's"),
        Check("discord intents", Level.OK, "message content may be read"),
        Check(f"discord channel {CHANNEL}", Level.OK, "#oncall"),
    ]
    assert checks[3].says.startswith(f"https://discord.com/oauth2/authorize?client_id={APP}&")


async def test_a_wrong_token_is_said_to_be_wrong(fake: FakeDiscord) -> None:
    checks = await discord_checks(settings(token="wrong"))  # noqa: S106
    assert checks == [Check("discord token", Level.PROBLEM, WRONG_TOKEN)]


async def test_without_message_content_follow_ups_alone_are_lost(fake: FakeDiscord) -> None:
    fake.flags = 0
    checks = await discord_checks(settings())
    says = f"follow-ups must mention the bot, all else works. {INTENTS_OFF}"
    assert checks[1] == Check("discord intents", Level.NOTE, says)


async def test_what_the_bot_may_not_do_in_a_channel_is_named(fake: FakeDiscord) -> None:
    fake.denied = 1 << 6
    checks = await discord_checks(settings(CHANNEL))
    says = "in #oncall the bot may not: add reactions"
    assert checks[2] == Check(f"discord channel {CHANNEL}", Level.PROBLEM, says)


async def test_a_channel_that_does_not_exist_is_a_problem(fake: FakeDiscord) -> None:
    checks = await discord_checks(settings(1))
    says = "it cannot be seen: correct its id, or let the bot see it"
    assert checks[2] == Check("discord channel 1", Level.PROBLEM, says)
