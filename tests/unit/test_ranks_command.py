"""`ranks` tells of the known questions as they are now, whatever was stored beside the build."""

import asyncio
import json
from pathlib import Path

import pytest

from core.reports import IndexOptions
from core.settings import read_settings
from corpus.library import open_library
from eval.cli import main
from eval.rank_tables import NONE

PAGES = {
    "disk.md": "# Disk full\n\nDelete old logs first, then the caches.\n",
    "lag.md": "# Consumer lag\n\nRestart the kafka consumer group.\n",
}
DISK = ("disk", "disk full, which logs", "disk.md", "Delete old logs first, then the caches.")
LAG = ("lag", "kafka consumer lag", "lag.md", "Restart the kafka consumer group.")


def question(id_: str, text: str, doc: str, evidence: str) -> str:
    relevant = [{"doc": doc, "evidence": evidence}]
    record = {"id": id_, "category": "lookup", "question": text, "relevant": relevant}
    return json.dumps(record) + "\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with an index of two pages, and one known question."""
    (tmp_path / "corpus").mkdir()
    for name, text in PAGES.items():
        (tmp_path / "corpus" / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "hashing")
    asyncio.run(index(tmp_path))
    known = tmp_path / "data" / "eval" / "known"
    known.mkdir(parents=True)
    (known / "mined.jsonl").write_text(question(*DISK), encoding="utf-8")
    return tmp_path


async def index(home: Path) -> None:
    sources = [home / "corpus"]
    async with open_library(read_settings(), home / "data", sources=sources) as library:
        await library.indexer.run(IndexOptions())


def ranks(*more: str) -> int:
    try:
        main(["--corpus", "corpus", "ranks", *more])
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.partition(":")[0]


def test_a_question_that_was_added_is_ranked(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (ranks(), told(capsys)) == (0, "1 known question")
    own = home / "data" / "eval" / "known" / "own.jsonl"
    own.write_text(question(*LAG), encoding="utf-8")
    assert (ranks(), told(capsys)) == (0, "2 known questions")
    own.unlink()
    assert (ranks(), told(capsys)) == (0, "1 known question")


def test_what_is_stored_of_the_same_questions_is_not_asked_again(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranks()
    [stored] = (home / "data" / "index").glob("*/ranks.jsonl")
    text = stored.read_text(encoding="utf-8")
    stored.write_text(text.replace('"rank": 1', '"rank": 7'), encoding="utf-8")
    capsys.readouterr()
    ranks()
    assert "The largest rank is 7" in capsys.readouterr().out


def test_a_broken_file_is_told_with_its_line(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranks()
    own = home / "data" / "eval" / "known" / "own.jsonl"
    own.write_text(question(*LAG) + "{\n", encoding="utf-8")
    capsys.readouterr()
    assert ranks() == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("data/eval/known/own.jsonl, line 2: the line is not JSON")
    assert said.err.count("\n") == 1


def test_a_file_that_became_broken_tells_no_old_ranks(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranks()
    (home / "data" / "eval" / "known" / "mined.jsonl").write_text("", encoding="utf-8")
    capsys.readouterr()
    assert ranks() == 2
    assert capsys.readouterr().err == "data/eval/known/mined.jsonl: it holds no questions.\n"


@pytest.mark.parametrize("named", [True, False], ids=["named", "not named"])
def test_own_pages_without_known_questions_hint_at_mine(
    named: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "data" / "eval" / "known" / "mined.jsonl").unlink()
    main_of = ["--corpus", "corpus"] if named else []
    with pytest.raises(SystemExit) as left:
        main([*main_of, "ranks"])
    assert not left.value.code
    assert capsys.readouterr().out == f"{NONE}\n"
    assert list((home / "data" / "index").glob("*/ranks.jsonl")) == []


def test_questions_that_are_named_are_asked_and_not_kept(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "mine.jsonl").write_text(question(*LAG) + question(*DISK), encoding="utf-8")
    assert (ranks("--questions", "mine.jsonl"), told(capsys)) == (0, "2 known questions")
    assert list((home / "data" / "index").glob("*/ranks.jsonl")) == []
