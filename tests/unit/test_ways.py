import json
from typing import Any

import pytest

from core.settings import Settings, with_values
from eval.comparison_tables import characters, rule_sentence
from eval.dataset import Kind
from eval.metrics import Score
from eval.ways import (
    CUTTINGS,
    DOCUMENTS,
    SEARCHES,
    Row,
    Way,
    chosen,
    filter_json,
    row_json,
    selected,
)


def row(shown: str, *mrr: float, recall: float = 1.0, chars: float = 1000.0) -> Row:
    figures = {"hit1": 0.0, "recall10": 1.0, "read2500": 1.0, "read6000": 1.0, "chars1": chars / 5}
    scores = [
        Score(
            id=f"q{at}",
            category="lookup" if at else "pasted",
            kind=Kind.ANSWERABLE,
            outcome="answer",
            confidence=1.0,
            ms=1.0,
            figures={**figures, "mrr10": one, "recall5": recall, "chars5": chars},
        )
        for at, one in enumerate(mrr)
    ]
    return Row(Way("model", shown, True, "mix", "none"), 7, tuple(scores))


def test_the_highest_mrr_is_selected_where_no_other_comes_near() -> None:
    assert chosen([row("a", 0.5, recall=1.0), row("b", 0.6, recall=0.1)]).way.shown == "b"


def test_within_two_hundredths_recall_decides_and_then_the_characters() -> None:
    rows = [
        row("best", 0.90, recall=0.8),
        row("long", 0.89, recall=0.9, chars=9000),
        row("short", 0.89, recall=0.9, chars=3000),
        row("far", 0.85, recall=1.0),
    ]
    assert chosen(rows).way.shown == "short"


def test_whole_documents_are_no_candidate() -> None:
    assert chosen([row("a", 0.5), row(DOCUMENTS, 1.0)]).way.shown == "a"


def result_of(*rows: Row) -> dict[str, Any]:
    """Return a result as a comparison writes it, read back from its file."""
    best = list(rows).index(chosen(rows))
    made = {"rows": [row_json(one, rows[0]) for one in rows], "chosen": best}
    read: dict[str, Any] = json.loads(json.dumps(made))
    return read


def test_where_the_rule_itself_selects_whole_documents_both_are_told_and_why() -> None:
    assert rule_sentence(result_of(row("a", 0.5), row(DOCUMENTS, 1.0))) == (
        "The rule of selection taken literally selects whole documents, mix, model; whole "
        "documents are no candidate, because a page that is shown whole is found with every "
        "question about it; so it selects a, mix, model."
    )


def test_where_whole_documents_make_no_difference_one_is_told() -> None:
    told = rule_sentence(result_of(row("a", 0.9), row(DOCUMENTS, 0.5)))
    assert told == "The rule of selection selects a, mix, model."


def test_a_row_in_which_nothing_was_shown_is_compared_by_what_is_known() -> None:
    nothing = {"mrr10": 0.5, "recall5": 1.0, "chars5": None}
    assert selected([nothing, {**nothing, "chars5": 9000.0}]) == 1
    assert characters(None) == "–"


def test_a_row_says_what_it_found_and_how_far_it_is_from_the_default() -> None:
    said = row_json(row("a", 0.5, 1.0), row("b", 0.0, 0.5))
    assert (said["shown"], said["passages"], said["questions"]) == ("a", 7, 2)
    assert said["means"]["mrr10"] == 0.75
    assert said["mrr10_by_category"] == {"lookup": 1.0, "pasted": 0.5}
    assert said["against_default"]["mrr10"] == {"mean": 0.5, "low": 0.5, "high": 0.5, "n": 2}


def test_a_filter_is_judged_on_the_questions_that_it_narrowed() -> None:
    narrowed = filter_json(row("a", 0.0, 0.5, 0.5), row("a", 1.0, 0.5, 1.0), ["pay", "", "search"])
    assert narrowed["all"]["questions"] == 2
    assert narrowed["all"]["difference"]["mean"] == 0.75
    assert {name: one["mrr10_on"] for name, one in narrowed["services"].items()} == {
        "pay": 1.0,
        "search": 1.0,
    }


def test_where_no_page_names_a_service_there_is_no_filter_to_judge() -> None:
    one = row("a", 0.5)
    assert filter_json(one, one, [""]) == {"all": None, "services": {}}


@pytest.mark.parametrize("cutting", CUTTINGS, ids=lambda cutting: next(iter(cutting.shown)))
def test_every_way_is_one_that_the_settings_take(cutting: object) -> None:
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    for values in (cutting.splitter, *cutting.shown.values(), *SEARCHES.values()):  # type: ignore[attr-defined]
        with_values(settings, values)
