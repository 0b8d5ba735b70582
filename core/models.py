"""The words of the domain. Plain frozen values: no I/O, no platform types, no vendor."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

EVERYONE = "everyone"

Vector = Sequence[float]
"""An embedding, L2-normalised, so that a dot product is a cosine."""


class Platform(StrEnum):
    """Where a message lives."""

    DISCORD = "discord"
    SLACK = "slack"
    TERMINAL = "terminal"


class Host(StrEnum):
    """What renders the pages that links lead to: each makes the anchors of headings its own way."""

    GITHUB = "github"
    GITLAB = "gitlab"
    MKDOCS = "mkdocs"
    DOCUSAURUS = "docusaurus"
    HUGO = "hugo"


class Vote(StrEnum):
    """What a reader thought of an answer."""

    UP = "up"
    DOWN = "down"


# --- runbooks -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open stretch of a document's cleaned text, in characters."""

    start: int
    end: int

    def __len__(self) -> int:
        """Return the number of characters."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a document says of itself, every value a string (dates as YYYY-MM-DD)."""

    title: str
    service: str = ""
    type: str = ""
    owner: str = ""
    last_reviewed: str = ""
    alerts: tuple[str, ...] = ()
    visibility: tuple[str, ...] = (EVERYONE,)


@dataclass(frozen=True, slots=True)
class Redaction:
    """A secret that was replaced: where in the original file (1-based line), and what kind."""

    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions that an author says a section answers, and where they stood in the cleaned text."""

    at: int
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a source.

    `text` is the cleaned text: decoded, without BOM and frontmatter, LF line ends, secrets
    replaced, comments of `asked` questions left empty, nothing else changed. `first_line` is the
    1-based line of the original file at which it starts. `hash` covers text, metadata, questions
    and the source's settings. `host` renders its page.
    """

    id: str
    tenant: str
    source: str
    path: str
    metadata: Metadata
    text: str
    first_line: int
    hash: str
    redactions: tuple[Redaction, ...] = ()
    host: Host = Host.GITHUB
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """From a heading to the next heading of any level: what is ranked, linked and voted on.

    `headings` lead from the root to this section, its own last; empty for the text before the first
    heading. `span` is in the document's cleaned text and `text` is exactly that slice. Lines are
    1-based lines of the original file, inclusive. `anchor` is the host's, without `#`; empty where
    there is none. `names` are the exact names (lower case) by which an alert finds the section.
    `asked` are questions that it is said to answer: found by, never shown, not read back from an
    index.
    """

    id: str
    document_id: str
    document_hash: str
    tenant: str
    source: str
    path: str
    metadata: Metadata
    headings: tuple[str, ...]
    anchor: str
    span: Span
    line_start: int
    line_end: int
    text: str
    names: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Return the section's own heading; the document's title where it has none."""
        return self.headings[-1] if self.headings else self.metadata.title

    @property
    def breadcrumb(self) -> str:
        """Return `title › heading › …`, the title not repeated where the first heading says it."""
        path = self.headings
        if path and path[0].strip().casefold() == self.metadata.title.strip().casefold():
            path = path[1:]
        return " › ".join((self.metadata.title, *path))


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of a section that fits the embedding model's window.

    `span` is in the document's cleaned text. `embedded` is what the model sees: breadcrumb, where
    a table or fence was cut its repeated head, and the slice; or breadcrumb and a question that the
    section is said to answer, in which case `span` is the section's first slice.
    """

    id: str
    section_id: str
    document_id: str
    ordinal: int
    span: Span
    embedded: str


@dataclass(frozen=True, slots=True)
class CutDocument:
    """A document with its sections and their passages, in order: what the indexer stores."""

    document: Document
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]


# --- questions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scope:
    """What narrows a search. Empty `service` or `type` do not narrow; `visibility` always does."""

    service: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    visibility: tuple[str, ...] = (EVERYONE,)


@dataclass(frozen=True, slots=True)
class Where:
    """Where something was said. Ids of platforms are opaque strings; `thread_id` may be empty."""

    platform: Platform
    channel_id: str
    thread_id: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """Something somebody asked, in one tenant and scope.

    `follows` names the exchange that it follows up, if any. `event_id` is the platform's id of the
    event, by which a second delivery is recognised; empty where there is none.
    """

    text: str
    tenant: str
    asked_by: str
    asked_at: datetime
    where: Where
    scope: Scope = Scope()
    follows: str | None = None
    event_id: str = ""
