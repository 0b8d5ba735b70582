"""What the settings say of a place on a platform: whose it is, what is seen there. Pure."""

from dataclasses import dataclass, field, replace

from core.models import Platform, Scope
from core.settings import Settings
from core.settings_lists import DEFAULT_TENANT, ChannelSettings, TenantSettings


@dataclass(frozen=True, slots=True)
class Room:
    """A channel: what its searches see, when the bot listens there, and where answers go."""

    scope: Scope = field(default_factory=Scope)
    mode: str = "mention"
    answers: str = "channel"


def label_of(platform: Platform, channel_id: str) -> str:
    """Return the label of a place's own: no setting can name one with a colon."""
    return f"{platform}:{channel_id}"


def closed(room: Room, platform: Platform, channel_id: str) -> Room:
    """Return a room that not everybody may enter: what is said in it is for its own readers."""
    return replace(room, scope=reading(room.scope, platform, channel_id))


def reading(scope: Scope, platform: Platform, *channel_ids: str) -> Scope:
    """Return what is read in a place: what is seen there, and what was said there while closed.

    Whoever is quoted what was said in a closed place must hold its label.
    """
    labels = (label_of(platform, one) for one in channel_ids if one)
    return replace(scope, visibility=tuple(dict.fromkeys((*scope.visibility, *labels))))


class Places:
    """Looks up tenants and channels by a platform's ids."""

    def __init__(self, settings: Settings, platform: Platform) -> None:
        self._settings = settings
        self._tenants = {
            id_: tenant for tenant in settings.tenants for id_ in _homes(tenant, platform)
        }
        self._rooms = {
            one.id: _room(one) for one in settings.channels if one.platform == platform.value
        }

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the ids of the configured channels."""
        return tuple(self._rooms)

    def room(self, channel_id: str) -> Room:
        """Return a channel's settings; one without a row sees what everyone sees."""
        return self._rooms.get(channel_id, Room())

    def tenant(self, home: str, own: str | None) -> TenantSettings | None:
        """Return whose runbooks a guild or workspace has; None where it is not mapped.

        Where no tenant is configured, the bot's `own` has all runbooks, if they are of one tenant:
        the first guild that it joined, the workspace that it is installed in. So it has those of
        the one tenant that names neither guild nor workspace.
        """
        tenants = self._settings.tenants
        if len(tenants) == 1 and not (tenants[0].discord_guilds or tenants[0].slack_teams):
            return tenants[0] if home == own else None
        if tenants:
            return self._tenants.get(home)
        names = {source.tenant for source in self._settings.sources} or {DEFAULT_TENANT}
        return TenantSettings(name=min(names)) if home == own and len(names) == 1 else None

    def sources(self, tenant: str) -> set[str] | None:
        """Return the names of a tenant's sources, there may be none; None where none are set up.

        Then there is the starter corpus, which is everybody's to know of.
        """
        if not self._settings.sources:
            return None
        return {one.name for one in self._settings.sources if one.tenant == tenant}


def _homes(tenant: TenantSettings, platform: Platform) -> tuple[str, ...]:
    return tenant.slack_teams if platform is Platform.SLACK else tenant.discord_guilds


def _room(channel: ChannelSettings) -> Room:
    scope = channel.scope
    return Room(Scope(scope.service, scope.type, scope.visibility), channel.mode, channel.answers)
