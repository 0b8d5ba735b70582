"""What is found for a question, and what is decided on it. Plain frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.models import Section, Span, Vector


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
    exactly by the first result. `unranked` says why a reranker that is set did not count.
    """

    results: tuple[Result, ...]
    signals: Mapping[str, float]
    gate: Gate
    vector: Vector | None = None
    exact: bool = False
    timing: Timing = Timing()
    unranked: str = ""


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


@dataclass(frozen=True, slots=True)
class UnknownName:
    """The question was narrowed to a service or type that no document has: nothing could be found.

    `kind` is service or type; `nearest` are names that documents have, the one most like it first.
    """

    kind: str
    name: str
    nearest: tuple[str, ...] = ()


Outcome = Answer | WeakAnswer | Refusal | Help | UnknownName


def shown(outcome: Outcome) -> tuple[Result, ...]:
    """Return the results of any outcome: those of an answer, or a refusal's nearest misses."""
    match outcome:
        case Answer(results) | WeakAnswer(results) | Refusal(results):
            return results
        case Help() | UnknownName():
            return ()
