"""From a question's text to an outcome: help, or the better of what was found."""

from dataclasses import dataclass, replace

from core.evidence import Calibration, decide
from core.greetings import asks_for_help
from core.models import Question, Scope
from core.outcomes import Answer, Finding, Help, Outcome, Refusal, UnknownName, WeakAnswer
from core.retrieval import Retriever

_STRAY = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127))


@dataclass(frozen=True, slots=True)
class Answered:
    """An outcome and, unless it is help, the finding behind it."""

    outcome: Outcome
    finding: Finding | None = None


class Answerer:
    """Answers questions from the index: the one way that chats, terminal and evaluation share."""

    def __init__(
        self, retriever: Retriever, calibration: Calibration, *, longest: int = 4000
    ) -> None:
        self._retriever = retriever
        self._calibration = calibration
        self._longest = longest

    @property
    def model(self) -> str:
        """Return the fingerprint of the model that embeds the questions."""
        return self._retriever.model

    @property
    def calibration(self) -> Calibration:
        """Return what outcomes are decided by."""
        return self._calibration

    def recalibrate(self, calibration: Calibration) -> None:
        """Decide by another calibration from the next question on."""
        self._calibration = calibration

    async def answer(
        self, text: str, *, tenant: str, scope: Scope, context: str = "", limit: int = 10
    ) -> Answered:
        """Answer a question; with `context` (the breadcrumb that it follows) also together with it.

        Of the two searches the one with the better evidence wins; a name in the breadcrumb was not
        asked for and is none. Text beyond the longest question is not searched.

        Raises:
            IndexUnavailable: the index cannot be reached.
        """
        question = searchable_text(text)[: self._longest]
        if asks_for_help(question):
            return Answered(Help())
        alone = await self._retriever.find(question, tenant=tenant, scope=scope, limit=limit)
        if not context:
            return self._decided(alone)
        both = f"{context} {question}"
        together = await self._retriever.find(both, tenant=tenant, scope=scope, limit=limit)
        together = replace(together, exact=together.exact and alone.exact)
        return max(self._decided(alone), self._decided(together), key=_confidence)

    def _decided(self, finding: Finding) -> Answered:
        return Answered(decide(finding, self._calibration), finding)


def searchable_text(text: str) -> str:
    """Return the text without control characters, lone surrogates replaced, ends trimmed."""
    valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return valid.translate(_STRAY).strip()


def clean(question: Question) -> Question:
    """Return a question whose text can be searched and written down."""
    return replace(question, text=searchable_text(question.text))


def _confidence(answered: Answered) -> float:
    match answered.outcome:
        case Answer() | WeakAnswer() | Refusal() as outcome:
            return outcome.evidence.confidence
        case Help() | UnknownName():
            return 0.0
