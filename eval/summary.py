"""What a whole run says: means with their intervals, outcomes by kind, what confidence tells. Pure.

Every mean is over all questions of its kind, whether they got an outcome or not. Only what less is
better of leaves out those that got none, since failing is no saving: characters, questions refused,
and strong answers to what must be refused. Each interval says over how many it is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from eval.dataset import Kind
from eval.intervals import Interval, mean_interval, paired_difference
from eval.metrics import FIGURES, Score, known, paired
from eval.timing import middle

OUTCOMES = ("answer", "weak", "refusal", "error")
TOP = 3

MORE_IS_BETTER = (
    *(name for name in FIGURES if not name.startswith("chars")),
    "strong", "strong_hit1", "refused_near", "refused_unrelated", "refused_unanswerable",
    "auroc_near", "auroc_unrelated",
)  # fmt: skip
"""The figures of `Summary.values` that must be at least so much."""

IN_CHARACTERS = tuple(name for name in FIGURES if name.startswith("chars"))
LESS_IS_BETTER = (
    *IN_CHARACTERS, "refused", "refused_top3", "strong_near", "strong_unrelated",
    "strong_unanswerable",
)  # fmt: skip
"""The figures of `Summary.values` that may be at most so much."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one run.

    `figures` are over the answerable questions that people asked, `mined` the same over those that
    nobody did; `categories` has both by category; `outcomes`
    counts by kind of question; `shares` are shares of outcomes: strong answers and refusals by
    kind, `strong_hit1` the Hit@1 among strong answers, `refused_top3` the refused among those
    whose answer is in the top three; `auroc` tells answerable questions from others by their
    confidence; `ms` has p50 and p95 of those that got an outcome.
    """

    questions: int
    failed: int
    keywords_only: int
    figures: Mapping[str, Interval]
    categories: Mapping[str, Mapping[str, Interval]]
    outcomes: Mapping[Kind, Mapping[str, int]]
    shares: Mapping[str, Interval]
    auroc: Mapping[str, float]
    ms: Mapping[str, float]
    mined: Mapping[str, Interval] = field(default_factory=dict)

    def values(self) -> dict[str, float]:
        """Return every single figure by its name, for a gate to look at."""
        means = {name: one.mean for name, one in (*self.figures.items(), *self.shares.items())}
        return means | {f"auroc_{kind}": value for kind, value in self.auroc.items()}

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values, the same for the same run but for `ms`."""
        return asdict(self)


def summarize(scores: Sequence[Score]) -> Summary:
    """Return what the scores of all questions of a run say together."""
    answerable = [score for score in scores if score.kind is Kind.ANSWERABLE]
    mined = [score for score in scores if score.kind is Kind.MINED]
    judged = [*answerable, *mined]
    categories = sorted({score.category for score in judged})
    ms = [score.ms for score in scores if not score.failed]
    return Summary(
        questions=len(scores),
        failed=sum(score.failed for score in scores),
        keywords_only=sum(score.keywords_only for score in scores),
        figures=means_of(FIGURES, answerable),
        mined=means_of(FIGURES, mined),
        categories={
            name: means_of(FIGURES, [score for score in judged if score.category == name])
            for name in categories
        },
        outcomes={kind: _counts(scores, kind) for kind in Kind if _of(scores, kind)},
        shares=_shares(scores),
        auroc=_aurocs(scores),
        ms=middle(ms) if ms else {},
    )


def means_of(figures: Iterable[str], scores: Sequence[Score]) -> dict[str, Interval]:
    """Return the mean of each figure that some questions have, by its name."""
    values = {name: known(name, scores) for name in figures}
    return {name: mean_interval(some) for name, some in values.items() if some}


def differences(
    figures: Iterable[str], ours: Sequence[Score], theirs: Sequence[Score]
) -> dict[str, Interval]:
    """Return ours − theirs of each figure that some of the same questions have in both."""
    pairs = {name: paired(name, ours, theirs) for name in figures}
    return {name: paired_difference(*both) for name, both in pairs.items() if both[0]}


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return how often a positive one is above a negative one, a tie counting half.

    The Mann-Whitney form of the area under the ROC curve (Hanley and McNeil, 1982).

    Raises:
        ValueError: either side is empty.
    """
    if not positive or not negative:
        raise ValueError("the AUROC of one side alone is undefined")
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def outcome_of(score: Score) -> str:
    """Return the outcome's name; error where there was none, which is no refusal."""
    return "error" if score.failed else score.outcome


def _of(scores: Iterable[Score], kind: Kind) -> list[Score]:
    return [score for score in scores if score.kind is kind]


def _counts(scores: Sequence[Score], kind: Kind) -> dict[str, int]:
    counted = Counter(outcome_of(score) for score in _of(scores, kind))
    return {name: counted[name] for name in OUTCOMES}


def _shares(scores: Sequence[Score]) -> dict[str, Interval]:
    answerable = _of(scores, Kind.ANSWERABLE)
    strong = [score for score in answerable if outcome_of(score) == "answer"]
    in_top = [score for score in answerable if score.rank is not None and score.rank <= TOP]
    asked = {
        "strong": [outcome_of(score) == "answer" for score in answerable],
        "strong_hit1": [score.rank == 1 for score in strong],
        "refused": [one.outcome == "refusal" for one in answerable if not one.failed],
        "refused_top3": [outcome_of(score) == "refusal" for score in in_top],
    }
    for kind in (Kind.NEAR, Kind.UNRELATED, Kind.UNANSWERABLE):
        others = _of(scores, kind)
        asked[f"strong_{kind}"] = [one.outcome == "answer" for one in others if not one.failed]
        asked[f"refused_{kind}"] = [outcome_of(score) == "refusal" for score in others]
    return {name: mean_interval([*map(float, said)]) for name, said in asked.items() if said}


def _aurocs(scores: Sequence[Score]) -> dict[str, float]:
    answerable = [score.confidence for score in _of(scores, Kind.ANSWERABLE)]
    others = {
        str(kind): [score.confidence for score in _of(scores, kind)]
        for kind in (Kind.NEAR, Kind.UNRELATED)
    }
    return {
        kind: auroc(answerable, other) for kind, other in others.items() if other and answerable
    }
