"""A run's figures and failures, as a terminal shows them."""

import io
import json

from rich.console import Console

from core.models import Span
from eval.dataset import Record, Relevant
from eval.metrics import score
from eval.runfile import RunLine, Shown
from eval.summary import summarize
from eval.tables import print_failures, print_summary

SHOWN = Shown("docs", "very/long/" * 9 + "disk.md", "fix", (Span(0, 50),), 50)
RECORDS = (
    Record("q1", "lookup", "disk?", (Relevant("docs", SHOWN.path, Span(0, 40)),)),
    Record("q2", "pasted", f"{'x' * 30}\n\x1b[31m{'y' * 60}", (Relevant("docs", "b", Span(0, 9)),)),
    Record("q3", "unanswerable-near", "moon?"),
    Record("q4", "unanswerable-far", "sun?"),
)  # fmt: skip
LINES = (
    RunLine("q1", "answer", 0.2, 0.9, 5.0, (SHOWN,)),
    RunLine("q2", "weak", 0.4, 0.5, 5.0, (SHOWN,)),
    RunLine("q3", "answer", 0.3, 0.7, 5.0, ()),
    RunLine("q4", "refusal", None, 0.0, 1.0, (), error="IndexUnavailable: Gone."),
)
SCORES = tuple(map(score, RECORDS, LINES))


def piped() -> Console:
    return Console(file=io.StringIO(), width=80, force_terminal=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_tables_fit_80_columns_and_are_plain_when_piped() -> None:
    console = piped()
    print_summary(console, summarize(SCORES))
    text = printed(console)
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "…" not in text


def test_one_question_is_one() -> None:
    console = piped()
    print_summary(console, summarize(SCORES[:1]))
    assert printed(console).lstrip().startswith("1 answerable question ")


def test_the_failures_say_what_came_instead() -> None:
    console = piped()
    print_failures(console, RECORDS, SCORES, LINES)
    assert printed(console) == (
        "\n3 of 4 questions went wrong:\n"
        "q2  pasted  weak, right one not in the ten\n"
        f"  {'x' * 30} [31m{'y' * 34}…\n"
        f"  → {'very/long/' * 9}disk.md#fix\n"
        "q3  unanswerable-near  answer, nothing to be found\n"
        "  moon?\n"
        "  → nothing\n"
        "q4  unanswerable-far  error, nothing to be found\n"
        "  sun?\n"
        "  → IndexUnavailable: Gone.\n"
    )


def test_a_question_that_needs_all_fails_where_a_part_is_not_in_the_first_five() -> None:
    places = [Relevant("docs", f"{name}.md", Span(0, 40)) for name in "abc"]
    record = Record("q1", "multi", "disk?", tuple(places))
    shown = [Shown("docs", f"{name}.md", "", (Span(0, 50),), 50) for name in "axyzwvb"]
    line = RunLine("q1", "answer", 0.2, 0.9, 5.0, tuple(shown))
    console = piped()
    print_failures(console, [record], [score(record, line)], [line])
    assert printed(console) == (
        "\n1 of 1 questions went wrong:\n"
        "q1  multi  answer, right one at rank 1\n"
        "  disk?\n"
        "  missing: part 2 of 3, b.md, at rank 7; part 3 of 3, c.md, not in the ten\n"
        "  → a.md\n"
    )
    whole = RunLine("q1", "answer", 0.2, 0.9, 5.0, tuple(shown[6:] + shown[:1] + shown[:0]))
    two = Record("q1", "multi", "disk?", tuple(places[:2]))
    console = piped()
    print_failures(console, [two], [score(two, whole)], [whole])
    assert printed(console) == ""


def test_a_run_without_failures_prints_none() -> None:
    console = piped()
    print_failures(console, RECORDS[:1], SCORES[:1], LINES[:1])
    assert printed(console) == ""


def test_the_summary_is_plain_json() -> None:
    assert json.loads(json.dumps(summarize(SCORES).as_json()))["outcomes"]["near"] == {
        "answer": 1,
        "weak": 0,
        "refusal": 0,
        "error": 0,
    }
