import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models import Span
from eval.dataset import Kind, Record, Relevant
from eval.intervals import Interval, mean_interval, paired_difference, percentile
from eval.metrics import (
    FIGURES,
    Score,
    characters_read,
    counts_for,
    document_rank,
    precision_at,
    ranks,
    recall_at,
    reciprocal,
    score,
)
from eval.runfile import RunLine, Shown
from eval.summary import IN_CHARACTERS, Summary, auroc, summarize


def evidence(start: int, end: int, path: str = "a.md") -> Relevant:
    return Relevant("docs", path, Span(start, end))


def shown(*parts: tuple[int, int], path: str = "a.md", source: str = "docs") -> Shown:
    spans = tuple(Span(*part) for part in parts)
    return Shown(source, path, "", spans, sum(map(len, spans)) + 2 * (len(spans) - 1))


def line(*results: Shown, outcome: str = "answer", confidence: float = 0.9) -> RunLine:
    return RunLine("q", outcome, 0.2, confidence, 12.0, results)


ELSEWHERE = shown((0, 100), path="b.md")


# --- what counts --------------------------------------------------------------------------------


def test_a_result_with_half_of_the_evidence_counts() -> None:
    assert counts_for(shown((0, 15)), evidence(10, 20))


def test_a_result_with_less_than_half_of_the_evidence_does_not_count() -> None:
    assert not counts_for(shown((0, 14)), evidence(10, 20))


def test_the_parts_of_one_result_count_together() -> None:
    assert counts_for(shown((18, 30), (0, 13)), evidence(10, 20))


def test_parts_that_overlap_count_once() -> None:
    assert not counts_for(shown((0, 14), (5, 14)), evidence(10, 20))


def test_the_same_span_of_another_document_does_not_count() -> None:
    assert not counts_for(shown((0, 100), path="b.md"), evidence(10, 20))


def test_the_same_path_of_another_source_does_not_count() -> None:
    assert not counts_for(shown((0, 100), source="other"), evidence(10, 20))


def test_ranks_are_those_of_the_first_result_for_each_stretch() -> None:
    results = [ELSEWHERE, shown((0, 20)), shown((0, 50))]
    assert ranks([evidence(10, 20), evidence(40, 50), evidence(90, 99)], results) == (2, 3, None)


def test_the_rank_of_a_document_is_that_of_its_first_result() -> None:
    assert document_rank([evidence(90, 99)], [ELSEWHERE, shown((0, 20))]) == 2


@pytest.mark.parametrize(("rank", "expected"), [(1, 1.0), (4, 0.25), (None, 0.0)])
def test_reciprocal_rank(rank: int | None, expected: float) -> None:
    assert reciprocal(rank) == expected


def test_recall_of_alternatives_is_whether_any_was_found() -> None:
    assert recall_at(5, [None, 3], needs_all=False) == 1.0


def test_recall_where_all_are_needed_is_the_share_found() -> None:
    assert recall_at(5, [None, 3], needs_all=True) == 0.5


def test_recall_looks_no_further_than_k() -> None:
    assert recall_at(3, [4], needs_all=False) == 0.0


def test_precision_divides_by_k_even_when_fewer_were_shown() -> None:
    assert precision_at(5, [evidence(10, 20)], [shown((0, 30)), ELSEWHERE]) == 0.2


# --- reading ------------------------------------------------------------------------------------


def record(*relevant: Relevant, category: str = "lookup") -> Record:
    return Record("q", category, "what now?", relevant)


def test_an_answer_is_read_at_the_character_where_half_of_it_was_seen() -> None:
    assert characters_read(record(evidence(10, 20)), [shown((5, 50))]) == 10


def test_an_odd_stretch_needs_the_larger_half() -> None:
    assert characters_read(record(evidence(10, 21)), [shown((10, 50))]) == 6


def test_what_stands_before_is_read_first() -> None:
    assert characters_read(record(evidence(10, 20)), [ELSEWHERE, shown((5, 50))]) == 110


def test_parts_are_read_in_their_order_with_the_blank_line_between() -> None:
    assert characters_read(record(evidence(0, 10)), [shown((50, 90), (0, 20))]) == 40 + 2 + 5


def test_halves_seen_in_different_results_add_up() -> None:
    results = [shown((0, 13)), shown((17, 40))]
    assert characters_read(record(evidence(10, 20)), results) == 13 + 2


def test_what_was_seen_twice_counts_once() -> None:
    results = [shown((0, 13)), shown((0, 13)), shown((0, 40))]
    assert characters_read(record(evidence(10, 20)), results) == 13 + 13 + 15


def test_an_answer_that_is_not_shown_is_never_read() -> None:
    assert characters_read(record(evidence(10, 20)), [ELSEWHERE]) is None


def test_of_alternatives_the_first_read_counts() -> None:
    both = record(evidence(90, 100), evidence(10, 20))
    assert characters_read(both, [shown((0, 100))]) == 15


def test_where_all_are_needed_the_last_read_counts() -> None:
    both = record(evidence(90, 100), evidence(10, 20), category="multi")
    assert characters_read(both, [shown((0, 100))]) == 95


def test_where_all_are_needed_one_that_is_missing_leaves_it_unread() -> None:
    both = record(evidence(90, 100), evidence(10, 20), category="multi")
    assert characters_read(both, [shown((0, 50))]) is None


spans = st.tuples(st.integers(0, 40), st.integers(1, 20)).map(lambda s: (s[0], s[0] + s[1]))


@settings(deadline=None)
@given(spans, st.lists(st.lists(spans, min_size=1, max_size=3), max_size=4))
def test_reading_agrees_with_marking_characters_one_by_one(
    wanted: tuple[int, int], results: list[list[tuple[int, int]]]
) -> None:
    seen: set[int] = set()
    at, expected = 0, None
    for result in results:
        for number, (start, end) in enumerate(result):
            at += 2 if number else 0
            for place in range(start, end):
                at += 1
                seen |= {place} & set(range(*wanted))
                if expected is None and 2 * len(seen) >= wanted[1] - wanted[0]:
                    expected = at
    assert characters_read(record(evidence(*wanted)), [shown(*one) for one in results]) == expected


# --- one question -------------------------------------------------------------------------------


def test_a_question_has_every_figure() -> None:
    scored = score(record(evidence(10, 20)), line(ELSEWHERE, shown((0, 30), (40, 60))))
    assert scored == Score(
        id="q",
        category="lookup",
        kind=Kind.ANSWERABLE,
        outcome="answer",
        confidence=0.9,
        ms=12.0,
        rank=2,
        figures={
            "mrr10": 0.5,
            "hit1": 0.0,
            "recall1": 0.0,
            "recall3": 1.0,
            "recall5": 1.0,
            "recall10": 1.0,
            "precision5": 0.2,
            "doc_mrr10": 0.5,
            "chars1": 100.0,
            "chars5": 152.0,
            "read2500": 1.0,
            "read6000": 1.0,
        },
    )


def test_an_eleventh_result_does_not_count() -> None:
    scored = score(record(evidence(10, 20)), line(*[ELSEWHERE] * 10, shown((0, 30))))
    assert (scored.rank, scored.figures["read6000"]) == (None, 0.0)


def test_a_question_without_a_line_failed_at_its_worst_and_saved_no_reading() -> None:
    assert score(record(evidence(10, 20)), None) == Score(
        id="q",
        category="lookup",
        kind=Kind.ANSWERABLE,
        outcome="refusal",
        confidence=0.0,
        ms=0.0,
        failed=True,
        figures=dict.fromkeys((one for one in FIGURES if one not in IN_CHARACTERS), 0.0),
    )


# --- intervals ----------------------------------------------------------------------------------


def test_the_interval_of_a_constant_is_the_constant() -> None:
    assert mean_interval([0.5, 0.5, 0.5]) == Interval(0.5, 0.5, 0.5, 3)


def test_an_interval_is_the_same_every_time() -> None:
    values = [0.0, 1.0, 1.0, 0.25] * 10
    assert mean_interval(values) == mean_interval(values)


def test_an_interval_is_about_two_standard_errors_wide_on_each_side() -> None:
    interval = mean_interval([0.0, 1.0] * 200)
    assert interval == Interval(
        mean=0.5,
        low=pytest.approx(0.451, abs=0.006),
        high=pytest.approx(0.549, abs=0.006),
        n=400,
    )


def test_the_mean_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="mean of nothing"):
        mean_interval([])


def test_a_paired_difference_cancels_what_both_share() -> None:
    theirs = [0.0, 1.0, 0.5, 0.25]
    assert paired_difference([one + 0.125 for one in theirs], theirs) == Interval(
        0.125, 0.125, 0.125, 4
    )


def test_a_difference_of_zero_is_not_told_apart_from_chance() -> None:
    assert paired_difference([0.0, 1.0], [0.0, 1.0]) == Interval(0.0, 0.0, 0.0, 2)


def test_runs_over_other_questions_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="longer"):
        paired_difference([1.0], [1.0, 0.0])


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.0), (0.5, 2.5), (0.95, 3.85), (1.0, 4.0)])
def test_percentiles_lie_between_two_values(share: float, expected: float) -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], share) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [([0.9, 0.8], [0.1], 1.0), ([0.1], [0.9], 0.0), ([0.5], [0.5], 0.5), ([0.9, 0.2], [0.5], 0.5)],
)
def test_auroc(positive: list[float], negative: list[float], expected: float) -> None:
    assert auroc(positive, negative) == expected


# --- a whole run --------------------------------------------------------------------------------


FOUND = shown((0, 30))


@pytest.fixture(scope="module")
def summary() -> Summary:
    asked = [
        (Record("a", "lookup", "?", (evidence(10, 20),)), line(FOUND)),
        (Record("b", "lookup", "?", (evidence(10, 20),)), line(ELSEWHERE, FOUND, outcome="weak")),
        (Record("c", "multi", "?", (evidence(1, 9),)), line(FOUND, outcome="refusal")),
        (Record("d", "multi", "?", (evidence(1, 9),)), None),
        (Record("e", "unanswerable-near", "?"), line(FOUND, confidence=0.9)),
        (Record("f", "unanswerable-near", "?"), line(outcome="refusal", confidence=0.3)),
        (Record("g", "unanswerable-far", "?"), line(outcome="refusal", confidence=0.1)),
        (Record("h", "unanswerable-far", "?"), None),
    ]
    return summarize([score(record, came) for record, came in asked])


def test_a_mean_is_over_all_answerable_questions_failed_ones_too(summary: Summary) -> None:
    mrr = summary.figures["mrr10"]
    assert (mrr.mean, mrr.n) == (0.625, 4)


def test_figures_stand_by_category(summary: Summary) -> None:
    categories = summary.categories
    assert {name: means["hit1"].mean for name, means in categories.items()} == {
        "lookup": 0.5,
        "multi": 0.5,
    }


def test_outcomes_are_counted_by_kind_and_an_error_is_no_refusal(summary: Summary) -> None:
    assert summary.outcomes == {
        Kind.ANSWERABLE: {"answer": 1, "weak": 1, "refusal": 1, "error": 1},
        Kind.NEAR: {"answer": 1, "weak": 0, "refusal": 1, "error": 0},
        Kind.UNRELATED: {"answer": 0, "weak": 0, "refusal": 1, "error": 1},
    }


def test_shares_of_outcomes(summary: Summary) -> None:
    shares = summary.shares
    assert {name: (one.mean, one.n) for name, one in shares.items()} == {
        "strong": (0.25, 4),
        "strong_hit1": (1.0, 1),
        "refused": (pytest.approx(1 / 3), 3),
        "refused_top3": (pytest.approx(1 / 3), 3),
        "strong_near": (0.5, 2),
        "refused_near": (0.5, 2),
        "strong_unrelated": (0.0, 1),
        "refused_unrelated": (0.5, 2),
    }


def test_an_unanswerable_question_that_failed_counts_against_the_auroc(summary: Summary) -> None:
    assert summary.auroc == {"near": 0.5625, "unrelated": 0.375}


def test_latency_is_of_the_questions_that_got_an_outcome(summary: Summary) -> None:
    assert summary.ms == {"p50": 12.0, "p95": 12.0}


def test_a_run_of_nothing_but_refusals_has_no_figures() -> None:
    refused = summarize([score(Record("g", "far", "?"), line(outcome="refusal"))])
    assert (refused.figures, refused.auroc) == ({}, {})
