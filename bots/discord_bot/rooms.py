"""What the settings say of a place on Discord: whose it is, what is seen there, who is an admin."""

from collections.abc import Collection
from dataclasses import dataclass, field

from core.models import Platform, Scope
from core.settings import Settings
from core.settings_lists import DEFAULT_TENANT, ChannelSettings, TenantSettings


@dataclass(frozen=True, slots=True)
class Room:
    """A channel: what its searches see, when the bot listens there, and where answers go."""

    scope: Scope = field(default_factory=Scope)
    mode: str = "mention"
    answers: str = "channel"


class Rooms:
    """Looks up tenants and channels by Discord's ids."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tenants = {id_: one for one in settings.tenants for id_ in one.discord_guilds}
        self._rooms = {
            one.id: _room(one)
            for one in settings.channels
            if one.platform == Platform.DISCORD.value
        }

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the ids of the configured channels."""
        return tuple(self._rooms)

    def room(self, channel_id: str) -> Room:
        """Return a channel's settings; one without a row sees what everyone sees."""
        return self._rooms.get(channel_id, Room())

    def tenant(self, guild_id: str, first_guild: str | None) -> TenantSettings | None:
        """Return whose runbooks a guild has; None where it is not mapped.

        Where no tenant is configured the first guild that the bot joined has all runbooks, if they
        are of one tenant.
        """
        if self._settings.tenants:
            return self._tenants.get(guild_id)
        names = {source.tenant for source in self._settings.sources} or {DEFAULT_TENANT}
        return (
            TenantSettings(name=min(names)) if guild_id == first_guild and len(names) == 1 else None
        )


def is_admin(tenant: TenantSettings, user_id: str, role_ids: Collection[str]) -> bool:
    """Return whether somebody may reindex, by their own id or one of their roles."""
    admins = tenant.admins
    return user_id in admins.discord_users or not set(role_ids).isdisjoint(admins.discord_roles)


def _room(channel: ChannelSettings) -> Room:
    scope = channel.scope
    return Room(Scope(scope.service, scope.type, scope.visibility), channel.mode, channel.answers)
