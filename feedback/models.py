"""The words of what the runbooks do not know yet: gaps, what was decided on them, and reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.exchanges import Choice, Exchange, LoggedGap, Person, Reason
from core.models import Vote


class GapKind(StrEnum):
    """What the runbooks lack."""

    MISSING = "missing"  # nothing near
    WRONG = "wrong"  # a section was shown and voted down
    STALE = "stale"  # thumbs fell, or somebody said "outdated"
    FINDABLE = "findable"  # it is there: somebody chose a lower result


class GapStatus(StrEnum):
    """Where a gap stands. Only `open`, `owned` and a snooze that ran out are in the digest."""

    OPEN = "open"
    OWNED = "owned"
    SNOOZED = "snoozed"
    DISMISSED = "dismissed"  # "not a gap"
    DONE = "done"  # a person named the section that answers
    CLOSED = "closed"  # a build answers it now


@dataclass(frozen=True, slots=True)
class SectionRef:
    """A section as the journal knows it: enough to name and link it, no text."""

    section_id: str
    document_id: str
    source: str
    path: str
    breadcrumb: str
    visibility: tuple[str, ...]
    distance: float | None = None


@dataclass(frozen=True, slots=True)
class GapRecord:
    """What is remembered of a gap from week to week: its name, members, and what was decided.

    `id` is short enough to be typed on a phone (`G-7KQ2`). A gap keeps its id while its questions
    do: an exchange belongs to one gap for good.
    """

    id: str
    tenant: str
    created_at: datetime
    exchange_ids: tuple[str, ...]
    status: GapStatus = GapStatus.OPEN
    owner: Person | None = None
    snoozed_until: datetime | None = None
    section: SectionRef | None = None  # that answers it: by a person (done) or by a build (closed)
    build: str = ""  # that closed it
    changed_at: datetime | None = None
    changed_by: Person | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the journal holds of one window of one tenant, as gaps are made from it.

    `exchanges` are all that were asked in the window, oldest first, without those that were help
    or were never answered for a fault; `votes` those that still stand, by exchange id.
    """

    exchanges: tuple[Exchange, ...]
    votes: Mapping[str, Mapping[Person, Vote]] = field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()
    choices: tuple[Choice, ...] = ()
    logged: tuple[LoggedGap, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)  # "resolved by" notes, by exchange id


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions that mean the same and that the runbooks did not answer.

    `sample` is how somebody worded it, empty where every wording is private or of a narrower place
    than the reader's; `before` is the count in the window of the same length before.
    """

    record: GapRecord
    kind: GapKind
    count: int
    askers: int
    before: int
    sample: str
    nearest: SectionRef | None
    suggested_path: str
    suggested_owner: str
    visibility: tuple[str, ...]
    last_asked: datetime


@dataclass(frozen=True, slots=True)
class Numbers:
    """A window in figures. Keyword-only and failed outcomes count as asked, never as unanswered."""

    asked: int
    answered: int
    weak: int
    refused: int
    people: int
    thumbs_up: int
    thumbs_down: int
    median_ms: float

    @property
    def answer_rate(self) -> float | None:
        """Return the share of questions answered strongly; None when nothing was asked."""
        return self.answered / self.asked if self.asked else None


@dataclass(frozen=True, slots=True)
class SectionUse:
    """How a section did: how often shown first, and its standing votes."""

    section: SectionRef
    shown: int
    up: int
    down: int


@dataclass(frozen=True, slots=True)
class GapReport:
    """One tenant's window, for readers who see `visibility`: what a digest is made from."""

    tenant: str
    since: datetime
    until: datetime
    visibility: tuple[str, ...]
    gaps: tuple[Gap, ...]  # open ones, the most pressing first
    closed: tuple[Gap, ...]  # since the window began
    numbers: Numbers
    before: Numbers
    useful: tuple[SectionUse, ...] = ()
    voted_down: tuple[SectionUse, ...] = ()  # that only got 👎
    never_found: tuple[str, ...] = ()  # paths of documents
    days: tuple[tuple[str, int, int], ...] = ()  # (day, asked, unanswered), for the chart
