"""Questions of people on call, by what they mean: what the grouping of gaps is fitted to.

`gap_groups.jsonl` has one JSON object a line: `{"id", "group", "half", "question"}`. The half says
what a question is for: `A` to fit on, `B` to report on; a group lies in one half.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

SHIPPED = Path(__file__).parent / "gap_groups.jsonl"
SERVICES = (
    "billing",
    "catalog",
    "checkout",
    "notifications",
    "orders",
    "payments",
    "recommendations",
    "search",
)
"""The services of the company that the questions are of, as its runbooks would name them."""


@dataclass(frozen=True, slots=True)
class GroupedQuestion:
    """A question and the group of those that mean the same."""

    id: str
    group: str
    half: str
    question: str


@dataclass(frozen=True, slots=True)
class PairScores:
    """How well pairs that belong together were found: precision, recall, and their F1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Return the harmonic mean; 0 where nothing was found."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def read_gap_groups(path: Path = SHIPPED, half: str = "") -> tuple[GroupedQuestion, ...]:
    """Read the questions, or those of one half, in their order."""
    lines = path.read_text(encoding="utf-8").split("\n")
    found = (GroupedQuestion(**json.loads(line)) for line in lines if line.strip())
    return tuple(one for one in found if half in {"", one.half})


def pair_scores(labels: Sequence[str], found: Sequence[int]) -> PairScores:
    """Compare clusters with labels over all pairs of questions."""
    together = right = 0
    wanted = sum(count * (count - 1) // 2 for count in Counter(labels).values())
    for (label, cluster), (other_label, other) in combinations(zip(labels, found, strict=True), 2):
        together += cluster == other
        right += cluster == other and label == other_label
    return PairScores(right / together if together else 0.0, right / wanted if wanted else 0.0)
