"""What `doctor` looks at on Discord: token, intents, permissions in the channels, the invite."""

from collections.abc import AsyncIterator

import aiohttp
import discord

from bots.check import Check, Level
from bots.discord_bot.channel import INTENTS_OFF, WRONG_TOKEN
from bots.discord_bot.delivery import FAILURES
from bots.places import Places
from core.errors import SettingsError
from core.models import Platform
from core.settings import Settings

_NEEDED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    embed_links=True,
    add_reactions=True,
    attach_files=True,
    read_message_history=True,
)
_UNREACHABLE = "Discord cannot be reached: try again later."


async def discord_checks(settings: Settings) -> list[Check]:
    """Ask Discord, over REST alone, whether the bot could work."""
    token = settings.discord.token.get_secret_value() if settings.discord.token else ""
    async with discord.Client(intents=discord.Intents(guilds=True)) as client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            return [Check("discord token", Level.PROBLEM, WRONG_TOKEN)]
        except FAILURES:
            return [Check("discord token", Level.NOTE, _UNREACHABLE)]
        return [check async for check in _checks(client, Places(settings, Platform.DISCORD))]


async def _checks(client: discord.Client, places: Places) -> AsyncIterator[Check]:
    application = client.application
    if application is None or client.user is None:
        raise SettingsError(WRONG_TOKEN)
    yield Check("discord token", Level.OK, f"it is {application.name}'s")
    flags = application.flags
    if flags.gateway_message_content or flags.gateway_message_content_limited:
        yield Check("discord intents", Level.OK, "message content may be read")
    else:
        says = f"follow-ups must mention the bot, all else works. {INTENTS_OFF}"
        yield Check("discord intents", Level.NOTE, says)
    for channel_id in places.channels:
        yield await _channel(client, client.user, channel_id)
    link = discord.utils.oauth_url(
        application.id, permissions=_NEEDED, scopes=("bot", "applications.commands")
    )
    yield Check("discord invite", Level.OK, link)


async def _channel(client: discord.Client, own: discord.ClientUser, channel_id: str) -> Check:
    """Check what the bot may do in a configured channel."""
    name = f"discord channel {channel_id}"
    try:
        channel = await client.fetch_channel(int(channel_id))
        if not isinstance(channel, discord.abc.GuildChannel):
            return Check(name, Level.PROBLEM, "it is no channel of a guild: correct its id")
        guild = await client.fetch_guild(channel.guild.id, with_counts=False)
        member = await guild.fetch_member(own.id)
        channel = await guild.fetch_channel(int(channel_id))
    except (discord.HTTPException, ValueError):
        says = "it cannot be seen: correct its id, or let the bot see it"
        return Check(name, Level.PROBLEM, says)
    except (OSError, aiohttp.ClientError):
        return Check(name, Level.NOTE, _UNREACHABLE)
    allowed = channel.permissions_for(member)
    missing = [one for one, needed in _NEEDED if needed and not getattr(allowed, one)]
    if missing:
        names = ", ".join(one.replace("_", " ") for one in missing)
        return Check(name, Level.PROBLEM, f"in #{channel.name} the bot may not: {names}")
    return Check(name, Level.OK, f"#{channel.name}")
