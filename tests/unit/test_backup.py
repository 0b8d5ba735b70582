"""A backup is one consistent state of the data folder, made while the bot runs."""

import asyncio
from pathlib import Path

import pytest

from core.engines.build_folder import BuildFolders
from core.errors import DataFolderBroken, JournalUnavailable
from core.errors import UsageError as Usage
from core.targets import unwritable
from feedback.archive import manifest_from
from feedback.backup import back_up
from feedback.journal import open_journal
from feedback.restore import restore
from tests.archives import (
    WHEN,
    contents,
    fill_index,
    members,
    mode,
    packing,
    shown,
)
from tests.journals import answered
from tests.people import ROOM, ZOE, asked


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    """Return a data folder with a journal, an index, a calibration and what is not backed up."""
    root = tmp_path / "data"
    root.mkdir()
    fill_index(root)
    (root / "calibration.json").write_text('{"weak": 0.5}')
    (root / "vectors.db").write_text("cache")
    (root / "models").mkdir()
    (root / "models" / "model.onnx").write_text("large")
    async with open_journal(root / "journal.db") as journal:
        await answered(journal)
    return root


@pytest.fixture
async def archive(root: Path, tmp_path: Path) -> Path:
    target = tmp_path / "backup.tar.gz"
    await back_up(root, target, WHEN)
    return target


async def test_a_backup_holds_journal_calibration_and_the_live_build_alone(
    root: Path, tmp_path: Path
) -> None:
    BuildFolders(root / "index").new()
    live = BuildFolders(root / "index").current()
    assert live
    manifest = await back_up(root, tmp_path / "b.tar.gz", WHEN)
    files = members(tmp_path / "b.tar.gz")
    assert set(files) == {
        "journal.db",
        "calibration.json",
        "index/current",
        f"index/{live.id}/build.json",
        f"index/{live.id}/ranks.jsonl",
        f"index/{live.id}/vectors/segments/a-b.1/page_0.dat",
        "backup.json",
    }
    assert files["index/current"] == live.id.encode()
    assert manifest_from(files["backup.json"]) == manifest
    assert (manifest.build, manifest.made_at) == (live.id, "2026-01-05T12:00:00+00:00")


async def test_only_its_owner_may_read_a_backup_and_nothing_lies_beside_it(
    archive: Path, tmp_path: Path
) -> None:
    assert mode(archive) == 0o600
    assert shown(tmp_path) == {"data", archive.name}


async def test_a_backup_is_one_state_while_the_bot_writes(root: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.tar.gz"
    async with open_journal(root / "journal.db") as journal:
        backing = asyncio.create_task(back_up(root, target, WHEN))
        written = 0
        while not backing.done():
            written += 1
            await asked(journal, f"while {written}", ZOE, ROOM)
        await backing
    await asyncio.to_thread(restore, target, tmp_path / "data")
    async with open_journal(root / "journal.db") as journal:
        counts = await journal.counts()
        assert await journal.exchange("x1")
        assert await journal.health() == ""
    assert counts["exchanges"] <= written + 1


async def test_what_is_only_in_the_log_yet_is_backed_up(root: Path, tmp_path: Path) -> None:
    async with open_journal(root / "journal.db") as journal:
        await asked(journal, "just now", ZOE, ROOM)
        await back_up(root, tmp_path / "b.tar.gz", WHEN)
    restore(tmp_path / "b.tar.gz", root)
    async with open_journal(root / "journal.db") as journal:
        assert await journal.exchange("just now")


async def test_a_build_that_is_replaced_meanwhile_is_backed_up_whole_or_not_at_all(
    root: Path, tmp_path: Path
) -> None:
    folders = BuildFolders(root / "index")
    first = folders.current()
    assert first
    with (first.path / "aaa.dat").open("wb") as large:
        large.truncate(64_000_000)
    backing = asyncio.create_task(back_up(root, tmp_path / "b.tar.gz", WHEN))
    while not (packing(tmp_path) or backing.done()):  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(0)
    newer = fill_index(root, "newer")
    folders.sweep(folders.current())
    manifest = await backing
    assert manifest.build in {first.id, newer}
    assert restore(tmp_path / "b.tar.gz", root) == manifest
    live = folders.current()
    assert live
    assert live.id == manifest.build


async def test_a_damaged_journal_is_not_backed_up_over_a_sound_one(
    root: Path, archive: Path
) -> None:
    before = contents(archive)
    journal = root / "journal.db"
    data = contents(journal)
    journal.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with pytest.raises(JournalUnavailable, match="is damaged: stop Nightlamp and restore"):
        await back_up(root, archive, WHEN)
    assert contents(archive) == before


async def test_nothing_is_backed_up_of_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(Usage, match="There is nothing to back up"):
        await back_up(tmp_path, tmp_path / "b.tar.gz", WHEN)
    assert shown(tmp_path) == set()


async def test_a_backup_that_cannot_be_written_says_so(root: Path, tmp_path: Path) -> None:
    with pytest.raises(Usage, match="cannot be written"):
        await back_up(root, tmp_path / "missing" / "b.tar.gz", WHEN)


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("missing/b.csv", Usage),
        ("folder", Usage),
        ("b.csv", DataFolderBroken),
        ("x" * 300, DataFolderBroken),
    ],
    ids=["in no folder", "a folder", "on a full disk", "a name that no disk takes"],
)
def test_a_target_that_is_no_place_for_a_file_is_wrong_use(
    tmp_path: Path, target: str, kind: type
) -> None:
    (tmp_path / "folder").mkdir()
    assert type(unwritable(tmp_path / target, OSError(28, "No space left on device"))) is kind


def kept(root: Path) -> dict[Path, bytes]:
    return {one: one.read_bytes() for one in root.rglob("*") if one.is_file()}


@pytest.mark.parametrize(
    "name", ["journal.db", "journal.db-wal", "index/current", "lock", "../data/calibration.json"]
)
async def test_a_backup_never_takes_the_place_of_what_it_is_of(root: Path, name: str) -> None:
    before = kept(root)
    with pytest.raises(Usage, match="is a place of the data folder's own: name another file"):
        await back_up(root, root / name, WHEN)
    assert kept(root) == before


async def test_a_backup_may_lie_in_the_data_folder_and_is_in_no_other(root: Path) -> None:
    await back_up(root, root / "monday.tar.gz", WHEN)
    await back_up(root, root / "monday.tar.gz", WHEN)
    assert "monday.tar.gz" not in members(root / "monday.tar.gz")
