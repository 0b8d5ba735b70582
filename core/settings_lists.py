"""The settings that are lists in `nightlamp.toml`: sources, tenants, channels."""

import re
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from core.cron import parse_cron
from core.models import EVERYONE, Host

DEFAULT_TENANT = "default"
HEAD = "HEAD"
LINK_FIELDS = ("commit", "path", "page", "anchor", "line_start", "line_end")
"""What a template of links may name."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_INTERVAL = re.compile(r"[1-9][0-9]{0,4}[smhd]")
_LINK = re.compile(r"https?://\S+")
_CHANNEL = re.compile(r"(?:discord|slack):.+")
_SCHEME = re.compile(r"(?:https?|ssh|git|file)://[^\s/]*/\S", re.IGNORECASE)
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/+@-]*")
_GITLAB = re.compile(r"(?:\w+://)?(?:[^@/?#]*@)?gitlab\.|https?://[^?#]+/-/blob/", re.IGNORECASE)
_FIELD = re.compile(r"\{[^{}]*\}|[{}]")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def _name(name: str) -> str:
    """Check that a name can be one of a folder, and a label."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            "it may have letters (a to z), digits, dots, hyphens and underscores, "
            "and begins with a letter or digit"
        )
    return name


def _interval(every: str) -> str:
    if not _INTERVAL.fullmatch(every):
        raise ValueError("write 15m, 2h or 1d")
    return every


def _channel(channel: str) -> str:
    if not _CHANNEL.fullmatch(channel):
        raise ValueError("write discord: or slack: and the channel's id, such as discord:456")
    return channel


def _repository(url: str) -> str:
    """Check that git would fetch from here over a protocol that only transfers.

    `ext::sh -c …` runs a command, and what begins with a hyphen is an option.
    """
    if url.startswith("-") or _HELPER.match(url) or not url.isprintable() or not url.strip():
        raise ValueError("it is no address of a repository")
    if "://" in url and not _SCHEME.match(url):
        raise ValueError("it is no address by https, http, ssh, git or file")
    return url


def _ref(ref: str) -> str:
    """Check that git would take this for the name of a branch or tag, or for a commit."""
    if not _REF.fullmatch(ref) or ".." in ref or "@{" in ref or ref.endswith((".lock", "/", ".")):
        raise ValueError("it is no name of a branch or tag, nor a commit")
    return ref


def _pattern(pattern: str) -> str:
    """Check that a pattern is one of paths below the source."""
    if not pattern.strip("/") or pattern.startswith("/") or ".." in pattern.split("/"):
        raise ValueError("a pattern is of paths below the source, such as docs/**/*.md")
    if "\\" in pattern:
        raise ValueError("a pattern has forward slashes")
    if pattern.startswith("!"):
        raise ValueError("a pattern has no ! before it: name what is left out in exclude")
    if pattern.count("{") != pattern.count("}"):
        raise ValueError("a pattern's braces hold what it may be, as in docs/**/*.{md,mdx}")
    return pattern


def _below(folder: str) -> str:
    """Check that a folder is one below the source, and return it as paths there begin."""
    place = PurePosixPath(folder)
    if not place.parts or place.is_absolute() or ".." in place.parts or "\\" in folder:
        raise ValueError("it is a folder below the source, such as content")
    return str(place)


def _template(link: str) -> str:
    """Check that a template is of links, and names nothing that no link has."""
    if not _LINK.fullmatch(link):
        raise ValueError("it must begin with https:// or http:// and have no blanks")
    known = [f"{{{name}}}" for name in LINK_FIELDS]
    for field in _FIELD.findall(link):
        if field not in known:
            raise ValueError(f"it has the unknown field {field}; there are {', '.join(known)}")
    return link


Name = Annotated[str, Field(max_length=64), AfterValidator(_name)]
Labels = Annotated[tuple[Name, ...], Field(min_length=1)]
Pattern = Annotated[str, AfterValidator(_pattern)]


class Group(BaseModel):
    """Settings of one concern; an unknown name is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceSettings(Group):
    """A place that documents come from.

    `include` and `exclude` are patterns of paths; `anchors` says whose rules the headings' anchors
    follow, `watch` whether a folder is followed while the bot serves, `every` how often a
    repository is asked for what is new. `site_root` is the folder of the source, with forward
    slashes, that a site is made from: a `{page}` is named from there.
    """

    name: Name
    path: Path | None = None
    git: Annotated[str, AfterValidator(_repository)] | None = None
    ref: Annotated[str, AfterValidator(_ref)] = HEAD
    every: Annotated[str, AfterValidator(_interval)] | None = None
    watch: bool = True
    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    link: Annotated[str, AfterValidator(_template)] | None = None
    anchors: Host | None = None
    site_root: Annotated[str, AfterValidator(_below)] | None = None
    tenant: Name = DEFAULT_TENANT
    visibility: Labels = (EVERYONE,)

    @property
    def host(self) -> Host:
        """Return what renders the pages that links lead to; GitHub where nothing tells."""
        if self.anchors is not None:
            return self.anchors
        told = self.link or self.git or ""
        return Host.GITLAB if _GITLAB.match(told) else Host.GITHUB

    @property
    def seconds(self) -> float | None:
        """Return how many seconds lie between two looks at a repository; None for no looks."""
        return int(self.every[:-1]) * _SECONDS[self.every[-1]] if self.git and self.every else None

    @model_validator(mode="after")
    def _one_place(self) -> "SourceSettings":
        if (self.path is None) == (self.git is None):
            raise ValueError("it needs either path or git")
        if self.path is not None and (self.ref != HEAD or self.every is not None):
            raise ValueError("ref and every are of a git repository, and this is a folder")
        if self.git is not None and not self.watch:
            raise ValueError(
                "watch is of a folder; a git repository without every is fetched by index alone"
            )
        if self.site_root is not None and "{page}" not in (self.link or ""):
            raise ValueError("site_root is for a link with {page}, and this source has none")
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
    channels: tuple[Annotated[str, AfterValidator(_channel)], ...] = ()

    @model_validator(mode="after")
    def _known(self) -> "DigestSettings":
        if self.timezone not in available_timezones():
            raise ValueError(
                f"timezone {self.timezone!r} is not an IANA name such as Europe/Berlin"
            )
        parse_cron(self.cron)
        return self


class TenantSettings(Group):
    """Whose runbooks: the guilds and workspaces that map to one tenant.

    `notices` says where people are told that what they asked has an answer now.
    """

    name: Name
    discord_guilds: tuple[str, ...] = ()
    slack_teams: tuple[str, ...] = ()
    admins: AdminSettings = AdminSettings()
    oncall: OncallSettings = OncallSettings()
    digests: tuple[DigestSettings, ...] = ()
    notices: Literal["thread", "direct", "off"] = "thread"


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
