"""What the measurement of approximate search counts."""

import random
from pathlib import Path

import pytest

from core.points import RawHit, RawHits
from eval.bench_tables import recall_line
from eval.recall import measure_recall, recall


def hits(*names: str) -> RawHits:
    return RawHits(dense=tuple(RawHit(name, name, 0.5) for name in names))


def test_recall_is_the_share_of_the_exact_hits_that_were_found() -> None:
    assert recall(hits("a", "b", "x"), hits("a", "b", "c", "d")) == 0.5


def test_where_nothing_is_to_be_found_nothing_is_missed() -> None:
    assert recall(hits(), hits()) == 1.0


@pytest.mark.slow
def test_few_points_have_no_graph_and_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311
    vectors = [[chance.gauss(0, 1) for _ in range(8)] for _ in range(300)]
    found = measure_recall(tmp_path / "shard", vectors, vectors[:20])
    assert (found["points"], found["indexed"], found["recall10"]) == (300, 0, 1.0)
    assert recall_line(found) == (
        "approximate search: no graph is made for 300 vectors; it is exact"
    )
