"""The words of written answers: what a model is asked, gives, and what is kept of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.models import Section


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent: the rules, and the data that it works on; `name` has the version."""

    name: str
    instructions: str
    content: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, as it wrote it. Tokens are None where the server does not count them."""

    text: str
    ms: float
    tokens_in: int | None = None
    tokens_out: int | None = None


class WritingOutcome(StrEnum):
    """How the writing of an answer ended, as the journal spells it."""

    STARTED = "started"
    SHOWN = "shown"
    DROPPED = "dropped"
    NO_ANSWER = "no_answer"
    FAILED = "failed"
    BUDGET = "budget"
    BREAKER = "breaker"


@dataclass(frozen=True, slots=True)
class Writing:
    """What the journal keeps of one attempt to write: figures, and never a word of the text.

    `prompt` names the prompts with their versions. `reason` is why nothing was shown, or which
    rules of the guard dropped how many sentences (`command 1, citation 2`). `kept` and `dropped`
    count sentences; tokens and milliseconds are those of all calls.
    """

    exchange_id: str
    at: datetime
    outcome: WritingOutcome
    prompt: str = ""
    model: str = ""
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    ms: float = 0.0
    kept: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Spent:
    """What was written since some time: how many asked the model, and what that took."""

    answers: int = 0
    shown: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Cited:
    """A section that a written answer cites, by the number that stands in the text."""

    number: int
    section: Section


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """A text of a model that the guard let pass; `citations` are the sections behind its `[n]`."""

    text: str
    citations: tuple[Cited, ...]
    model: str
    prompt: str
    tokens: int
    ms: float


@dataclass(frozen=True, slots=True)
class FoundNothing:
    """The model read the sections and said that they do not answer."""

    model: str
    prompt: str


WrittenOutcome = WrittenAnswer | FoundNothing
"""What may be added to a card; there may be nothing at all."""
