"""Places that cannot be written: one sentence before the work, and no result is lost."""

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import DataFolderBroken, UsageError
from core.settings import read_settings
from corpus.data_folder import DataFolder
from eval.cli import main
from eval.corpus_commands import write_records
from eval.living import settle_in
from eval.measuring import scratch
from eval.place import Place
from eval.plans import plan_for
from eval.rank_rows import write_ranks
from eval.results import ResultError, check_writable, real_place, write_result
from eval.runfile import RunFileError, run_file, write_summary
from eval.running import printed

ROOT = Path(__file__).parents[2]
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


def closed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder that nobody may write to, not even root, to whom modes mean nothing."""
    folder.mkdir()
    mkdir, open_ = os.mkdir, os.open

    def guarded(path: Any) -> None:
        if isinstance(path, str | Path) and Path(path).absolute().is_relative_to(folder):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    def no_mkdir(path: Any, *arguments: Any, **named: Any) -> None:
        guarded(path)
        mkdir(path, *arguments, **named)

    def no_open(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
            guarded(path)
        return open_(path, flags, *arguments, **named)

    monkeypatch.setattr(os, "mkdir", no_mkdir)
    monkeypatch.setattr(os, "open", no_open)


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


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_so_is_one_that_may_only_be_read(
    command: tuple[str, ...],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    closed(home / "data", monkeypatch)
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


@pytest.mark.parametrize("name", ["closed/found.json", "closed/new/found.json"])
def test_so_is_one_in_a_folder_that_may_only_be_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(tmp_path / "closed", monkeypatch)
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


# --- links and devices --------------------------------------------------------------------------


def write_run(path: Path) -> None:
    with run_file(path) as writer:
        writer.write({"id": "new"})


WRITERS: dict[str, Callable[[Path], None]] = {
    "result": lambda path: write_result(path, {"id": "new"}),
    "run": write_run,
    "questions": lambda path: write_records(path, [{"id": "new"}]),
}


@pytest.mark.parametrize("there", [True, False], ids=["there", "not yet there"])
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_what_is_written_through_a_link_is_where_it_leads(
    write: Callable[[Path], None], there: bool, tmp_path: Path
) -> None:
    real, link = tmp_path / "real" / "a.json", tmp_path / "a.json"
    real.parent.mkdir()
    if there:
        real.write_text("old", encoding="utf-8")
    link.symlink_to(Path("real", "a.json"))
    check_writable(link)
    write(link)
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8")) == {"id": "new"}
    assert (sorted(os.listdir(tmp_path)), os.listdir(real.parent)) == (
        ["a.json", "real"], ["a.json"],
    )  # fmt: skip


def test_a_runs_figures_are_replaced_where_their_link_leads(tmp_path: Path) -> None:
    link, real = tmp_path / "run.summary.json", tmp_path / "real.json"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    write_run(tmp_path / "run.jsonl")
    assert not real.exists()
    write_summary(tmp_path / "run.jsonl", {"n": 1})
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8")) == {"n": 1}


@pytest.mark.parametrize("name", ["pipe", "to-pipe", "to-folder", "round"])
@pytest.mark.parametrize("look", [check_writable, lambda path: run_file(path).__enter__()])
def test_what_is_no_file_is_no_place_for_a_result(
    look: Callable[[Path], object], name: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-pipe").symlink_to("pipe")
    (tmp_path / "to-folder").symlink_to(tmp_path)
    (tmp_path / "round").symlink_to("round")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(UsageError, match=f"{name} is not a file that"):
        look(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("name", ["/dev/null", "/dev/new.json", "/dev/stdout", "/proc/new", "link"])
def test_nor_is_a_place_among_devices(name: str, tmp_path: Path) -> None:
    """Ask nothing but where it would be: no fault of the program may reach a device."""
    (tmp_path / "link").symlink_to("/dev/new.json")
    with pytest.raises(UsageError, match=f"{name} is not a file that"):
        real_place(tmp_path / name)


@pytest.mark.parametrize("out", [".", "/", ".."])
@pytest.mark.parametrize("command", ["run", "bench", "chunking", "mine"])
def test_such_an_out_is_one_sentence_before_the_work(
    command: str, out: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = () if command == "mine" else ("--questions", "q.jsonl")
    assert left(command, *questions, "--out", out) == 2
    assert last_line(capsys) == f"{out} is not a file that a result could be written to."
    assert not (home / "data").exists()


def test_a_file_beside_the_real_place_is_not_replaced_if_it_is_read(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "real").mkdir()
    (home / "q.jsonl").rename(home / "real" / "run.jsonl.part")
    (home / "run.jsonl").symlink_to(Path("real", "run.jsonl"))
    assert left("run", "--questions", "real/run.jsonl.part", "--out", "run.jsonl") == 2
    assert "is read by this command" in last_line(capsys)


# --- a standard output that takes nothing -------------------------------------------------------


class Failing(io.StringIO):
    """A standard output that fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, _text: str) -> int:
        raise self.error


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "What was found cannot be printed: No space left on device.",
        ),
        (
            UnicodeEncodeError("ascii", "–", 0, 1, "ordinal not in range"),
            "What was found cannot be printed: it has letters that ascii lacks. "
            "Set PYTHONIOENCODING=utf-8.",
        ),
    ],
    ids=["full", "letters"],
)
def test_what_cannot_be_printed_is_written_and_then_told(
    error: Exception, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", Failing(error))
    with pytest.raises(ResultError) as raised:
        printed(lambda console: console.print("–"), lambda: write_result(tmp_path / "a", {}))
    assert str(raised.value) == sentence
    assert (tmp_path / "a").read_text(encoding="utf-8") == "{}\n"


def run_to(stdout: int, home: Path, *more: str) -> tuple[int, str]:
    """Run the evaluation as a program with this standard output; return its code and errors."""
    command = ("run", "--questions", "q.jsonl", "--out", "run.jsonl", *more)
    ended = subprocess.run(
        [sys.executable, "-m", "eval", "--corpus", str(home / "corpus"), *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=home,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(("gate", "code"), [((), 0), (("--fail-over", "chars5=1"), 3)])
def test_a_reader_that_leaves_changes_neither_the_gate_nor_the_file(
    gate: tuple[str, ...], code: int, home: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended, said = run_to(writing, home, *gate)
    finally:
        os.close(writing)
    assert (ended, "chars5" in said, "rror" in said) == (code, bool(gate), False)
    assert (home / "run.summary.json").is_file()


def test_an_output_that_cannot_be_written_is_one_sentence_at_the_end(home: Path) -> None:
    closed = os.open(home / "q.jsonl", os.O_RDONLY)
    try:
        code, said = run_to(closed, home)
    finally:
        os.close(closed)
    assert code == 3
    assert said.splitlines()[-1] == "What was found cannot be printed: Bad file descriptor."
    assert (home / "run.summary.json").is_file()
