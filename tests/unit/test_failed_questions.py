"""A question that fails counts as failed: it makes no figure of a run better."""

from collections.abc import Iterable

import pytest

from core.models import Span
from eval.dataset import Kind, Record, Relevant
from eval.metrics import Score, paired, score
from eval.runfile import RunLine, Shown
from eval.summary import LESS_IS_BETTER, MORE_IS_BETTER, summarize
from eval.ways import Row, Way, chosen, row_json

EVIDENCE = (Relevant("docs", "a.md", Span(10, 20)),)
FOUND = Shown("docs", "a.md", "", (Span(0, 30),), 30)
ELSEWHERE = Shown("docs", "b.md", "", (Span(0, 100),), 100)
KINDS = {
    Kind.ANSWERABLE: "lookup",
    Kind.NEAR: "unanswerable-near",
    Kind.UNRELATED: "unanswerable-far",
    Kind.UNANSWERABLE: "unanswerable",
}


def record(kind: Kind = Kind.ANSWERABLE) -> Record:
    made = Record(f"q-{kind}", KINDS[kind], "?", EVIDENCE if kind is Kind.ANSWERABLE else ())
    assert made.kind is kind
    return made


def line(*results: Shown, outcome: str = "answer", confidence: float = 0.9) -> RunLine:
    return RunLine("q", outcome, 0.2, confidence, 12.0, results)


def failed(kind: Kind = Kind.ANSWERABLE) -> Score:
    return score(record(kind), RunLine("q", "refusal", None, 0.0, 1.0, (), error="OSError: gone"))


def asked() -> list[Score]:
    """Return one strong answer and one refusal of each kind."""
    came = (line(FOUND), line(ELSEWHERE, FOUND, outcome="refusal", confidence=0.1))
    return [score(record(kind), one) for kind in KINDS for one in came]


def row(scores: Iterable[Score], shown: str = "sections") -> Row:
    return Row(Way("model", shown, True, "mix", "none"), 7, tuple(scores))


# --- a run --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LESS_IS_BETTER)
def test_failing_lowers_nothing_that_should_be_low(name: str) -> None:
    whole = summarize([*asked(), *map(failed, KINDS)]).values()
    assert whole[name] == summarize(asked()).values()[name] > 0


@pytest.mark.parametrize("name", MORE_IS_BETTER)
def test_failing_raises_nothing_that_should_be_high(name: str) -> None:
    whole = summarize([*asked(), *map(failed, KINDS)]).values()
    assert whole[name] <= summarize(asked()).values()[name]


def test_characters_say_of_how_many_questions_they_are() -> None:
    summary = summarize([*asked(), failed()])
    assert (summary.figures["chars5"].mean, summary.figures["chars5"].n) == (80.0, 2)
    assert summary.figures["mrr10"].n == 3


def test_a_question_that_was_shown_nothing_cost_no_reading_that_counts() -> None:
    nothing = score(record(), line(outcome="refusal"))
    assert summarize([*asked(), nothing]).figures["chars1"].n == 2


def test_where_every_question_failed_nothing_is_said_of_the_characters() -> None:
    values = summarize([failed()]).values()
    assert "chars5" not in values
    assert values["mrr10"] == 0.0


# --- two ways to ask ----------------------------------------------------------------------------


def test_two_ways_are_compared_on_what_both_showed_something_for() -> None:
    found = score(record(), line(FOUND))
    ours, theirs = [found, found, failed()], [found, failed(), found]
    assert paired("chars5", ours, theirs) == ([30.0], [30.0])
    assert paired("mrr10", ours, theirs) == ([1.0, 1.0, 0.0], [1.0, 0.0, 1.0])


def test_a_way_that_fails_is_no_cheaper_for_it() -> None:
    long = Shown("docs", "a.md", "", (Span(0, 90),), 90)
    fails = row([score(record(), line(long)), failed()], "fails")
    whole = row([score(record(), line(FOUND)), score(record(), line(ELSEWHERE))], "whole")
    assert (fails.mean("mrr10"), fails.mean("recall5")) == (0.5, 0.5)
    assert (whole.mean("mrr10"), whole.mean("recall5")) == (0.5, 0.5)
    assert (fails.mean("chars5"), whole.mean("chars5")) == (90.0, 65.0)
    assert chosen([fails, whole]).way.shown == "whole"


def test_a_way_that_shows_nothing_at_all_is_chosen_last() -> None:
    nothing = row([score(record(), line(outcome="refusal"))], "nothing")
    misses = row([score(record(), line(ELSEWHERE))], "misses")
    assert chosen([nothing, misses]).way.shown == "misses"


def test_what_is_not_known_of_a_way_is_null_in_its_row() -> None:
    said = row_json(row([failed()]), row([score(record(), line(FOUND))]))
    assert (said["failed"], said["means"]["chars5"], said["means"]["mrr10"]) == (1, None, 0.0)
    assert said["against_default"]["chars5"] is None
    assert said["against_default"]["mrr10"]["mean"] == -1.0
