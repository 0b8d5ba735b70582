"""Whose runbooks a workspace asks, and what may be seen in its channels."""

from bots.places import Places, Room, closed
from core.models import Platform
from core.settings import Settings
from core.settings_lists import TenantSettings


class Workspaces:
    """Slack's workspaces and channels; `home` is the workspace that the app is installed in."""

    def __init__(self, settings: Settings, home: str) -> None:
        self._places = Places(settings, Platform.SLACK)
        self._home = home
        self._closed: set[str] = set()

    def tenant(self, team: str) -> TenantSettings | None:
        """Return whose runbooks a workspace asks, None where it is nobody's."""
        return self._places.tenant(team, self._home)

    def room(self, channel_id: str) -> Room:
        """Return a channel's settings; one without a row has the defaults."""
        room = self._places.room(channel_id)
        return closed(room, Platform.SLACK, channel_id) if channel_id in self._closed else room

    def learn_closed(self, channel_id: str) -> None:
        """Take note that not everybody may enter a channel.

        Slack tells it with messages and commands, not with mentions: but each of these is a
        message, too.
        """
        self._closed.add(channel_id)

    def sources(self, tenant: str) -> set[str] | None:
        """Return the names of a tenant's sources; None where none are set up."""
        return self._places.sources(tenant)
