"""What Discord's library must not say in the log of a bot that only writes."""

import discord
import pytest

import bots.discord_bot


def test_a_client_does_not_warn_of_what_it_lacks_for_voice(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert bots.discord_bot.__doc__
    discord.Client(intents=discord.Intents(guilds=True))
    assert [one for one in caplog.records if one.name.startswith("discord")] == []
