"""Files that a command writes where somebody says: whole or as they were, and never our own."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from bots.out_files import check_out, write_out
from core.errors import DataFolderBroken, UsageError
from core.settings import Settings
from core.settings_groups import RetrievalSettings

if TYPE_CHECKING:
    from bots.cli import Place

OURS = (
    *("journal.db", "journal.db-wal", "journal.db-shm", "journal.db-journal", "vectors.db-wal"),
    *("vectors.db", "calibration.json", "lock", "lock.json", "control.sock"),
    *("index/build/a.bin", "sources/clone/disk.md", "models/tiny/model.onnx"),
)


class At:
    """A place with a data folder and a file of words, and no settings but these."""

    sources = None

    def __init__(self, home: Path) -> None:
        self._home = home

    def settings(self) -> Settings:
        words = (self._home / "words.txt",)
        return Settings(retrieval=RetrievalSettings(vocabulary=words))

    def folder(self, settings: Settings) -> Path:
        return self._home / "data"


def checked(home: Path, out: Path) -> None:
    check_out(cast("Place", At(home)), out)


def made(path: Path, text: str = "ours") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# --- what is written ----------------------------------------------------------------------------


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(tmp_path: Path) -> None:
    path = made(tmp_path / "golden.jsonl", "what people made of it")
    with no_file_longer_than(4096), pytest.raises(DataFolderBroken, match="cannot be written"):
        write_out(path, "new\n" * 10_000)
    assert path.read_text(encoding="utf-8") == "what people made of it"
    assert os.listdir(tmp_path) == ["golden.jsonl"]


def test_one_that_was_not_there_is_not_left_half_written(tmp_path: Path) -> None:
    with no_file_longer_than(4096), pytest.raises(DataFolderBroken, match="cannot be written"):
        write_out(tmp_path / "gaps.csv", "new\n" * 10_000)
    assert os.listdir(tmp_path) == []


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    path = made(tmp_path / "golden.jsonl")
    path.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    write_out(link, "new")
    assert link.is_symlink()
    assert (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == ("new", 0o640)
    assert sorted(os.listdir(tmp_path)) == ["golden.jsonl", "link.jsonl"]


def test_what_is_no_file_is_written_into_and_not_replaced(tmp_path: Path) -> None:
    device = tmp_path / "out"
    device.symlink_to("/dev/null")
    write_out(device, "new")
    assert device.is_char_device()
    assert os.listdir(tmp_path) == ["out"]


def test_a_name_as_long_as_can_be_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    write_out(path, "new")
    assert path.read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize("name", ["nowhere/gaps.csv", "."])
def test_what_is_no_place_for_a_file_is_wrong_use(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_out(tmp_path / name, "new")


# --- what is never written ----------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("name", OURS)
def test_what_the_data_folder_holds_or_will_hold_is_spared(
    name: str, there: bool, tmp_path: Path
) -> None:
    out = tmp_path / "data" / name
    if there:
        made(out)
    with pytest.raises(UsageError, match="write to another file"):
        checked(tmp_path, out)


@pytest.mark.parametrize("name", ["data/journal.db-wal", "data/models/tiny/a", "words.txt"])
@pytest.mark.parametrize("hard", [True, False])
def test_so_it_is_by_another_name(name: str, hard: bool, tmp_path: Path) -> None:
    ours, out = made(tmp_path / name), tmp_path / "out.jsonl"
    if hard:
        os.link(ours, out)
    else:
        out.symlink_to(ours)
    with pytest.raises(UsageError, match="write to another file"):
        checked(tmp_path, out)


@pytest.mark.parametrize("name", ["words.txt", "data/new/../journal.db-wal"])
def test_so_are_the_words_of_the_settings_and_ways_round(name: str, tmp_path: Path) -> None:
    made(tmp_path / "data" / "new" / "a")
    made(tmp_path / name)
    with pytest.raises(UsageError, match="write to another file"):
        checked(tmp_path, tmp_path / name)


@pytest.mark.parametrize("name", ["golden.jsonl", "data/golden.jsonl", "data/eval/known/a.jsonl"])
def test_other_files_may_be_written_in_the_data_folder_too(name: str, tmp_path: Path) -> None:
    checked(tmp_path, tmp_path / name)
    checked(tmp_path, made(tmp_path / name))
