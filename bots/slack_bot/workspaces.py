"""What the settings say of a workspace and a channel: whose runbooks, what may be seen. Pure."""

from core.models import Platform, Scope
from core.settings import Settings
from core.settings_lists import DEFAULT_TENANT, ChannelSettings, TenantSettings


class Workspaces:
    """Slack's workspaces and channels, as the settings know them."""

    def __init__(self, settings: Settings, home: str) -> None:
        self._settings = settings
        self._home = home
        self._channels = {
            one.id: one for one in settings.channels if one.platform == Platform.SLACK.value
        }

    def tenant(self, team: str) -> TenantSettings | None:
        """Return whose runbooks a workspace asks, None where it is nobody's.

        Where no tenants are set, the workspace that the app is installed in asks all there are, if
        they are of one tenant.
        """
        for tenant in self._settings.tenants:
            if team in tenant.slack_teams:
                return tenant
        names = {source.tenant for source in self._settings.sources} or {DEFAULT_TENANT}
        if self._settings.tenants or team != self._home or len(names) > 1:
            return None
        return TenantSettings(name=names.pop())

    def channel(self, channel_id: str) -> ChannelSettings:
        """Return a channel's settings; one without a row has the defaults."""
        return self._channels.get(channel_id) or ChannelSettings(platform="slack", id=channel_id)

    def scope(self, channel_id: str) -> Scope:
        """Return what may be seen in a channel."""
        scope = self.channel(channel_id).scope
        return Scope(scope.service, scope.type, scope.visibility)

    def sources(self, tenant: str) -> set[str]:
        """Return the names of a tenant's sources; none are named where the starter corpus is."""
        return {one.name for one in self._settings.sources if one.tenant == tenant}
