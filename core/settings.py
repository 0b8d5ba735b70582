"""All configuration, one class a concern; read once where the program starts, then passed down.

Three places, the first wins: environment variables (`NIGHTLAMP_GROUP_NAME`), the file `.env`, and
`nightlamp.toml` (`[group] name = …`, and the lists `[[sources]]`, `[[tenants]]`, `[[channels]]`).
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from core.errors import SettingsError
from core.settings_lists import (
    DEFAULT_TENANT,
    ChannelSettings,
    Group,
    SourceSettings,
    TenantSettings,
)

PIECE_CHARS = 1000
"""How long a piece is where a kind of splitter needs a length and none is set."""

DESTRUCTIVE = (
    "delete", "destroy", "drain", "drop", "--force", "--hard", "kill -9", "mkfs", "purge", "reset",
    "rm -r", "rm -rf", "scale --replicas=0", "shutdown", "terminate", "truncate", "wipe",
)  # fmt: skip


class QdrantSettings(Group):
    """A Qdrant server; without a URL, vectors live in the data folder."""

    url: str | None = Field(default=None, pattern=r"^https?://")
    api_key: SecretStr | None = None
    timeout: float = Field(default=5.0, gt=0, le=120)


class EmbeddingSettings(Group):
    """The model that turns text into vectors, what runs it, its prefixes and its threads."""

    model: str = Field(default="all-MiniLM-L6-v2", min_length=1)
    backend: Literal["auto", "onnx", "torch"] = "auto"
    query_prefix: str = ""
    passage_prefix: str = ""
    threads: int = Field(default=1, ge=1, le=256)
    batch_size: int = Field(default=16, ge=1, le=1024)
    cache: bool = True


class SplitterSettings(Group):
    """How a document is cut into what is ranked and shown, and that into passages.

    `size` bounds in characters what is shown, 0 as the kind has it; `overlap` is how much of a
    piece the next one repeats. `passage_chars` bounds a passage of a whole section or document
    beside the model's window, `breadcrumb` says whether it is embedded under its headings.
    """

    kind: Literal["section", "fixed", "recursive", "paragraph", "header-merge", "document"] = (
        "section"
    )
    size: int = Field(default=0, ge=0, le=100_000)
    overlap: int = Field(default=0, ge=0, le=50_000)
    passage_chars: int = Field(default=900, ge=200, le=20_000)
    breadcrumb: bool = True

    @field_validator("overlap")
    @classmethod
    def _advances(cls, overlap: int, info: ValidationInfo) -> int:
        """Check that two neighbouring pieces never share more than half of one."""
        size = info.data.get("size") or PIECE_CHARS
        if 2 * overlap > size:
            raise ValueError(f"at most half of the size, {size // 2}")
        return overlap

    @property
    def piece_chars(self) -> int:
        """Return how long a piece may be; 0 for whole sections and documents."""
        whole = self.kind == "document" or (self.kind == "section" and not self.size)
        return 0 if whole else self.size or PIECE_CHARS


class RetrievalSettings(Group):
    """How sections are ranked and shown."""

    fusion: Literal["mix", "rrf"] = "mix"
    rrf_k: int = Field(default=60, ge=1, le=1000)
    search: Literal["fused", "dense", "keyword"] = "fused"
    results: Literal["cards", "hits"] = "cards"
    candidates: int = Field(default=80, ge=20, le=1000)
    dense_min_documents: int = Field(default=50, ge=0)
    card_chars: int = Field(default=1700, ge=200, le=20_000)
    vocabulary: tuple[Path, ...] = ()
    reranker: Literal["none"] = "none"


class LimitSettings(Group):
    """How much one person or one channel may ask, and how large things may be."""

    per_person: int = Field(default=10, ge=1, description="questions a minute")
    per_channel: int = Field(default=30, ge=1, description="questions a minute")
    question_chars: int = Field(default=4000, ge=100, le=100_000)
    file_bytes: int = Field(default=5_000_000, ge=1000)
    lost_places: float = Field(default=0.1, ge=0, le=1)


class CardSettings(Group):
    """What is pointed out on a card."""

    destructive: tuple[str, ...] = DESTRUCTIVE
    stale_months: int = Field(default=12, ge=1, le=120)


class DiscordSettings(Group):
    """The Discord bot. Off without a token."""

    token: SecretStr | None = None


class SlackSettings(Group):
    """The Slack app. Socket Mode wants both tokens, HTTP mode the signing secret."""

    bot_token: SecretStr | None = None
    app_token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    api_url: str | None = Field(default=None, pattern=r"^https?://")
    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=3000, ge=0, le=65535)


class LlmSettings(Group):
    """A language model for written answers. Off without a base URL and a model."""

    base_url: str | None = Field(default=None, pattern=r"^https?://")
    model: str | None = None
    api_key: SecretStr | None = None


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
        """Let the environment win over `.env`, and `.env` over what the program passes."""
        return env_settings, dotenv_settings, init_settings

    @model_validator(mode="after")
    def _consistent(self) -> "Settings":
        _distinct("sources", "name", [source.name for source in self.sources])
        _distinct("tenants", "name", [tenant.name for tenant in self.tenants])
        _distinct("tenants", "guild", [id_ for t in self.tenants for id_ in t.discord_guilds])
        _distinct("tenants", "Slack team", [id_ for t in self.tenants for id_ in t.slack_teams])
        _distinct("channels", "channel", [f"{c.platform}:{c.id}" for c in self.channels])
        known = {tenant.name for tenant in self.tenants} | {DEFAULT_TENANT}
        for source in self.sources:
            if self.tenants and source.tenant not in known:
                raise ValueError(f"sources: {source.name} names the unknown tenant {source.tenant}")
        return self


def read_settings(
    *, config: Path | None = None, dotenv: Path | None = Path(".env"), **overrides: Any
) -> Settings:
    """Read environment, `.env` and the TOML file.

    `overrides` are the lowest in rank but for the file's own values; the command line's options
    replace values afterwards, with `model_copy`.

    Raises:
        SettingsError: one sentence that names the wrong setting.
    """
    named = config or _named_config(dotenv)
    path = named or Path("nightlamp.toml")
    values = _read_toml(path, required=named is not None) | overrides
    try:
        return Settings(_env_file=dotenv, **values)  # type: ignore[call-arg]
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None
    except (ValueError, OSError) as error:
        raise SettingsError(f"A setting cannot be read: {error}.") from None


def with_values(settings: Settings, values: Mapping[str, str]) -> Settings:
    """Return settings with some replaced, named as in the TOML file (`retrieval.fusion`).

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
        inside[leaf] = value
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None


def secret(value: SecretStr | None) -> str:
    """Return a secret's text, empty where it is not set."""
    return value.get_secret_value() if value else ""


def _named_config(dotenv: Path | None) -> Path | None:
    if value := os.environ.get("NIGHTLAMP_CONFIG"):
        return Path(value)
    if dotenv and dotenv.is_file():
        for line in dotenv.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "NIGHTLAMP_CONFIG" and value.strip():
                return Path(value.strip().strip("\"'"))
    return None


def _read_toml(path: Path, *, required: bool) -> dict[str, Any]:
    if not required and not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"NIGHTLAMP_CONFIG names {path}, which does not exist.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}.") from None


def _distinct(table: str, what: str, values: list[str]) -> None:
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"{table}: the {what} {value} stands there twice")


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    path = [str(part) for part in first["loc"]]
    message = first["msg"].removeprefix("Value error, ")
    if not path:
        return f"A setting is wrong: {message}."
    name = ".".join(path)
    if first["type"] == "extra_forbidden":
        return f"There is no setting named {name}: correct or remove it."
    env = (
        ""
        if path[0] in {"sources", "tenants", "channels"}
        else f" (NIGHTLAMP_{'_'.join(path).upper()})"
    )
    return f"The setting {name}{env} is wrong: {message[:1].lower() + message[1:]}."
