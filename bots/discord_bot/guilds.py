"""Where on Discord something happens: in whose guild, in which room, as what place."""

from dataclasses import dataclass
from typing import Any

import discord

from bots.discord_bot.events import where_of
from bots.discord_bot.rooms import Room, Rooms, is_admin
from core.models import Where
from core.settings_lists import TenantSettings


@dataclass(frozen=True, slots=True)
class Here:
    """A place in a guild that has runbooks."""

    tenant: TenantSettings
    room: Room
    where: Where


class Guilds:
    """Knows which of the bot's guilds have runbooks."""

    def __init__(self, client: discord.Client, rooms: Rooms) -> None:
        self._client = client
        self._rooms = rooms

    def here(self, guild_id: int | None, channel: object, *, private: bool = False) -> Here | None:
        """Return the place; None where its guild has no runbooks. A direct message is in none."""
        tenant = self._tenant(guild_id)
        if tenant is None:
            return None
        where = where_of(channel, private=private)
        room = Room() if guild_id is None else self._rooms.room(where.channel_id)
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

    def _tenant(self, guild_id: int | None) -> TenantSettings | None:
        if guild_id is None:
            return None
        return self._rooms.tenant(str(guild_id), self._first())

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


async def _is_in(guild: discord.Guild, user: discord.abc.User) -> bool:
    try:
        await guild.fetch_member(user.id)
    except discord.NotFound:
        return False
    return True
