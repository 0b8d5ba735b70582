"""A restore puts one whole state in the place of another, or changes nothing."""

import gzip
import json
import os
import sqlite3
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bots.cli_data import restored
from core.clock import SystemClock
from core.errors import DataFolderBroken, DataFolderBusy, NightlampError, UsageError
from corpus.data_folder import DataFolder
from feedback.archive import FORMAT, MANIFEST, allowed
from feedback.backup import back_up
from feedback.journal import open_journal
from feedback.restore import _state, restore, unfinished
from tests.archives import (
    WHEN,
    contents,
    fill_index,
    members,
    pack,
    replace_with,
    shown,
    state,
    with_manifest,
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


async def test_a_restore_brings_back_what_was_there_and_leaves_the_rest(
    root: Path, archive: Path
) -> None:
    before = {name: data for name, data in state(root).items() if name != "journal.db"}
    async with open_journal(root / "journal.db") as journal:
        await asked(journal, "afterwards", ZOE, ROOM)
    fill_index(root, "newer")
    (root / "calibration.json").unlink()
    await restored(DataFolder(root), archive, SystemClock())
    after = {name: data for name, data in state(root).items() if name != "journal.db"}
    assert after == before
    async with open_journal(root / "journal.db") as journal:
        assert await journal.exchange("x1")
        assert await journal.exchange("afterwards") is None
    kept = {"journal.db", "calibration.json", "index", "vectors.db", "models", "lock"}
    assert shown(root) == kept


async def test_a_restore_into_an_empty_folder_makes_it(archive: Path, tmp_path: Path) -> None:
    await restored(DataFolder(tmp_path / "new"), archive, SystemClock())
    assert shown(tmp_path / "new") == {"journal.db", "calibration.json", "index", "lock"}
    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "new").rglob("*.d*")}
    assert modes == {0}


async def test_an_older_log_is_never_played_into_a_restored_journal(
    root: Path, archive: Path
) -> None:
    """A process that was killed leaves its log, with pages of another journal."""
    other = sqlite3.connect(root / "journal.db", isolation_level=None)
    other.execute("delete from messages")
    log = (root / "journal.db-wal").read_bytes()
    other.close()
    (root / "journal.db-wal").write_bytes(log)
    restore(archive, root)
    async with open_journal(root / "journal.db") as journal:
        assert (await journal.counts())["messages"] == 2


async def test_what_a_backup_does_not_have_is_not_there_afterwards(
    root: Path, archive: Path
) -> None:
    files = {name: data for name, data in members(archive).items() if name == "journal.db"}
    pack(archive, with_manifest(files))
    restore(archive, root)
    assert state(root).keys() == {"journal.db"}


async def test_a_held_folder_is_not_restored_into(root: Path, archive: Path) -> None:
    holder = DataFolder(root)
    await holder.hold(SystemClock())
    before = state(root)
    with pytest.raises(DataFolderBusy, match="is in use by process"):
        await restored(DataFolder(root), archive, SystemClock())
    holder.release()
    assert state(root) == before


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "index/../../evil",
        "index/build-1/../../../evil",
        "index/build-1/..",
        "index/build-1/.hidden",
        "index//build-1/a",
        "index/build-1/",
        "index\\build-1\\a",
        "C:/evil",
        "lock.json",
        "models/model.onnx",
        "journal.db-wal",
        "journal.db/x",
        "index/build-1/a\nb",
        "index/build-1/\u202ea",
        "",
        "." * 300,
    ],
)
async def test_a_file_that_has_no_place_in_a_backup_refuses_it_whole(
    root: Path, archive: Path, name: str
) -> None:
    assert not allowed(name)
    before = state(root)
    pack(archive, with_manifest({**members(archive), name: b"x"}))
    with pytest.raises(NightlampError, match="is no whole backup"):
        restore(archive, root)
    assert state(root) == before
    assert not list(root.parent.rglob("evil"))


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
async def test_only_plain_files_are_unpacked(root: Path, archive: Path, kind: bytes) -> None:
    before = state(root)
    pack(archive, with_manifest({"journal.db": b""}), kind)
    with pytest.raises(NightlampError, match="is no whole backup"):
        restore(archive, root)
    assert state(root) == before


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


@pytest.mark.parametrize(
    "spoil",
    [cut, flipped, lambda _: b"", lambda _: b"# Payments\n" * 99, lambda _: gzip.compress(b"x")],
    ids=["cut", "flipped", "empty", "text", "no tar"],
)
async def test_a_spoilt_backup_changes_nothing(
    root: Path, archive: Path, spoil: Callable[[bytes], bytes]
) -> None:
    replace_with(archive, spoil(contents(archive)))
    before = state(root)
    with pytest.raises(NightlampError, match="is no whole backup"):
        restore(archive, root)
    assert state(root) == before
    assert not unfinished(root)


async def test_a_file_that_is_not_what_was_packed_refuses_the_backup(
    root: Path, archive: Path
) -> None:
    files = members(archive)
    for changed in (
        {**files, "calibration.json": b"{}"},
        {name: data for name, data in files.items() if name != "calibration.json"},
        {name: data for name, data in files.items() if name != MANIFEST},
        {MANIFEST: files[MANIFEST], **files},
    ):
        pack(archive, changed)
        with pytest.raises(NightlampError, match="is no whole backup"):
            restore(archive, root)


async def test_a_backup_of_a_newer_version_changes_nothing(root: Path, archive: Path) -> None:
    files = members(archive)
    newer = json.loads(files[MANIFEST]) | {"format": FORMAT + 1}
    pack(archive, {**files, MANIFEST: json.dumps(newer).encode()})
    before = state(root)
    with pytest.raises(NightlampError, match="of another version of Nightlamp"):
        restore(archive, root)
    assert state(root) == before


async def test_a_journal_in_it_that_is_damaged_or_newer_changes_nothing(
    root: Path, archive: Path, tmp_path: Path
) -> None:
    files = members(archive)
    sound = files["journal.db"]
    newer = tmp_path / "newer.db"
    newer.write_bytes(sound)
    db = sqlite3.connect(newer, isolation_level=None)
    db.execute("insert into _sqlite_migrations values (99, 'nightlamp', 'm999_later', '2030')")
    db.close()
    for journal in (sound[:4096] + b"\xff" * 8192, newer.read_bytes(), b"text"):
        pack(archive, with_manifest({"journal.db": journal}))
        before = state(root)
        with pytest.raises(NightlampError):
            restore(archive, root)
        assert state(root) == before


async def test_a_file_that_would_fill_the_disk_is_not_unpacked(root: Path, archive: Path) -> None:
    """The header alone says so: not a byte of it need be there."""
    info = tarfile.TarInfo("journal.db")
    info.size = 1 << 60
    replace_with(archive, gzip.compress(info.tobuf(tarfile.GNU_FORMAT)))
    with pytest.raises(DataFolderBroken, match="too little room"):
        restore(archive, root)


async def test_there_must_be_a_backup_of_that_name(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no backup"):
        restore(tmp_path / "nope", root)


@pytest.mark.parametrize("moves", range(6))
async def test_a_restore_cut_off_between_any_two_moves_is_put_right_by_the_next(
    root: Path, archive: Path, tmp_path: Path, moves: int
) -> None:
    before = state(root)
    staging = root / ".restore-cut"
    (staging / "old").mkdir(parents=True)
    (staging / "new").mkdir()
    for name in ("journal.db", "index"):
        (staging / "new" / name).write_text("new")
    coming = {name: _state(staging / "new" / name) for name in ("journal.db", "index")}
    (staging / "coming").write_text(json.dumps(coming))
    places = [(root, name, "old") for name in ("journal.db", "calibration.json", "index")]
    for where, name, to in places[:moves]:
        (where / name).rename(staging / to / name)
    for name in ("journal.db", "index")[: max(0, moves - 3)]:
        (staging / "new" / name).rename(root / name)
    assert unfinished(root)
    with pytest.raises(UsageError, match="There is no backup"):
        restore(tmp_path / "nope", root)
    assert state(root) == before
    assert not unfinished(root)


@pytest.mark.parametrize("came", [False, True], ids=["begun anew", "the restored one"])
async def test_a_journal_that_was_used_after_a_restore_was_cut_off_is_not_thrown_away(
    root: Path, archive: Path, tmp_path: Path, came: bool
) -> None:
    staging = root / ".restore-cut"
    (staging / "old").mkdir(parents=True)
    (staging / "new").mkdir()
    (staging / "new" / "journal.db").write_text("new")
    coming = {"journal.db": _state(staging / "new" / "journal.db")}
    (staging / "coming").write_text(json.dumps(coming))
    (root / "journal.db").rename(staging / "old" / "journal.db")
    before = contents(staging / "old" / "journal.db")
    if came:
        (staging / "new" / "journal.db").rename(root / "journal.db")
    replace_with(root / "journal.db", b"used since")
    with pytest.raises(UsageError, match="There is no backup"):
        restore(tmp_path / "nope", root)
    assert contents(root / "journal.db") == b"used since"
    assert contents(root / "before-restore-cut" / "journal.db") == before
    assert not unfinished(root)


async def test_a_folder_that_cannot_be_written_says_so(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataFolderBroken, match="cannot take the backup"):
        restore(archive, tmp_path / "file")
    assert os.listdir(tmp_path / "data")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_heading_that_would_fill_the_memory_is_not_read(tmp_path: Path, kind: bytes) -> None:
    heading = tarfile.TarInfo("x")
    heading.type, heading.size = kind, 50_000_000
    with gzip.open(tmp_path / "b.tar.gz", "wb", compresslevel=1) as packed:
        packed.write(heading.tobuf(tarfile.GNU_FORMAT))
        packed.write(bytes(heading.size))
    (tmp_path / "data").mkdir()
    tracemalloc.start()
    try:
        with pytest.raises(NightlampError, match="no whole backup"):
            restore(tmp_path / "b.tar.gz", tmp_path / "data")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


def test_headings_without_end_are_no_backup(tmp_path: Path) -> None:
    heading = tarfile.TarInfo("x")
    heading.type, heading.size = tarfile.XHDTYPE, 0
    with gzip.open(tmp_path / "b.tar.gz", "wb") as packed:
        packed.write(5000 * heading.tobuf(tarfile.GNU_FORMAT))
    (tmp_path / "data").mkdir()
    with pytest.raises(NightlampError, match="no whole backup"):
        restore(tmp_path / "b.tar.gz", tmp_path / "data")
