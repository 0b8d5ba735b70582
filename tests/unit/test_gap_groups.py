"""The labelled set that the grouping is fitted to, and what it reaches on the half kept apart."""

import re
from collections import Counter
from pathlib import Path

import pytest

from core.engines.sentence import SentenceEmbedder, find_sentence_model
from eval.gap_groups import SERVICES, PairScores, pair_scores, read_gap_groups
from feedback.grouping import Wording, grouped
from feedback.subjects import known_subjects

DOCUMENT = Path(__file__).parents[2] / "docs" / "gaps.md"


def test_the_set_has_two_halves_with_groups_of_their_own() -> None:
    halves = {half: read_gap_groups(half=half) for half in "AB"}
    groups = {half: {one.group for one in found} for half, found in halves.items()}
    assert {half: (len(found), len(groups[half])) for half, found in halves.items()} == {
        "A": (275, 86),
        "B": (121, 40),
    }
    assert groups["A"].isdisjoint(groups["B"])


def test_every_question_is_there_once() -> None:
    found = read_gap_groups()
    assert Counter(one.id for one in found).most_common(1)[0][1] == 1
    assert Counter(one.question.casefold() for one in found).most_common(1)[0][1] == 1


def test_pairs_are_judged_by_both_who_belongs_and_who_does_not() -> None:
    assert pair_scores(["a", "a", "b"], [1, 1, 1]) == PairScores(1 / 3, 1.0)
    assert pair_scores(["a", "a", "b"], [1, 2, 3]) == PairScores(0.0, 0.0)
    assert PairScores(0.0, 0.0).f1 == 0.0
    assert pair_scores(["a", "a", "b"], [1, 1, 2]).f1 == 1.0


def reached(embedder_vectors: dict[str, list[float]], half: str) -> PairScores:
    questions = read_gap_groups(half=half)
    subjects = known_subjects(SERVICES)
    wordings = [
        Wording(one.id, one.question, embedder_vectors[one.id], "m", subjects.of(one.question))
        for one in questions
    ]
    clusters = {wording.id: at for at, group in enumerate(grouped(wordings)) for wording in group}
    return pair_scores([one.group for one in questions], [clusters[one.id] for one in questions])


@pytest.mark.slow
async def test_gaps_are_grouped_as_people_would_on_the_half_kept_apart() -> None:
    embedder = SentenceEmbedder(find_sentence_model("all-MiniLM-L6-v2"), threads=2)
    try:
        vectors = {
            one.id: list(await embedder.embed_question(one.question)) for one in read_gap_groups()
        }
    finally:
        await embedder.aclose()
    scores = {half: reached(vectors, half) for half in "AB"}
    assert scores["B"].f1 >= 0.8
    said = {
        half: [float(cell) for cell in re.findall(r"\d\.\d\d", row)]
        for half, row in re.findall(r"^\| ([AB])\b(.*)$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    }
    assert said == {
        half: [round(one.precision, 2), round(one.recall, 2), round(one.f1, 2)]
        for half, one in scores.items()
    }
