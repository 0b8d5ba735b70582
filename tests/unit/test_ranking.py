import pytest

from core.models import Span
from core.outcomes import Ranks
from core.points import RawHit, RawHits, SparseVector
from core.query import KeywordQuery
from core.ranking import Candidate, Mix, merged, ranked

WORDS = KeywordQuery(("disk",), {}, SparseVector(), SparseVector(), 4.0, 2.0, ())
RAW = RawHits(
    dense=(
        RawHit("a", "page1", 0.9, Span(10, 20)),
        RawHit("a", "page1", 0.8, Span(0, 10)),
        RawHit("b", "page2", 0.5, Span(0, 5)),
    ),
    passage=(RawHit("b", "page2", 1.0, Span(5, 9)), RawHit("c", "page2", 0.5, Span(9, 12))),
    section=(RawHit("c", "page2", 2.0),),
)


def test_a_section_keeps_its_best_score_of_every_list_and_its_ranks() -> None:
    assert merged(RAW, [], WORDS, frozenset()) == {
        "a": Candidate(
            "a", "page1", pytest.approx(0.1), ranks=Ranks(dense=1), passage=Span(10, 20)
        ),
        "b": Candidate(
            "b",
            "page2",
            0.5,
            passage_share=0.5,
            ranks=Ranks(dense=2, passage=1),
            passage=Span(0, 5),
        ),
        "c": Candidate(
            "c",
            "page2",
            None,
            section_share=0.5,
            passage_share=0.25,
            ranks=Ranks(passage=2, section=1),
            passage=Span(9, 12),
        ),
    }


def test_what_is_filled_in_gives_scores_and_no_ranks() -> None:
    extra = RawHits(dense=(RawHit("c", "page2", 0.25, Span(9, 12)),))
    filled = merged(RAW, [extra], WORDS, frozenset())
    assert filled["c"].distance == 0.75
    assert filled["c"].ranks == Ranks(passage=2, section=1)
    assert filled["a"] == merged(RAW, [], WORDS, frozenset())["a"]


def test_the_mix_adds_similarity_keyword_share_and_the_page() -> None:
    found = {
        "a": Candidate("a", "page1", 0.2),
        "b": Candidate("b", "page2", 0.4, section_share=0.2, passage_share=0.2),
        "c": Candidate("c", "page2", 0.6),
    }
    scores = {c.section_id: c.score for c in ranked(found, Mix())}
    assert scores == pytest.approx({"a": 0.8 + 0.08, "b": 0.9 + 0.13, "c": 0.4 + 0.13})


def test_reciprocal_ranks_know_no_scores() -> None:
    found = {
        "a": Candidate("a", "page1", 0.0, ranks=Ranks(dense=2)),
        "b": Candidate("b", "page2", 0.9, ranks=Ranks(dense=1, passage=3)),
    }
    assert {c.section_id: c.score for c in ranked(found, Mix(rrf_k=60))} == pytest.approx(
        {"a": 1 / 62, "b": 1 / 61 + 1 / 63}
    )


def test_an_exact_name_comes_before_any_similarity() -> None:
    found = {
        "near": Candidate("near", "page1", 0.0, section_share=0.2, passage_share=0.2),
        "named": Candidate("named", "page2", 0.8, exact=True),
    }
    assert [c.section_id for c in ranked(found, Mix())] == ["named", "near"]


def test_equal_scores_are_ordered_by_distance_and_then_by_id() -> None:
    found = {
        "z": Candidate("z", "page1", 0.5),
        "b": Candidate("b", "page2", None, section_share=1 / 3, passage_share=1 / 3),
        "a": Candidate("a", "page3", 0.5),
    }
    assert [c.section_id for c in ranked(found, Mix())] == ["a", "z", "b"]
