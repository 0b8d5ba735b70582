"""The settings that are groups of values, one class a concern: `[group] name = …` in the file."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from core.settings_lists import Group

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
