"""Gaps on the command line, whole: real index, real journal, the embedder that needs no model."""

import asyncio
import csv
import io
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bots.cli import main
from core.exchanges import MessageRef, OutcomeKind, Person, Recorded, Thumb
from core.models import Platform, Question, Scope, Vote, Where
from feedback.journal import open_journal

pytestmark = pytest.mark.slow
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own with one page and three refused questions, one of them private."""
    for name in [name for name in os.environ if name.startswith("NIGHTLAMP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "hashing")
    monkeypatch.chdir(tmp_path)
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "disk.md").write_text("# Disk full\n\n## Clean up\n\nDelete old logs.\n")
    (tmp_path / "nightlamp.toml").write_text("[[sources]]\nname = 'ours'\npath = 'pages'\n")
    (tmp_path / "data").mkdir(mode=0o700)
    asyncio.run(asked(tmp_path / "data" / "journal.db"))


async def asked(path: Path) -> None:
    ago = datetime.now(UTC) - timedelta(hours=2)
    places = [Where(Platform.SLACK, "C1", "T1")] * 2 + [Where(Platform.SLACK, "C1", private=True)]
    texts = ("printer paper jam", "paper jam printer", "my secret wish")
    async with open_journal(path) as journal:
        for number, (text, where) in enumerate(zip(texts, places, strict=True)):
            question = Question(text, "default", f"U{number}", ago, where, Scope())
            refused = Recorded(OutcomeKind.REFUSAL, 0.1, 0.9, (), dense=True, ms=5.0)
            await journal.receive(f"x{number}", question)
            await journal.record_outcome(f"x{number}", refused)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nightlamp", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            main()
        printed = capsys.readouterr()
        return int(leaving.value.code or 0), printed.out, printed.err

    return run


def gap_of(run: Run, text: str = "printer") -> dict[str, Any]:
    code, out, _ = run("gaps", "--json", "--text", text)
    assert code == 0
    [gap] = json.loads(out)["gaps"]
    assert isinstance(gap, dict)
    return gap


def test_gaps_are_listed_as_people_and_as_programs_read_them(run: Run) -> None:
    code, out, err = run("gaps")
    assert (code, err) == (0, "")
    assert "printer paper jam" in out or "paper jam printer" in out
    assert "secret wish" not in out
    code, out, _ = run("gaps", "--json")
    told = json.loads(out)
    assert sorted((gap["count"], gap["askers"]) for gap in told["gaps"]) == [(1, 1), (2, 2)]
    assert told["numbers"]["asked"] == 3
    assert "secret wish" not in out
    assert "exchange_ids" not in out


def test_a_gap_is_owned_snoozed_dismissed_opened_again_and_done(run: Run) -> None:
    run("index")
    gap_id = gap_of(run)["id"]
    steps = [
        (("own", gap_id), "owned"),
        (("snooze", gap_id, "--days", "3"), "snoozed"),
        (("dismiss", gap_id.lower()), "dismissed"),
        (("reopen", gap_id), "open"),
        (("done", gap_id, "disk.md#clean-up"), "done"),
    ]
    for arguments, status in steps:
        code, out, _ = run("gaps", *arguments, "--json")
        assert (code, json.loads(out)["status"]) == (0, status)
    code, out, _ = run("gaps", "--status", "done", "--json")
    assert [gap["id"] for gap in json.loads(out)["gaps"]] == [gap_id]
    code, out, _ = run("gaps", "own", gap_id)
    assert code == 3


def test_what_cannot_be_done_is_one_sentence_and_its_exit_code(run: Run) -> None:
    gap_id = gap_of(run)["id"]
    for arguments, code, says in (
        (("gaps", "own", "G-0000"), 2, "There is no gap G-0000"),
        (("gaps", "done", gap_id, "absent.md"), 2, "No runbook that can be seen here"),
        (("gaps", "--since", "soon"), 2, "is no length of time"),
        (("gaps", "--tenant", "globex"), 2, "Name one of the tenants"),
        (("gaps", "--tenant", "default", "own", gap_id), 2, "stand after it"),
        (("digest", "--post"), 3, "No bot runs that could post it"),
    ):
        left, out, err = run(*arguments)
        assert (left, out) == (code, "")
        assert says in err


def test_gaps_are_written_as_csv(run: Run, tmp_path: Path) -> None:
    code, _, err = run("gaps", "--csv", tmp_path / "gaps.csv", "--json")
    assert code == 0
    assert "gaps.csv" in err
    rows = list(csv.reader(io.StringIO((tmp_path / "gaps.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 3
    assert "secret wish" not in str(rows)
    code, _, err = run("gaps", "--csv", tmp_path / "nowhere" / "gaps.csv")
    assert code == 2


def test_the_digest_is_shown_as_it_would_be_posted(run: Run) -> None:
    code, out, _ = run("digest")
    assert code == 0
    assert "gap" in out
    assert "secret wish" not in out
    code, out, _ = run("digest", "--json")
    assert json.loads(out)["numbers"]["asked"] == 3


def test_a_page_is_drafted_on_standard_output_or_into_a_file(run: Run, tmp_path: Path) -> None:
    gap_id = gap_of(run)["id"]
    code, out, _ = run("gaps", "draft", gap_id)
    assert code == 0
    assert out.startswith("---\n")
    assert "jam" in out
    assert "secret wish" not in out
    assert "headings that say what they hold.\n" in out, "the shipped guide is no neighbour of it"
    assert "README.md" not in out
    code, printed, _ = run("gaps", "draft", gap_id, "--out", tmp_path / "page.md")
    assert (code, printed) == (0, "")
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == out


def test_where_nobody_voted_there_is_nothing_to_export(run: Run) -> None:
    code, out, _ = run("golden", "export")
    assert code == 0
    assert out == ""


def test_an_answer_that_was_thumbed_up_becomes_a_question_that_reviews_survive(
    run: Run, tmp_path: Path
) -> None:
    assert run("ask", "clean up the disk: delete old logs")[0] == 0
    asyncio.run(thumbed_up(tmp_path / "data" / "journal.db"))
    out = tmp_path / "data" / "eval" / "known" / "golden.jsonl"
    assert run("golden", "export", "--out", out)[0] == 0
    [record] = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert record["question"] == "clean up the disk: delete old logs"
    assert record["relevant"][0]["doc"] == "ours/disk.md"
    assert record["reviewed"] is False
    out.write_text(json.dumps(record | {"reviewed": True}) + "\n", encoding="utf-8")
    assert run("golden", "export", "--out", out)[0] == 0
    assert [json.loads(line)["reviewed"] for line in out.read_text().splitlines()] == [True]
    out.write_text("no questions\n", encoding="utf-8")
    assert run("golden", "export", "--out", out)[0] == 2


async def thumbed_up(path: Path) -> None:
    me = Person(Platform.TERMINAL, str(os.getuid()))
    async with open_journal(path) as journal:
        [asked] = await journal.recent(me, 1)
        message = MessageRef(Platform.TERMINAL, "terminal", "m1")
        now = datetime.now(UTC)
        assert await journal.record_thumb(Thumb(me, Vote.UP, True, now, message, asked.id))
