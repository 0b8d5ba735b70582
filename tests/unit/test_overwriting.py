"""What is read is never replaced by what is written, whatever it is called."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import UsageError
from core.overwriting import check_spared
from eval.adversarial import GENERATIONS
from eval.cli import main
from eval.place import SHIPPED

PAGE = "# Disk full\n\nDelete old logs first, then the caches.\n"
QUESTION = {
    "id": "q1",
    "category": "lookup",
    "question": "disk full, which logs",
    "relevant": [{"doc": "disk.md", "evidence": "Delete old logs first, then the caches."}],
}
READS_QUESTIONS = ("run", "chunking", "bench", "answers")


def same(file: Path, name: Path) -> Path:
    return file


def through_a_folder(file: Path, name: Path) -> Path:
    return file.parent / "corpus" / ".." / file.name


def by_symbolic_link(file: Path, name: Path) -> Path:
    name.symlink_to(file)
    return name


def by_hard_link(file: Path, name: Path) -> Path:
    os.link(file, name)
    return name


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "disk.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "q.jsonl").write_text(json.dumps(QUESTION), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "hashing")
    monkeypatch.setenv("NIGHTLAMP_LLM_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("NIGHTLAMP_LLM_MODEL", "none")
    return tmp_path


def left(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    code = ended.value.code
    return code if isinstance(code, int) else 0


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- one file by several names ------------------------------------------------------------------


@pytest.mark.parametrize("called", [same, through_a_folder, by_symbolic_link, by_hard_link])
def test_a_file_that_is_read_is_the_same_by_every_name(
    called: Callable[[Path, Path], Path], home: Path
) -> None:
    out = called(home / "q.jsonl", home / "other.jsonl")
    with pytest.raises(UsageError, match=r"jsonl is read by this command: write to another file\."):
        check_spared([out], [home / "q.jsonl"])


def test_a_file_below_a_folder_that_is_read_is_read(home: Path) -> None:
    with pytest.raises(UsageError, match=r"disk\.md is read"):
        check_spared([home / "corpus" / "disk.md"], [home / "corpus"])


@pytest.mark.parametrize("end", [".part", ".new"])
def test_so_is_one_that_has_the_name_of_a_file_half_written(end: str, home: Path) -> None:
    half = home / f"run.jsonl{end}"
    half.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is read"):
        check_spared([home / "run.jsonl"], [half])


def test_another_file_or_none_is_fine(home: Path) -> None:
    (home / "run.jsonl").write_text("an older run", encoding="utf-8")
    check_spared([home / "run.jsonl", home / "new.jsonl"], [home / "q.jsonl", home / "gone"])


def test_a_name_that_is_too_long_while_it_is_written_replaces_nothing(home: Path) -> None:
    check_spared([home / ("a" * 255)], [home / "q.jsonl", home / ("b" * 300)])


# --- every command that writes ------------------------------------------------------------------


@pytest.mark.parametrize("command", READS_QUESTIONS)
@pytest.mark.parametrize("called", [same, by_hard_link])
def test_no_command_replaces_its_questions(
    command: str,
    called: Callable[[Path, Path], Path],
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = called(home / "q.jsonl", home / "other.jsonl")
    before = snapshot(home)
    said = ("--corpus", "corpus", command, "--questions", "q.jsonl", "--out", str(out))
    assert left(*said) == 2
    assert capsys.readouterr().err == f"{out} is read by this command: write to another file.\n"
    assert snapshot(home) == before


@pytest.mark.parametrize("out", ["corpus/disk.md", "nightlamp.toml", ".env", "data/journal.db"])
@pytest.mark.parametrize("command", [*READS_QUESTIONS, "mine"])
def test_no_command_replaces_a_runbook_a_setting_or_the_journal(
    command: str, out: str, home: Path
) -> None:
    (home / "data").mkdir()
    for name in ("nightlamp.toml", ".env", "data/journal.db"):
        (home / name).write_text("", encoding="utf-8")
    before = snapshot(home)
    questions = ("--questions", "q.jsonl") if command in READS_QUESTIONS else ()
    assert left("--corpus", "corpus", command, *questions, "--out", out) == 2
    assert snapshot(home) == before


@pytest.mark.parametrize("command", ["run", "chunking", "bench"])
def test_the_shipped_questions_are_read_where_none_are_named(command: str, home: Path) -> None:
    out = by_symbolic_link(SHIPPED, home / "other.jsonl")
    assert left(command, "--out", str(out)) == 2
    assert out.is_symlink()


def test_a_summary_that_would_replace_the_questions_is_refused(home: Path) -> None:
    (home / "q.jsonl").rename(home / "run.summary.json")
    said = ("run", "--questions", "run.summary.json", "--out", "run.jsonl")
    assert left("--corpus", "corpus", *said) == 2


def test_the_parts_of_a_set_with_its_own_documents_are_read_too(home: Path) -> None:
    beir = home / "beir"
    (beir / "qrels").mkdir(parents=True)
    document = {"_id": "d1", "title": "Disk", "text": "Delete old logs first."}
    (beir / "corpus.jsonl").write_text(json.dumps(document), encoding="utf-8")
    query = {"_id": "q1", "text": "which logs"}
    (beir / "queries.jsonl").write_text(json.dumps(query), encoding="utf-8")
    (beir / "qrels" / "test.tsv").write_text("q1\td1\t1\n", encoding="utf-8")
    before = snapshot(beir)
    assert left("run", "--questions", "beir", "--out", "beir/queries.jsonl") == 2
    assert snapshot(beir) == before


def test_the_labelled_texts_are_not_replaced_by_what_is_measured_on_them(home: Path) -> None:
    out = by_symbolic_link(GENERATIONS, home / "other.jsonl")
    assert left("answers", "--scripted", "--out", str(out)) == 2
    assert out.is_symlink()


def test_a_run_beside_the_runbooks_replaces_the_run_before(home: Path) -> None:
    said = ("run", "--questions", "q.jsonl", "--out", "corpus/run.jsonl")
    codes = [left("--corpus", "corpus", *said) for _ in range(2)]
    assert codes == [0, 0]
