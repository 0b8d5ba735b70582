"""Whose runbooks a workspace asks, and what may be seen in its channels. Pure."""

from bots.places import Places, Room
from core.models import Platform
from core.settings import Settings
from core.settings_lists import TenantSettings


class Workspaces:
    """Slack's workspaces and channels; `home` is the workspace that the app is installed in."""

    def __init__(self, settings: Settings, home: str) -> None:
        self._places = Places(settings, Platform.SLACK)
        self._home = home

    def tenant(self, team: str) -> TenantSettings | None:
        """Return whose runbooks a workspace asks, None where it is nobody's."""
        return self._places.tenant(team, self._home)

    def room(self, channel_id: str) -> Room:
        """Return a channel's settings; one without a row has the defaults."""
        return self._places.room(channel_id)

    def sources(self, tenant: str) -> set[str]:
        """Return the names of a tenant's sources; none are named where the starter corpus is."""
        return self._places.sources(tenant)
