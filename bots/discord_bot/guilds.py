"""Where on Discord something happens: in whose guild, in which room, as what place."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import discord

from bots.discord_bot.events import where_of
from bots.places import Places, Room, closed
from core.models import Platform, Where
from core.settings_lists import TenantSettings


@dataclass(frozen=True, slots=True)
class Here:
    """A place in a guild that has runbooks."""

    tenant: TenantSettings
    room: Room
    where: Where


class Guilds:
    """Knows which of the bot's guilds have runbooks."""

    def __init__(self, client: discord.Client, places: Places) -> None:
        self._client = client
        self._places = places

    def here(self, guild_id: int | None, channel: object, *, private: bool = False) -> Here | None:
        """Return the place; None where its guild has no runbooks. A direct message is in none."""
        tenant = self._tenant(guild_id)
        if tenant is None:
            return None
        where = where_of(channel, private=private)
        room = Room() if guild_id is None else self._places.room(where.channel_id)
        if own := closed_id(channel):
            room = closed(room, Platform.DISCORD, own)
        return Here(tenant, room, where)

    def in_guild(self, guild_id: int, channel: object) -> Here | None:
        """Return a direct message as a place of a guild's tenant: it sees what everyone sees."""
        tenant = self._tenant(guild_id)
        return None if tenant is None else Here(tenant, Room(), where_of(channel, private=True))

    async def of(self, user: discord.abc.User) -> list[discord.Guild]:
        """Return the guilds with runbooks that somebody is in, one for each tenant."""
        found: dict[str, discord.Guild] = {}
        for guild in self._client.guilds:
            tenant = self._tenant(guild.id)
            if tenant and tenant.name not in found and await _is_in(guild, user):
                found[tenant.name] = guild
        return list(found.values())

    def is_admin(self, interaction: discord.Interaction[Any]) -> bool:
        """Return whether who acts is an admin of the tenant, by the settings alone."""
        tenant = self._tenant(interaction.guild_id)
        roles = getattr(interaction.user, "roles", ())
        ids = [str(role.id) for role in roles]
        return tenant is not None and is_admin(tenant, str(interaction.user.id), ids)

    def sources(self, guild_id: int | None) -> set[str] | None:
        """Return the names of the sources of a guild's tenant; None where none are set up."""
        tenant = self._tenant(guild_id)
        return self._places.sources(tenant.name) if tenant else set()

    def _tenant(self, guild_id: int | None) -> TenantSettings | None:
        if guild_id is None:
            return None
        return self._places.tenant(str(guild_id), self._first())

    def _first(self) -> str | None:
        """Return the guild that the bot has been in for the longest time."""
        joined = [
            (guild.me.joined_at, guild.id)
            for guild in self._client.guilds
            if guild.me and guild.me.joined_at
        ]
        if joined:
            return str(min(joined)[1])
        return str(self._client.guilds[0].id) if self._client.guilds else None


def closed_id(channel: object) -> str:
    """Return the id of a channel or thread that not everybody of its guild sees; empty for others.

    A thread whose channel is not known counts as closed.
    """
    if isinstance(channel, discord.Thread):
        if channel.is_private() or channel.parent is None:
            return str(channel.id)
        channel = channel.parent
    if not isinstance(channel, discord.abc.GuildChannel):
        return ""
    seen = channel.permissions_for(channel.guild.default_role).view_channel
    return "" if seen else str(channel.id)


def is_admin(tenant: TenantSettings, user_id: str, role_ids: Collection[str]) -> bool:
    """Return whether somebody is an admin of a tenant, by their own id or one of their roles."""
    admins = tenant.admins
    return user_id in admins.discord_users or not set(role_ids).isdisjoint(admins.discord_roles)


async def _is_in(guild: discord.Guild, user: discord.abc.User) -> bool:
    try:
        await guild.fetch_member(user.id)
    except discord.NotFound:
        return False
    return True
