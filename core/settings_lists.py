"""The settings that are lists in `nightlamp.toml`: sources, tenants, channels."""

from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.models import EVERYONE

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
Labels = Annotated[tuple[Name, ...], Field(min_length=1)]

DEFAULT_TENANT = "default"


class Group(BaseModel):
    """Settings of one concern; an unknown name is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceSettings(Group):
    """A place that documents come from."""

    name: Name
    path: Path | None = None
    git: str | None = None
    ref: str = "HEAD"
    every: str | None = Field(default=None, pattern=r"^[1-9][0-9]*[smhd]$")
    link: str | None = Field(default=None, pattern=r"^https?://[^\s]+$")
    tenant: Name = DEFAULT_TENANT
    visibility: Labels = (EVERYONE,)

    @model_validator(mode="after")
    def _one_place(self) -> "SourceSettings":
        if (self.path is None) == (self.git is None):
            raise ValueError("needs either path or git")
        return self


class AdminSettings(Group):
    """Who may reindex and act on gaps. Nobody, when nobody is named."""

    discord_roles: tuple[str, ...] = ()
    discord_users: tuple[str, ...] = ()
    slack_users: tuple[str, ...] = ()
    slack_usergroups: tuple[str, ...] = ()
    slack_workspace_admins: bool = False


class OncallSettings(Group):
    """Whom "Ask a human" calls."""

    discord_role: str | None = None
    slack_usergroup: str | None = None


class DigestSettings(Group):
    """When and where the digest is posted."""

    cron: str = "0 9 * * mon"
    timezone: str = "UTC"
    channels: tuple[Annotated[str, Field(pattern=r"^(discord|slack):.+$")], ...] = ()

    @model_validator(mode="after")
    def _known(self) -> "DigestSettings":
        if self.timezone not in available_timezones():
            raise ValueError(
                f"timezone {self.timezone!r} is not an IANA name such as Europe/Berlin"
            )
        if len(self.cron.split()) != 5:
            raise ValueError("cron needs five fields: minute hour day month weekday")
        return self


class TenantSettings(Group):
    """Whose runbooks: the guilds and workspaces that map to one tenant."""

    name: Name
    discord_guilds: tuple[str, ...] = ()
    slack_teams: tuple[str, ...] = ()
    admins: AdminSettings = AdminSettings()
    oncall: OncallSettings = OncallSettings()
    digests: tuple[DigestSettings, ...] = ()


class ChannelScope(Group):
    """What a channel sees: labels of visibility, and what its searches are narrowed to."""

    service: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    visibility: Labels = (EVERYONE,)


class ChannelSettings(Group):
    """One channel: what it sees, when the bot listens there, and where answers go."""

    platform: Literal["discord", "slack"]
    id: str = Field(min_length=1)
    scope: ChannelScope = ChannelScope()
    mode: Literal["commands", "mention", "off"] = "mention"
    answers: Literal["channel", "thread", "private"] = "channel"
