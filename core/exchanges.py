"""The words of what people do with an answer: exchanges, thumbs, reasons, choices, threads."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.models import Platform, Question, Span, Vector, Vote, Where

TOLD = "told "
"""What the event ids of exchanges begin with by which askers are told of a new answer."""


class OutcomeKind(StrEnum):
    """An outcome's name, as the journal and JSON spell it."""

    ANSWER = "answer"
    WEAK = "weak"
    REFUSAL = "refusal"
    HELP = "help"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class MessageRef:
    """One posted message, named the same way on every platform."""

    platform: Platform
    channel_id: str
    message_id: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a platform. Never a name: names change and are personal."""

    platform: Platform
    user_id: str


@dataclass(frozen=True, slots=True)
class ShownHit:
    """What the journal keeps of one result: enough to show it again and to count it.

    `section_ids` are those of its parts, best first, `passage` the stretch of the first that
    matched. No text: the index has that, and what the index no longer has must not be shown.
    """

    section_ids: tuple[str, ...]
    document_id: str
    source: str
    path: str
    breadcrumb: str
    distance: float | None
    keyword_score: float
    passage: Span
    visibility: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """An outcome as the journal keeps it. `dense` is False for a keyword-only search."""

    kind: OutcomeKind
    confidence: float
    distance: float | None
    results: tuple[ShownHit, ...]
    dense: bool
    ms: float
    vector: Vector | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question, its outcome (None until there is one) and the messages that carry it."""

    id: str
    question: Question
    recorded: Recorded | None = None
    messages: tuple[MessageRef, ...] = ()

    @property
    def told(self) -> bool:
        """Return whether nobody asked: it was asked again to tell its asker of a new answer."""
        return self.question.event_id.startswith(TOLD)


@dataclass(frozen=True, slots=True)
class Thumb:
    """One 👍 or 👎 put up (`added`) or taken back, by reaction or by button.

    `exchange_id` is given by buttons, which carry it; a reaction only knows its message.
    """

    person: Person
    vote: Vote
    added: bool
    at: datetime
    message: MessageRef
    exchange_id: str | None = None


class ReasonKind(StrEnum):
    """What was wrong with an answer, by the person who reads it."""

    WRONG_SECTION = "wrong_section"
    OUTDATED = "outdated"
    INCOMPLETE = "incomplete"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why somebody voted as they did: `text` is theirs, `right_section` what they had meant."""

    exchange_id: str
    person: Person
    kind: ReasonKind
    text: str
    at: datetime
    right_section: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Somebody looked at another result of an exchange (0-based `index` in its results)."""

    exchange_id: str
    person: Person
    index: int
    section_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LoggedGap:
    """Somebody said by hand that the runbooks lack this."""

    exchange_id: str
    person: Person
    at: datetime


@dataclass(frozen=True, slots=True)
class Escalation:
    """A human was asked. One an exchange; resolved with a note, or not yet."""

    exchange_id: str
    person: Person
    at: datetime
    resolved_by: Person | None = None
    resolved_at: datetime | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that the bot opened or was asked in: whose talk it is, and what was last asked."""

    where: Where
    opened_by: str
    exchange_id: str
    participants: frozenset[str]
