"""The data folder belongs to one process, and what is wrong with it is one sentence."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from core.errors import DataFolderBroken, DataFolderBusy
from corpus.data_folder import DataFolder
from tests.fakes import FrozenClock


async def test_a_second_holder_is_told_who_has_it_and_since_when(tmp_path: Path) -> None:
    first, second = DataFolder(tmp_path / "data"), DataFolder(tmp_path / "data")
    await first.hold(FrozenClock())
    with pytest.raises(DataFolderBusy) as caught:
        await second.hold(FrozenClock())
    assert str(caught.value) == (
        f"The data folder {tmp_path}/data is in use by process {os.getpid()} since "
        "2030-01-07T09:00:00+00:00: stop that process, or name another folder with --data."
    )
    first.release()


async def test_who_waits_for_another_to_leave_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = DataFolder(tmp_path / "data"), DataFolder(tmp_path / "data")
    await first.hold(FrozenClock())
    caplog.set_level("INFO", logger="corpus.data_folder")
    with pytest.raises(DataFolderBusy):
        await second.hold(FrozenClock(), wait=0.25)
    first.release()
    [record] = [one for one in caplog.records if one.name == "corpus.data_folder"]
    assert "is in use by process" in record.getMessage()


async def test_what_lies_in_a_folder_that_others_may_enter_is_closed_to_them(
    tmp_path: Path,
) -> None:
    root = tmp_path / "data"
    for old in (root, root / "sources", root / "eval", root / "models"):
        old.mkdir()
        old.chmod(0o755)
    (root / "vectors.db").touch()
    (root / "vectors.db").chmod(0o644)
    folder = DataFolder(root)
    await folder.hold(FrozenClock())
    folder.release()
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in root.iterdir()}
    assert modes == {
        "index": 0o700,
        "sources": 0o700,
        "eval": 0o700,
        "vectors.db": 0o600,
        "lock": 0o600,  # who may open it may hold it, and keep the bot from starting
        "models": 0o755,
    }
    assert stat.S_IMODE(root.stat().st_mode) == 0o755


async def test_a_link_to_where_the_index_lies_is_the_operators_own_affair(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "data", tmp_path / "large"
    root.mkdir()
    elsewhere.mkdir()
    elsewhere.chmod(0o755)
    (root / "index").symlink_to(elsewhere)
    folder = DataFolder(root)
    await folder.hold(FrozenClock())
    folder.release()
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o755


async def test_a_released_folder_can_be_held_again(tmp_path: Path) -> None:
    first, second = DataFolder(tmp_path), DataFolder(tmp_path)
    await first.hold(FrozenClock())
    first.release()
    await second.hold(FrozenClock())
    second.release()
    assert not (tmp_path / "lock.json").exists()


async def test_a_start_waits_for_the_holder_to_leave(tmp_path: Path) -> None:
    first, second = DataFolder(tmp_path), DataFolder(tmp_path)
    await first.hold(FrozenClock())
    waiting = asyncio.create_task(second.hold(FrozenClock(), wait=30))
    await asyncio.sleep(0)
    first.release()
    await waiting
    second.release()


async def test_a_holder_that_cannot_be_read_is_another_process(tmp_path: Path) -> None:
    first, second = DataFolder(tmp_path), DataFolder(tmp_path)
    await first.hold(FrozenClock())
    (tmp_path / "lock.json").write_text("{")
    with pytest.raises(DataFolderBusy, match="in use by another process: stop that process"):
        await second.hold(FrozenClock())
    first.release()


async def test_a_leftover_lock_of_a_dead_process_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / "lock.json").write_text('{"pid": 1, "since": "2029-01-01T00:00:00+00:00"}')
    folder = DataFolder(tmp_path)
    await folder.hold(FrozenClock())
    folder.release()


async def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "new" / "data")
    await folder.hold(FrozenClock())
    folder.release()
    assert stat.S_IMODE((tmp_path / "new" / "data").stat().st_mode) == 0o700


async def test_a_file_in_its_place_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    with pytest.raises(DataFolderBroken) as caught:
        await DataFolder(tmp_path / "data").hold(FrozenClock())
    assert str(caught.value) == (
        f"The data folder {tmp_path}/data cannot be used (File exists): "
        "make it writable, or name another folder with --data."
    )


def test_releasing_what_is_not_held_does_nothing(tmp_path: Path) -> None:
    DataFolder(tmp_path).release()
    assert list(tmp_path.iterdir()) == []
