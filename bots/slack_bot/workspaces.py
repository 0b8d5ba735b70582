"""Whose runbooks a workspace asks, and what may be seen in its channels."""

from bots.places import Places, Room, closed
from core.models import Platform
from core.settings import Settings
from core.settings_lists import TenantSettings

_DIRECT = "D"
"""What the ids of direct messages begin with: they are private by themselves."""


class Workspaces:
    """Slack's workspaces and channels; `home` is the workspace that the app is installed in."""

    def __init__(self, settings: Settings, home: str) -> None:
        self._places = Places(settings, Platform.SLACK)
        self._home = home
        self._open: set[str] = set()

    def tenant(self, team: str) -> TenantSettings | None:
        """Return whose runbooks a workspace asks, None where it is nobody's."""
        return self._places.tenant(team, self._home)

    def room(self, channel_id: str) -> Room:
        """Return a channel's settings; one without a row has the defaults."""
        room = self._places.room(channel_id)
        if channel_id in self._open or channel_id.startswith(_DIRECT):
            return room
        return closed(room, Platform.SLACK, channel_id)

    def learn(self, channel_id: str, is_open: bool) -> None:
        """Take note of whether all may enter a channel.

        Slack tells it with messages and commands, not with mentions: but each of these is a message
        too. Until it is told, a channel counts as closed.
        """
        (self._open.add if is_open else self._open.discard)(channel_id)

    def sources(self, tenant: str) -> set[str] | None:
        """Return the names of a tenant's sources; None where none are set up."""
        return self._places.sources(tenant)
