"""Places that cannot be written: one sentence before the work, and no result is lost."""

import json
import os
from pathlib import Path

import pytest

from core.errors import DataFolderBroken, UsageError
from core.settings import read_settings
from corpus.data_folder import DataFolder
from eval.cli import main
from eval.living import settle_in
from eval.measuring import scratch
from eval.place import Place
from eval.plans import plan_for
from eval.rank_rows import write_ranks
from eval.results import ResultError, check_writable, write_result
from eval.runfile import RunFileError, run_file
from eval.running import printed

PAGE = "---\ndescription: What to delete first\n---\n# Disk full\n\nDelete old logs.\n"
QUESTION = {
    "id": "q1",
    "category": "lookup",
    "question": "disk full, which logs",
    "relevant": [{"doc": "disk.md", "evidence": "Delete old logs."}],
}
COMMANDS = (
    ("run", "--questions", "q.jsonl"),
    ("chunking", "--fake", "--questions", "q.jsonl", "--out", "found.json"),
    ("bench", "--fake", "--sizes", "8", "--questions", "q.jsonl", "--out", "found.json"),
    ("bench", "--fake", "--sizes", "none", "--baseline", "--questions", "q.jsonl", "--out", "f"),
    ("calibrate", "--questions", "q.jsonl"),
    ("calibrate",),
    ("mine",),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "disk.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "q.jsonl").write_text(json.dumps(QUESTION), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "hashing")
    return tmp_path


def left(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["--corpus", "corpus", *arguments])
    code = ended.value.code
    return code if isinstance(code, int) else 0


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return what was said last, and see to it that it was no traceback."""
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    return said.err.splitlines()[-1]


# --- the data folder ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["data", "data/eval"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_data_folder_that_cannot_be_made_is_one_sentence(
    command: tuple[str, ...], name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).touch()
    assert left(*command) in {2, 3}
    assert "data" in last_line(capsys)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_so_is_one_that_may_only_be_read(
    command: tuple[str, ...], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "data").mkdir(mode=0o500)
    assert left(*command) in {2, 3}
    assert "data" in last_line(capsys)


def test_a_measurements_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "eval").touch()
    with pytest.raises(DataFolderBroken, match="cannot be written"), scratch(tmp_path / "eval"):
        pass


async def test_a_home_that_cannot_be_filled_is_a_sentence(home: Path) -> None:
    plan = plan_for(read_settings(), Place((home / "corpus",), home / "data"), ())
    (home / "own").touch()
    with pytest.raises(DataFolderBroken, match="own cannot be written"):
        await settle_in(home / "own", plan, DataFolder(home / "data"))


def test_ranks_beside_a_build_that_cannot_be_written_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "build").touch()
    with pytest.raises(DataFolderBroken, match="build cannot be written"):
        write_ranks(tmp_path / "build" / "ranks.jsonl", (), "")


# --- the result ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("folder", "is not a file"),
        ("file/found.json", "file is no folder"),
        (f"{'a' * 300}.json", "cannot be written: File name too long"),
        (f"{'a' * 300}/found.json", "cannot be written: File name too long"),
    ],
)
def test_a_result_that_cannot_be_written_is_told_before_the_work(
    name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=reason):
        check_writable(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
@pytest.mark.parametrize("name", ["closed/found.json", "closed/new/found.json"])
def test_so_is_one_in_a_folder_that_may_only_be_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(UsageError, match="cannot be written: Permission denied"):
        check_writable(tmp_path / name)


@pytest.mark.parametrize("name", ["found.json", "new/found.json"])
def test_to_look_whether_a_result_can_be_written_changes_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "found.json").write_text("before", encoding="utf-8")
    check_writable(tmp_path / name)
    assert os.listdir(tmp_path) == ["found.json"]
    assert (tmp_path / "found.json").read_text(encoding="utf-8") == "before"


def test_what_was_found_is_printed_even_if_it_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ResultError, match="cannot be written"):
        printed(lambda console: console.print("0.859"), lambda: write_result(tmp_path, {}))
    assert capsys.readouterr().out == "0.859\n"


def test_and_written_even_if_it_cannot_be_printed(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        printed(lambda console: console.print({}["gone"]), lambda: write_result(tmp_path / "a", {}))
    assert (tmp_path / "a").read_text(encoding="utf-8") == "{}\n"


def test_a_runs_figures_that_have_no_place_are_told_before_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "run.summary.json").mkdir()
    assert left("run", "--questions", "q.jsonl", "--out", "run.jsonl") == 2
    assert last_line(capsys).startswith("run.summary.json is not a file")
    assert not (home / "data").exists()


def test_a_run_whose_place_was_taken_meanwhile_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"

    def run() -> None:
        with run_file(path) as writer:
            writer.write({"id": "q1"})
            path.mkdir()

    with pytest.raises(RunFileError, match=r"run\.jsonl cannot be written: Is a directory"):
        run()
    assert os.listdir(tmp_path) == ["run.jsonl"]
