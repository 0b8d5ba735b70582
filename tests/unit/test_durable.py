"""A file that is replaced at once: the old one or the new, and never a piece beside it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.engines.durable import write_durably
from core.errors import DataFolderBroken
from corpus.calibrating import write_calibration
from corpus.calibrations import SHIPPED
from eval.corpus_commands import write_records
from eval.rank_rows import RankRow, write_ranks
from eval.results import ResultError, write_text
from eval.runfile import summary_path, write_summary


def listed(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def fill_disk(path: Path, end: str = ".new") -> None:
    """Have all that is written before it takes this name find the disk full."""
    path.with_name(f"{path.name}{end}").symlink_to("/dev/full")


WRITERS: dict[str, Callable[[Path], None]] = {
    "bytes": lambda path: write_durably(path, b"new"),
    "questions": lambda path: write_records(path, [{"id": "q1"}]),
    "ranks": lambda path: write_ranks(path, [RankRow("q1", "lookup", "a?", "a.md", 1)], "files"),
    "calibration": lambda path: write_calibration(path, "print", SHIPPED),
}


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text("old", encoding="utf-8")
    write_durably(tmp_path / "m.jsonl", b"new")
    assert (tmp_path / "m.jsonl").read_bytes() == b"new"
    assert listed(tmp_path) == ["m.jsonl"]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text("{}", encoding="utf-8")
    fill_disk(path)
    with pytest.raises(DataFolderBroken, match=r"is full: free some space\."):
        write(path)
    assert (listed(tmp_path), path.read_text(encoding="utf-8")) == (["m.jsonl"], "{}")


def test_a_name_that_cannot_be_taken_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").mkdir()
    with pytest.raises(DataFolderBroken, match="cannot be written"):
        write_durably(tmp_path / "m.jsonl", b"new")
    assert listed(tmp_path) == ["m.jsonl"]


@pytest.mark.parametrize(
    "write",
    [
        lambda path: write_text(path, "new"),
        lambda path: write_summary(path.with_name("m.jsonl"), {}),
    ],
    ids=["result", "summary"],
)
def test_results_that_do_not_fit_leave_nothing_either(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    path = summary_path(tmp_path / "m.jsonl")
    fill_disk(path, ".part")
    with pytest.raises(ResultError, match="No space left on device"):
        write(path)
    assert listed(tmp_path) == []


def test_a_text_that_cannot_be_encoded_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "report.md", "\ud800")
    assert listed(tmp_path) == []
