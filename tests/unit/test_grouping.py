"""Groups by meaning, over vectors whose angles are the meanings."""

from array import array

import numpy as np
import pytest

from core.models import Vector
from feedback.grouping import Wording, grouped, keywords
from feedback.subjects import Subject, known_subjects
from tests.gap_world import direction

SUBJECTS = known_subjects(["payments", "search"])


def wording(
    id_: str,
    angle: float | None = None,
    *,
    text: str = "",
    model: str = "m",
    gap: str = "",
) -> Wording:
    said = text or f"word{id_}"
    vector = None if angle is None else direction(angle)
    return Wording(id_, said, vector, model if vector else "", SUBJECTS.of(said), gap)


def ids(wordings: list[Wording], *gaps: str) -> list[list[str]]:
    return [[one.id for one in group] for group in grouped(wordings, gaps)]


def test_what_is_near_is_one_group_and_what_is_far_is_not() -> None:
    near = [wording("a", 0), wording("b", 90), wording("c", 5), wording("d", 95)]
    assert ids(near) == [["a", "c"], ["b", "d"]]


def test_nothing_gives_no_group() -> None:
    assert ids([]) == []


def test_vectors_of_another_model_are_not_compared() -> None:
    assert ids([wording("a", 0), wording("b", 0, model="other")]) == [["a"], ["b"]]


def test_a_model_and_its_export_are_one() -> None:
    torch, onnx = "M:torch:fp32:1", "M:onnx:fp32:1"
    assert ids([wording("a", 0, model=torch), wording("b", 0, model=onnx)]) == [["a", "b"]]


def test_without_a_vector_the_same_words_join_in_whatever_order() -> None:
    assert ids(
        [
            wording("a", text="how do I unseal Vault?"),
            wording("b", 0, text="vault unseal please"),
            wording("c", text="vault token"),
        ]
    ) == [["a", "b"], ["c"]]


def test_questions_of_words_that_say_nothing_do_not_join_by_them() -> None:
    assert keywords("how do I do that") == frozenset()
    assert ids([wording("a", text="how do I"), wording("b", text="what is it")]) == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("payments is slow", "search is slow"),
        ("no push on ios", "no push on android"),
        ("internal domains fail", "public domains fail"),
        ("redis is full", "mysql is full"),
    ],
)
def test_names_that_exclude_each_other_keep_apart_what_is_near(one: str, other: str) -> None:
    pair = [wording("a", 0, text=one), wording("b", 1, text=other)]
    assert ids(pair) == [["a"], ["b"]]


def test_a_name_keeps_apart_through_others_too() -> None:
    three = [
        wording("a", 0, text="payments is slow"),
        wording("b", 1, text="everything crawls"),
        wording("c", 2, text="search is slow"),
    ]
    assert len(ids(three)) == 2


def test_spellings_are_one_name() -> None:
    assert SUBJECTS.of("pg_dump fails") == {
        Subject("technology", "postgres"),
        Subject("task", "backup"),
    }
    assert SUBJECTS.of("PaymentsLatencyHigh") == {Subject("service", "payments")}


def test_members_of_a_gap_stay_together_however_far() -> None:
    far = [wording("a", 0, gap="G-1"), wording("b", 90, gap="G-1"), wording("c", 180)]
    assert ids(far, "G-1") == [["a", "b"], ["c"]]


def test_two_gaps_are_never_joined_and_the_older_takes_what_is_new() -> None:
    same = [wording("new", 0), wording("y", 0, gap="G-young"), wording("o", 3, gap="G-old")]
    assert ids(same, "G-old", "G-young") == [["new", "o"], ["y"]]


def test_of_two_gaps_that_differ_the_nearer_takes_what_is_new() -> None:
    apart = [wording("o", 0, gap="G-old"), wording("y", 80, gap="G-young"), wording("new", 75)]
    assert ids(apart, "G-old", "G-young") == [["o"], ["y", "new"]]


def test_two_gaps_of_the_same_words_stay_two() -> None:
    same = [wording("a", 0, text="x1 y", gap="G-1"), wording("b", 0, text="x1 y", gap="G-2")]
    assert ids(same, "G-1", "G-2") == [["a"], ["b"]]


def blobs(count: int, size: int, seed: int) -> list[tuple[str, Vector]]:
    """Return `count` groups of `size` vectors, about 0.85 alike inside and 0 outside."""
    rng = np.random.default_rng(seed)
    found = []
    for group in range(count):
        middle = rng.normal(size=64)
        middle /= np.linalg.norm(middle)
        for at in range(size):
            vector = middle + rng.normal(size=64) * 0.05
            vector /= np.linalg.norm(vector)
            found.append((f"{group}-{at}", array("f", vector.tolist())))
    return found


def as_sets(wordings: list[Wording]) -> set[frozenset[str]]:
    return {frozenset(one.id for one in group) for group in grouped(wordings)}


def test_the_order_of_questions_does_not_matter() -> None:
    points = [Wording(id_, id_, vector, "m", frozenset()) for id_, vector in blobs(12, 6, 1)]
    shuffled = [points[at] for at in np.random.default_rng(2).permutation(len(points))]
    assert as_sets(points) == as_sets(shuffled)
    assert len(as_sets(points)) == 12


def test_a_gap_that_many_ask_for_is_one() -> None:
    points = [Wording(id_, id_, vector, "m", frozenset()) for id_, vector in blobs(3, 120, 3)]
    assert len(as_sets(points)) == 3


def test_more_than_one_block_of_rows_is_grouped_alike() -> None:
    points = [Wording(id_, id_, vector, "m", frozenset()) for id_, vector in blobs(150, 4, 4)]
    found = as_sets(points)
    whole = [one for one in found if len({id_.partition("-")[0] for id_ in one}) == 1]
    assert len(found) == len(whole) == 150
