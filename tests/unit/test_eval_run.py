import asyncio
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from core.answering import Answered
from core.errors import IndexUnavailable, UsageError
from core.models import Metadata, Section, Span
from core.outcomes import Answer, Cutoffs, Evidence, Help, Hit, Ranks, Refusal, Result
from eval.dataset import Record, Relevant
from eval.metrics import score
from eval.run import ask_all
from eval.runfile import RunFileError, RunLine, RunWriter, Shown, line_from, run_file
from eval.summary import summarize
from eval.tables import print_failures, print_summary

TEXT = "Delete old logs first."
EVIDENCE = Evidence(confidence=0.8, cutoffs=Cutoffs(0.4, 0.6), distance=0.25)


def result(path: str = "disk.md", anchor: str = "fix") -> Result:
    section = Section(
        id="s1",
        document_id="d1",
        document_hash="h",
        tenant="acme",
        source="docs",
        path=path,
        metadata=Metadata("Disk full"),
        headings=("Disk full", "Fix"),
        anchor=anchor,
        span=Span(20, 20 + len(TEXT)),
        line_start=3,
        line_end=3,
        text=TEXT,
    )
    return Result((Hit(section, 0.25, 0.5, 0.9, Ranks(1, 1, 1), Span(20, 42)),))


@dataclass
class FakeAsk:
    """Answers with what it was told for a question; remembers what it was asked."""

    answers: Mapping[str, Answered | Exception]
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def __call__(self, text: str, context: str) -> Answered:
        self.asked.append((text, context))
        answer = self.answers.get(text, Answered(Refusal((), EVIDENCE)))
        if isinstance(answer, Exception):
            raise answer
        return answer


class Ticks:
    """A clock that is 5 ms later each time it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.005
        return self.now


def _silent(phase: str, done: int, total: int) -> None:
    pass


async def asked(ask: FakeAsk, *records: Record) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    await ask_all(
        records,
        ask,
        lambda section: f"{section.path}#{section.anchor}",
        kept.append,
        _silent,
        Ticks(),
    )
    return kept


# --- asking -------------------------------------------------------------------------------------


async def test_a_line_holds_the_outcome_and_the_results_as_ask_prints_them() -> None:
    ask = FakeAsk({"disk?": Answered(Answer((result(),), EVIDENCE))})
    assert await asked(ask, Record("q1", "lookup", "disk?")) == [
        {
            "id": "q1",
            "outcome": "answer",
            "distance": 0.25,
            "confidence": 0.8,
            "ms": 5.0,
            "results": [
                {
                    "rank": 1,
                    "source": "docs",
                    "path": "disk.md",
                    "title": "Disk full",
                    "link": "disk.md#fix",
                    "text": TEXT,
                    "distance": 0.25,
                    "keyword_score": 0.5,
                    "document_id": "d1",
                    "parts": [
                        {
                            "section_id": "s1",
                            "heading": ["Disk full", "Fix"],
                            "anchor": "fix",
                            "link": "disk.md#fix",
                            "start": 20,
                            "end": 42,
                            "line_start": 3,
                            "line_end": 3,
                            "passage": {"start": 20, "end": 42},
                        }
                    ],
                }
            ],
        }
    ]


async def test_a_refusal_keeps_its_nearest_misses() -> None:
    ask = FakeAsk({"disk?": Answered(Refusal((result(),) * 12, EVIDENCE))})
    [line] = await asked(ask, Record("q1", "lookup", "disk?"))
    assert (line["outcome"], len(line["results"])) == ("refusal", 10)


async def test_help_shows_no_runbook_and_stands_as_a_refusal() -> None:
    ask = FakeAsk({"hello": Answered(Help())})
    [line] = await asked(ask, Record("q1", "lookup", "hello"))
    assert line == {
        "id": "q1",
        "outcome": "refusal",
        "distance": None,
        "confidence": 0.0,
        "ms": 5.0,
        "results": [],
    }


async def test_a_question_that_fails_has_a_line_and_the_next_is_asked() -> None:
    ask = FakeAsk({"a?": IndexUnavailable("The index cannot be read.")})
    lines = await asked(ask, Record("a", "lookup", "a?"), Record("b", "lookup", "b?"))
    assert [(line["id"], line.get("error")) for line in lines] == [
        ("a", "IndexUnavailable: The index cannot be read."),
        ("b", None),
    ]


async def test_a_follow_up_is_asked_with_the_breadcrumb_of_what_it_follows() -> None:
    ask = FakeAsk({"disk?": Answered(Answer((result(),), EVIDENCE))})
    await asked(ask, Record("q1", "follow-up", "and then?", follows="disk?"))
    assert ask.asked == [("disk?", ""), ("and then?", "Disk full › Fix")]


async def test_a_follow_up_to_a_question_without_results_is_asked_alone() -> None:
    ask = FakeAsk({})
    await asked(ask, Record("q1", "follow-up", "and then?", follows="disk?"))
    assert ask.asked == [("disk?", ""), ("and then?", "")]


async def test_the_time_of_a_follow_up_is_its_own() -> None:
    [line] = await asked(FakeAsk({}), Record("q1", "follow-up", "and then?", follows="disk?"))
    assert line["ms"] == 5.0


# --- the run file -------------------------------------------------------------------------------


def test_a_line_is_read_back_as_what_was_shown() -> None:
    part = {"anchor": "fix", "start": 20, "end": 42}
    raw = {
        "id": "q1",
        "outcome": "answer",
        "distance": 0.25,
        "confidence": 0.8,
        "ms": 5.0,
        "results": [{"source": "docs", "path": "disk.md", "text": TEXT, "parts": [part]}],
    }
    shown = Shown("docs", "disk.md", "fix", (Span(20, 42),), 22)
    assert line_from(raw) == RunLine("q1", "answer", 0.25, 0.8, 5.0, (shown,))


def test_a_run_takes_its_name_when_it_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with run_file(path) as out:
        out.write({"id": "q1", "question": "日本"})
        assert not path.exists()
    assert path.read_text(encoding="utf-8") == '{"id": "q1", "question": "日本"}\n'
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_line_is_on_the_disk_before_the_next_question_is_asked(tmp_path: Path) -> None:
    with run_file(tmp_path / "run.jsonl") as out:
        out.write({"id": "q1"})
        assert (tmp_path / "run.jsonl.part").read_text(encoding="utf-8") == '{"id": "q1"}\n'


def test_an_interrupted_run_keeps_its_finished_questions(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"

    def interrupted() -> None:
        with run_file(path) as out:
            out.write({"id": "q1"})
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        interrupted()
    assert path.read_text(encoding="utf-8") == '{"id": "q1"}\n'


def test_a_run_that_is_interrupted_before_its_first_question_leaves_the_old_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("old\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), run_file(path):
        raise KeyboardInterrupt
    assert path.read_text(encoding="utf-8") == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_full_disk_is_one_sentence() -> None:
    with io.FileIO("/dev/full", "w") as full, pytest.raises(RunFileError) as raised:
        RunWriter(full, Path("run.jsonl")).write({"id": "q1"})
    assert str(raised.value) == "run.jsonl cannot be written: No space left on device."


def test_a_full_disk_leaves_nothing_of_the_run(tmp_path: Path) -> None:
    def filled() -> None:
        with io.FileIO("/dev/full", "w") as full, run_file(tmp_path / "run.jsonl") as out:
            out.write({"id": "q1"})
            out.file = full
            out.write({"id": "q2"})

    with pytest.raises(RunFileError):
        filled()
    assert list(tmp_path.iterdir()) == []


def test_a_run_into_a_folder_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory"), run_file(tmp_path / "a/b"):
        pass


def test_a_run_never_replaces_a_device() -> None:
    with pytest.raises(UsageError, match="not a file"), run_file(Path("/dev/null")):
        pass


# --- what is printed ----------------------------------------------------------------------------

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
