"""All configuration, one class a concern; read once where the program starts, then passed down.

Three places, the first wins: environment variables (`NIGHTLAMP_GROUP_NAME`), the file `.env`, and
`nightlamp.toml` (`[group] name = …`, and the lists `[[sources]]`, `[[tenants]]`, `[[channels]]`).
"""

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings.exceptions import SettingsError as Unparsed

from core.errors import SettingsError
from core.settings_groups import (
    CardSettings,
    DiscordSettings,
    EmbeddingSettings,
    JournalSettings,
    LimitSettings,
    LlmSettings,
    QdrantSettings,
    RetrievalSettings,
    SlackSettings,
    SplitterSettings,
)
from core.settings_lists import (
    DEFAULT_TENANT,
    ChannelSettings,
    SourceSettings,
    TenantSettings,
)
from core.settings_wrong import unread_variable, wrong_setting


class Settings(BaseSettings):
    """Every setting there is. Frozen; secrets are SecretStr and never printed."""

    model_config = SettingsConfigDict(
        env_prefix="NIGHTLAMP_",
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
    )

    data: Path = Path("data")
    config: Path = Path("nightlamp.toml")
    log: Literal["debug", "info", "warning", "error"] = "info"

    qdrant: QdrantSettings = QdrantSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    splitter: SplitterSettings = SplitterSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    limits: LimitSettings = LimitSettings()
    cards: CardSettings = CardSettings()
    journal: JournalSettings = JournalSettings()
    discord: DiscordSettings = DiscordSettings()
    slack: SlackSettings = SlackSettings()
    llm: LlmSettings = LlmSettings()

    sources: tuple[SourceSettings, ...] = ()
    tenants: tuple[TenantSettings, ...] = ()
    channels: tuple[ChannelSettings, ...] = ()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over `.env`, and `.env` over what the program passes.

        What else stands in `.env` is of other programs, Docker Compose for one.
        """
        if isinstance(dotenv_settings, DotEnvSettingsSource):
            dotenv_settings.env_vars = {
                name: value
                for name, value in dotenv_settings.env_vars.items()
                if name.startswith("nightlamp_")
            }
        return env_settings, dotenv_settings, init_settings

    @property
    def only_tenant(self) -> str:
        """Return whose the sources are that name no tenant: the one that there is, if just one."""
        return self.tenants[0].name if len(self.tenants) == 1 else DEFAULT_TENANT

    @model_validator(mode="after")
    def _consistent(self) -> "Settings":
        _distinct("sources", "name", [[source.name] for source in self.sources])
        _distinct("tenants", "name", [[tenant.name] for tenant in self.tenants])
        _distinct("tenants", "guild", [tenant.discord_guilds for tenant in self.tenants])
        _distinct("tenants", "Slack team", [tenant.slack_teams for tenant in self.tenants])
        _distinct("channels", "channel", [[f"{one.platform}:{one.id}"] for one in self.channels])
        known = {tenant.name for tenant in self.tenants} | {DEFAULT_TENANT}
        for number, source in enumerate(self.sources, 1):
            if self.tenants and source.tenant not in known:
                raise ValueError(
                    f"[[sources]] number {number} names the unknown tenant {source.tenant}: "
                    "name one of [[tenants]]"
                )
        return self

    @model_validator(mode="before")
    @classmethod
    def _of_the_only_tenant(cls, values: Any) -> Any:
        """Give the sources that name no tenant to the one that there is."""
        tenants, sources = values.get("tenants") or (), values.get("sources") or ()
        only = tenants[0] if isinstance(tenants, Sequence) and len(tenants) == 1 else None
        name = only.get("name") if isinstance(only, Mapping) else getattr(only, "name", None)
        if name is None or not isinstance(sources, list | tuple):
            return values
        return {**values, "sources": tuple(_of_tenant(source, name) for source in sources)}


class _Typed(Settings):
    """Settings that are checked as they are given: neither environment nor `.env` has a say."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read nothing but what the program passes."""
        return (init_settings,)


def read_settings(
    *, config: Path | None = None, dotenv: Path | None = Path(".env"), **overrides: Any
) -> Settings:
    """Read environment, `.env` and the TOML file.

    `overrides` are the lowest in rank but for the file's own values; the command line's options
    replace values afterwards, with `with_values` or `model_copy`.

    Raises:
        SettingsError: one sentence that names the wrong setting.
    """
    try:
        named = config or _named_config(dotenv)
        path = named or Path("nightlamp.toml")
        values = _read_toml(path, required=named is not None) | overrides
        return Settings(_env_file=dotenv, **values)  # type: ignore[call-arg]
    except ValidationError as error:
        raise SettingsError(wrong_setting(error, Settings)) from None
    except Unparsed as error:
        raise SettingsError(_unread(error)) from None
    except UnicodeDecodeError:
        raise SettingsError(f"{dotenv} cannot be read: save it as UTF-8 text.") from None
    except (ValueError, OSError) as error:
        raise SettingsError(f"A setting cannot be read: {error}.") from None


def with_values(settings: Settings, values: Mapping[str, str]) -> Settings:
    """Return settings with some replaced, named as in the TOML file (`retrieval.fusion`).

    These values win over every place that settings are read from; none of them is read again.

    Raises:
        SettingsError: an unknown name or a value that does not fit.
    """
    data = settings.model_dump()
    for name, value in values.items():
        group, _, key = name.partition(".")
        inside = data.get(group) if key else data
        leaf = key or group
        if not isinstance(inside, dict) or leaf not in inside:
            raise SettingsError(f"There is no setting named {name}.")
        typed = isinstance(inside[leaf], tuple) and isinstance(value, str)
        inside[leaf] = _items(name, value) if typed else value
    try:
        checked = _Typed.model_validate(data)
    except ValidationError as error:
        raise SettingsError(wrong_setting(error, Settings)) from None
    changed = {name.partition(".")[0] for name in values}
    return settings.model_copy(update={name: getattr(checked, name) for name in changed})


def meaningless_variables() -> list[str]:
    """Return the variables of the environment that are named like settings and belong to none.

    They are no error: Kubernetes sets `NIGHTLAMP_SERVICE_HOST` for a service of that name.
    """
    ours = [name for name in os.environ if name.upper().startswith("NIGHTLAMP_")]
    return sorted(n for n in ours if n.split("_")[1].lower() not in Settings.model_fields)


def secret(value: SecretStr | None) -> str:
    """Return a secret's text, empty where it is not set."""
    return value.get_secret_value() if value else ""


def _named_config(dotenv: Path | None) -> Path | None:
    """Return the file that the environment names, else `.env`; both read as for all settings.

    Raises:
        OSError, UnicodeDecodeError: `.env` cannot be read.
    """
    places: list[EnvSettingsSource] = [EnvSettingsSource(Settings)]
    if dotenv and dotenv.is_file():  # a pipe gives what it holds only once
        places.append(DotEnvSettingsSource(Settings, env_file=dotenv))
    named = (place.env_vars.get("nightlamp_config") for place in places)
    return next((Path(value) for value in named if value), None)


def _read_toml(path: Path, *, required: bool) -> dict[str, Any]:
    if not required and not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise SettingsError(f"NIGHTLAMP_CONFIG names {path}, which does not exist.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}.") from None


def _of_tenant(source: Any, tenant: str) -> Any:
    if isinstance(source, SourceSettings):
        named = "tenant" in source.model_fields_set
        return source if named else source.model_copy(update={"tenant": tenant})
    return {"tenant": tenant, **source} if isinstance(source, Mapping) else source


def _distinct(table: str, what: str, rows: Sequence[Sequence[str]]) -> None:
    """Check that no two rows of a table, nor one of them twice, have the same value."""
    first: dict[str, int] = {}
    for number, values in enumerate(rows, 1):
        for value in values:
            if value in first:
                where = " twice" if first[value] == number else f", as number {first[value]} has"
                raise ValueError(f"[[{table}]] number {number} has the {what} {value}{where}")
            first[value] = number


def _items(name: str, value: str) -> list[Any]:
    """Return the items of a list that is typed as JSON, as in the environment."""
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        items = None
    if not isinstance(items, list):
        raise SettingsError(
            f'The setting {name} is wrong: write its list as JSON, such as ["one", "two"].'
        )
    return items


def _unread(error: Unparsed) -> str:
    """Return the sentence on what is no JSON in the environment or `.env`, and should be."""
    group = re.search(r'field "(\w+)"', str(error))
    if group is None:
        return 'A setting cannot be read: write lists as JSON, such as ["one", "two"].'
    return unread_variable(group[1], Settings)
