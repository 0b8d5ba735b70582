import asyncio
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.answering import Answered
from core.errors import IndexUnavailable, UsageError
from core.models import Metadata, Section, Span
from core.outcomes import Answer, Cutoffs, Evidence, Help, Hit, Ranks, Refusal, Result
from eval.dataset import Record
from eval.run import ask_all
from eval.runfile import RunFileError, RunLine, RunWriter, Shown, line_from, run_file

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


@pytest.mark.parametrize("follows", ["", "first?"])
@pytest.mark.parametrize(
    "fault", [RuntimeError("the engine"), ValueError("NaN"), OSError(5, "EIO")]
)
async def test_a_fault_of_any_kind_is_that_of_its_question_alone(
    fault: Exception, follows: str, caplog: pytest.LogCaptureFixture
) -> None:
    ask = FakeAsk({follows or "a?": fault})
    lines = await asked(ask, Record("a", "lookup", "a?", follows=follows), Record("b", "x", "b?"))
    kind = type(fault).__name__
    assert [line.get("error") for line in lines] == [f"{kind}: {fault}", None]
    said = [one.getMessage() for one in caplog.records if one.name == "eval.run"]
    assert said == [f"The question 'a' failed of {kind}"]


async def test_an_answer_that_cannot_be_linked_is_that_question_s_failure() -> None:
    def link(section: Section) -> str:
        raise RuntimeError(section.path)

    kept: list[dict[str, Any]] = []
    ask = FakeAsk({"a?": Answered(Answer((result(),), EVIDENCE))})
    records = (Record("a", "lookup", "a?"), Record("b", "lookup", "b?"))
    await ask_all(records, ask, link, kept.append, _silent)
    assert [line.get("error") for line in kept] == ["RuntimeError: disk.md", None]


@pytest.mark.parametrize("end", [KeyboardInterrupt, asyncio.CancelledError])
async def test_who_interrupts_a_run_ends_it(end: type[BaseException]) -> None:
    async def ask(text: str, context: str) -> Answered:
        raise end

    kept: list[Any] = []
    with pytest.raises(end):
        await ask_all([Record("a", "lookup", "a?")], ask, str, kept.append, _silent)  # type: ignore[arg-type]
    assert kept == []


async def test_a_run_that_cannot_be_kept_ends() -> None:
    def keep(line: Mapping[str, Any]) -> None:
        raise RunFileError("The disk is full.")

    ask = FakeAsk({})
    records = (Record("a", "lookup", "a?"), Record("b", "lookup", "b?"))
    with pytest.raises(RunFileError):
        await ask_all(records, ask, str, keep, _silent)  # type: ignore[arg-type]
    assert ask.asked == [("a?", "")]


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


def test_a_run_into_a_folder_that_is_not_there_makes_it(tmp_path: Path) -> None:
    with run_file(tmp_path / "new" / "a" / "run.jsonl") as out:
        out.write({"id": "q1"})
    assert (tmp_path / "new" / "a" / "run.jsonl").read_text(encoding="utf-8") == '{"id": "q1"}\n'


def test_a_run_below_a_file_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(UsageError, match="cannot be written"), run_file(tmp_path / "a" / "b"):
        pass


def test_a_run_never_replaces_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a file"), run_file(tmp_path / "pipe"):
        pass
