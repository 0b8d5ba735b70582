"""The settings that are groups of values, one class a concern: `[group] name = …` in the file."""

import os
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, ValidationInfo, field_validator

from core.settings_lists import Group

PIECE_CHARS = 1000
"""How long a piece is where a kind of splitter needs a length and none is set."""

NO_RERANKER = "none"
"""The name, in the settings, that leaves what was found in the order of the search."""

FULL_LENGTHS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""How long the vectors of OpenAI's models are where no other length is asked for."""
OPENAI = "https://api.openai.com/v1"

_ADDRESS = r"^https?://[^@\s/?#]+(/[^@\s?#]*)?$"
"""A base URL: nobody's login is in it, and a path can be added to it."""

_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_REPLICAS = re.compile(r"|[1-9]\d?|majority|quorum|all")

DESTRUCTIVE = (
    "delete", "destroy", "drain", "drop", "--force", "--hard", "kill -9", "mkfs", "purge", "reset",
    "rm -r", "rm -rf", "scale --replicas=0", "shutdown", "terminate", "truncate", "wipe",
)  # fmt: skip


def _at_home(file: Path) -> Path:
    """Return a path with `~` replaced; one of a user who is not there is left as it is."""
    return Path(os.path.expanduser(file))


def _base_url(url: str) -> str:
    """Check an address; what is wrong with it is said without it, for it may hold a password."""
    if not re.fullmatch(_ADDRESS, url):
        raise ValueError(
            "it must be an address such as https://host.example.com/path, "
            "without a login and without ? or #"
        )
    return url


def _collection(name: str) -> str:
    if not _COLLECTION.fullmatch(name):
        raise ValueError(
            "it may have up to 64 letters (a to z), digits, hyphens and underscores, "
            "and begins with a letter or digit"
        )
    return name


def _consistency(replicas: str) -> str:
    if not _REPLICAS.fullmatch(replicas):
        raise ValueError("it must be a number from 1 to 99, majority, quorum or all")
    return replicas


_Address = Annotated[str, AfterValidator(_base_url)]
_File = Annotated[Path, AfterValidator(_at_home)]


class QdrantSettings(Group):
    """A Qdrant server or cluster; without a URL, vectors live in the data folder.

    `timeout` is in seconds, over all that one question asks of it at once. `collection` is the
    alias by which the live collection is found, and the beginning of every collection's name.
    `shards`, `replicas` and `write_consistency` are given to a collection when it is made;
    `read_consistency` is a number of replicas, or `majority`, `quorum` or `all` (empty: one).
    """

    url: _Address | None = None
    api_key: SecretStr | None = None
    timeout: float = Field(default=5.0, gt=0, le=120)
    collection: Annotated[str, AfterValidator(_collection)] = "nightlamp"
    shards: int = Field(default=1, ge=1, le=1000)
    replicas: int = Field(default=1, ge=1, le=100)
    write_consistency: int = Field(default=1, ge=1, le=100)
    read_consistency: Annotated[str, AfterValidator(_consistency)] = ""
    exact: bool = False

    @field_validator("write_consistency")
    @classmethod
    def _reachable(cls, acknowledged: int, info: ValidationInfo) -> int:
        """Check that no write waits for more replicas than there are."""
        replicas = info.data.get("replicas", acknowledged)
        if acknowledged > replicas:
            raise ValueError(f"it must be at most the number of replicas, {replicas}")
        return acknowledged


class EmbeddingSettings(Group):
    """The model that turns text into vectors, what runs it, its prefixes and its threads.

    With a `base_url` a server that speaks OpenAI's embeddings runs it. `dimensions` is how long its
    vectors are (0: as long as OpenAI makes them) and `window` how many tokens of a text it reads.
    """

    model: str = Field(default="all-MiniLM-L6-v2", min_length=1)
    base_url: _Address | None = Field(default=None, validate_default=True)
    api_key: SecretStr | None = None
    dimensions: int = Field(default=0, ge=0, le=65_536, validate_default=True)
    window: int = Field(default=8191, ge=64, le=1_000_000)
    backend: Literal["auto", "onnx", "torch"] = "auto"
    query_prefix: str = ""
    passage_prefix: str = ""
    threads: int = Field(default=2, ge=1, le=256)
    batch_size: int = Field(default=16, ge=1, le=1024)
    cache: bool = True

    @field_validator("base_url")
    @classmethod
    def _named(cls, base_url: str | None, info: ValidationInfo) -> str | None:
        """Check that a model of OpenAI's has an address: no text leaves the machine unasked."""
        if base_url is None and (model := info.data.get("model")) in FULL_LENGTHS:
            raise ValueError(
                f"set it to {OPENAI}, to have {model} embed questions and passages there"
            )
        return base_url

    @field_validator("dimensions")
    @classmethod
    def _known(cls, dimensions: int, info: ValidationInfo) -> int:
        """Check that the length of a server's vectors is known before it has made any."""
        served, model = info.data.get("base_url"), info.data.get("model")
        if served and not dimensions and model not in FULL_LENGTHS:
            raise ValueError("set it to the length of the vectors of the model at the base URL")
        return dimensions

    @property
    def length(self) -> int:
        """Return how long the vectors of a model at the base URL are."""
        return self.dimensions or FULL_LENGTHS[self.model]


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
            raise ValueError(f"it must be at most half of the size, {size // 2}")
        return overlap

    @property
    def piece_chars(self) -> int:
        """Return how long a piece may be; 0 for whole sections and documents."""
        whole = self.kind == "document" or (self.kind == "section" and not self.size)
        return 0 if whole else self.size or PIECE_CHARS


class RetrievalSettings(Group):
    """How sections are ranked and shown.

    `reranker` is `none`, a folder, or a name on the Hugging Face hub; it puts the first
    `reranker_candidates` sections in order within `reranker_seconds`, or their order stands.
    """

    fusion: Literal["mix", "rrf"] = "mix"
    rrf_k: int = Field(default=60, ge=1, le=1000)
    search: Literal["fused", "dense", "keyword"] = "fused"
    results: Literal["cards", "hits"] = "cards"
    candidates: int = Field(default=80, ge=20, le=1000)
    dense_min_documents: int = Field(default=50, ge=0)
    card_chars: int = Field(default=1700, ge=200, le=20_000)
    vocabulary: tuple[_File, ...] = ()
    reranker: str = Field(default=NO_RERANKER, min_length=1)
    reranker_candidates: int = Field(default=20, ge=2, le=60)
    reranker_seconds: float = Field(default=1.0, gt=0, le=60)


class LimitSettings(Group):
    """How much one person or one channel may ask, and how large things may be."""

    per_person: int = Field(default=10, ge=1, description="questions a minute")
    per_channel: int = Field(default=30, ge=1, description="questions a minute")
    question_chars: int = Field(default=4000, ge=100, le=100_000)
    file_bytes: int = Field(default=5_000_000, ge=1000)
    git_seconds: float = Field(default=120.0, gt=0, le=3600)
    lost_places: float = Field(default=0.1, ge=0, le=1)


class CardSettings(Group):
    """What is pointed out on a card."""

    destructive: tuple[str, ...] = DESTRUCTIVE
    stale_months: int = Field(default=12, ge=1, le=120)


class JournalSettings(Group):
    """How long the journal keeps what people wrote, in days; what is counted stays."""

    retention_days: int = Field(default=180, ge=1, le=3650)


class DiscordSettings(Group):
    """The Discord bot. Off without a token."""

    token: SecretStr | None = None


class SlackSettings(Group):
    """The Slack app. Socket Mode wants both tokens, HTTP mode the signing secret."""

    bot_token: SecretStr | None = None
    app_token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    api_url: _Address | None = None
    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=3000, ge=0, le=65535)


class LlmSettings(Group):
    """A language model for written answers. Off without a base URL and a model.

    `deadline` is in seconds, over everything that one answer takes; `context_chars` bounds the
    sections given to it. `temperature` may be `none`, for models that take no temperature.
    `judge_weak` asks the model first whether the sections of a weak answer answer the question.
    """

    base_url: _Address | None = None
    model: str | None = None
    api_key: SecretStr | None = None
    token_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105
    max_tokens: int = Field(default=400, ge=16, le=8192)
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    deadline: float = Field(default=20.0, gt=0, le=300)
    context_chars: int = Field(default=8000, ge=500, le=200_000)
    answers_per_day: int = Field(default=500, ge=0)
    answers_per_person_per_day: int = Field(default=50, ge=0)
    judge_weak: bool = False

    @field_validator("temperature", mode="before")
    @classmethod
    def _omitted(cls, temperature: object) -> object:
        """Read `none` as leaving the temperature to the server: TOML has no word for nothing."""
        omitted = isinstance(temperature, str) and temperature.strip().lower() == "none"
        return None if omitted else temperature

    @property
    def enabled(self) -> bool:
        """Return whether answers are written at all."""
        return bool(self.base_url and self.model)
