"""The words of the domain. Plain frozen values: no I/O, no platform types, no vendor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
class Document:
    """One file of a source.

    `text` is the cleaned text: decoded, without BOM and frontmatter, LF line ends, secrets
    replaced, nothing else changed. `first_line` is the 1-based line of the original file at which
    it starts. `hash` covers text, metadata and the source's settings.
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


@dataclass(frozen=True, slots=True)
class Section:
    """From a heading to the next heading of any level: what is ranked, linked and voted on.

    `headings` lead from the root to this section, its own last; empty for the text before the first
    heading. `span` is in the document's cleaned text and `text` is exactly that slice. Lines are
    1-based lines of the original file, inclusive. `anchor` is GitHub's, without `#`; empty where
    there is none. `names` are the exact names (lower case) by which an alert finds the section.
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
    a table or fence was cut its repeated head, and the slice.
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


# --- what is found ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ranks:
    """1-based rank in each raw list; None where the list did not hold the section."""

    dense: int | None = None
    passage: int | None = None
    section: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A section with how near it is.

    `distance` is 1 − cosine of its best passage (0 the same, None while the dense half is closed),
    `keyword_score` the share of the question's ideal BM25 that it reaches (0 to about 1), `score`
    what it was ranked by, `passage` the stretch that matched best.
    """

    section: Section
    distance: float | None
    keyword_score: float
    score: float
    ranks: Ranks
    passage: Span


@dataclass(frozen=True, slots=True)
class Result:
    """What is shown for one page: its best hit and, where both fit a card, its next best."""

    hits: tuple[Hit, ...]

    @property
    def best(self) -> Hit:
        """Return the hit that the result stands for."""
        return self.hits[0]

    @property
    def text(self) -> str:
        """Return the whole sections, best first, joined by a blank line."""
        return "\n\n".join(hit.section.text for hit in self.hits)


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the dense half of the search counted, and if not, why (one of a few fixed words)."""

    dense: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """Confidence below `weak` is a refusal, below `answer` a weak answer."""

    weak: float
    answer: float


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds that embedding the question, searching, and the whole took."""

    embed: float = 0.0
    search: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What retrieval found for a question, before anything is decided.

    `signals` are the named figures that evidence decides on; `vector` the question's embedding,
    None while the dense half is closed; `exact` whether an alert's or identifier's name was met
    exactly by the first result.
    """

    results: tuple[Result, ...]
    signals: Mapping[str, float]
    gate: Gate
    vector: Vector | None = None
    exact: bool = False
    timing: Timing = Timing()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why an outcome is what it is: the calibrated confidence (0 to 1) and what it was cut at."""

    confidence: float
    cutoffs: Cutoffs
    distance: float | None
    signals: Mapping[str, float] = field(default_factory=dict)
    gate: Gate = Gate(dense=True)
    timing: Timing = Timing()


@dataclass(frozen=True, slots=True)
class Answer:
    """Strong evidence: the results, best first."""

    results: tuple[Result, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class WeakAnswer:
    """Some evidence: the closest there is, said to be no more than that."""

    results: tuple[Result, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Refusal:
    """No evidence; the nearest misses are kept for the gap report."""

    nearest: tuple[Result, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Help:
    """A greeting, thanks or nothing at all was asked: say what can be asked."""


Outcome = Answer | WeakAnswer | Refusal | Help


def shown(outcome: Outcome) -> tuple[Result, ...]:
    """Return the results of any outcome: those of an answer, or a refusal's nearest misses."""
    match outcome:
        case Answer(results) | WeakAnswer(results) | Refusal(results):
            return results
        case Help():
            return ()
