"""Putting a backup in the place of what a data folder holds.

It is unpacked and checked beside what is there, and only then do the two change places. What was
there is put back where that fails, or where an earlier restore was cut off in the midst. Files are
moved inside the folder, which may be a mount point, and nothing else in it is touched.
"""

import gzip
import hashlib
import json
import logging
import os
import shutil
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from core.engines.durable import sync_folder
from core.errors import DataFolderBroken, UsageError
from feedback.archive import (
    CALIBRATION,
    INDEX,
    JOURNAL,
    LARGEST_MANIFEST,
    MANIFEST,
    MOST_FILES,
    Kept,
    Manifest,
    allowed,
    damaged,
    manifest_from,
)
from feedback.database import open_database

log = logging.getLogger(__name__)

PLACES: Final = (f"{JOURNAL}-wal", f"{JOURNAL}-shm", JOURNAL, CALIBRATION, INDEX)
"""What is replaced. A log must never stay beside the journal of another time: it would be played
back into it."""
_STAGING: Final = ".restore-"
_COMING: Final = "coming"
_BLOCK: Final = 1 << 20
_LONGEST_HEADING: Final = 100_000
_ROOM_LEFT: Final = 64_000_000
"""Bytes that a restore leaves free on the disk."""


def restore(archive: Path, root: Path) -> Manifest:
    """Replace a data folder's journal, calibration and index by those of a backup. Blocks.

    The caller holds the folder's lock, so that nobody has them open.

    Raises:
        UsageError: there is no such file; nothing was changed.
        NightlampError: it is no whole backup, or one of a newer version; nothing was changed.
        DataFolderBroken: the folder or its disk cannot take it; nothing was changed.
    """
    with _folder_errors(root):
        for left in sorted(root.glob(f"{_STAGING}*")):
            _put_back(left, root)
        staging = root / f"{_STAGING}{uuid4().hex[:8]}"
        staging.mkdir(mode=0o700)
        try:
            manifest = _unpacked(archive, staging / "new")
            _check_journal(staging / "new" / JOURNAL)
            _swap(staging, root)
        except BaseException:
            _put_back(staging, root)
            raise
        shutil.rmtree(staging)
        return manifest


def unfinished(root: Path) -> bool:
    """Return whether a restore was cut off in the midst; restoring again puts that right."""
    return any(root.glob(f"{_STAGING}*/old"))


# --- unpacking ----------------------------------------------------------------------------------


class _Heading(tarfile.TarInfo):
    """A heading of an archive, whose extensions (long names, attributes) are short or refused.

    tarfile reads each of them into the memory at once, however much it says that it has.
    """

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        extends = self.type not in tarfile.REGULAR_TYPES and self.size > _LONGEST_HEADING
        if extends or self.type == tarfile.GNUTYPE_SPARSE:
            raise damaged()
        read: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return read


def _unpacked(archive: Path, new: Path) -> Manifest:
    new.mkdir(mode=0o700)
    found: dict[str, Kept] = {}
    manifest: Manifest | None = None
    room = shutil.disk_usage(new).free - _ROOM_LEFT
    try:
        with (
            archive.open("rb") as file,
            tarfile.open(fileobj=file, mode="r|gz", tarinfo=_Heading) as members,
        ):
            for member in members:
                if manifest is not None or member.name in found or len(found) >= MOST_FILES:
                    raise damaged()
                data = members.extractfile(member) if member.isreg() else None
                if data is None:
                    raise damaged()
                if member.name == MANIFEST:
                    manifest = _manifest(member, data)
                    continue
                room -= _checked_size(member, room)
                found[member.name] = _written(data, new / member.name, member.size)
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, RecursionError) as error:
        raise damaged() from error
    except FileNotFoundError as error:
        raise UsageError(f"There is no backup {archive}: name the file.") from error
    if manifest is None or manifest.files != found:
        raise damaged()
    return manifest


def _manifest(member: tarfile.TarInfo, data: IO[bytes]) -> Manifest:
    if member.size > LARGEST_MANIFEST:
        raise damaged()
    return manifest_from(data.read())


def _checked_size(member: tarfile.TarInfo, room: int) -> int:
    if not allowed(member.name):
        raise damaged()
    if member.size > room:
        raise DataFolderBroken("The disk has too little room for this backup: free some space.")
    return member.size


def _written(data: IO[bytes], path: Path, size: int) -> Kept:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, left = hashlib.sha256(), size
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        while left and (block := data.read(min(_BLOCK, left))):
            # An index reserves much that is empty: left as holes, as it had them.
            if block.count(0) == len(block):
                file.seek(len(block), os.SEEK_CUR)
            else:
                file.write(block)
            digest.update(block)
            left -= len(block)
        file.truncate(size - left)
        file.flush()
        os.fsync(file.fileno())
    if left:
        raise damaged()
    return Kept(size, digest.hexdigest())


def _check_journal(journal: Path) -> None:
    """Open, migrate and check the journal, so that a bad one never takes the place of a good one.

    Raises:
        JournalUnavailable: it is damaged, or was written by a newer Nightlamp.
    """
    if not journal.exists():
        return
    db = open_database(journal, 0.0)
    try:
        sound = db.execute("pragma quick_check(1)").fetchone() == ("ok",)
        db.execute("pragma wal_checkpoint(truncate)")
    except sqlite3.Error:
        sound = False
    finally:
        db.close()
    if not sound:
        raise damaged()


# --- changing places ----------------------------------------------------------------------------


def _swap(staging: Path, root: Path) -> None:
    new, old = staging / "new", staging / "old"
    coming = {name: _state(new / name) for name in PLACES if (new / name).exists()}
    (staging / _COMING).write_text(json.dumps(coming), encoding="ascii")
    old.mkdir(mode=0o700)
    for name in PLACES:
        _move(root / name, old / name)
    for name in PLACES:
        _move(new / name, root / name)
    sync_folder(root)
    # From here on what was there is no longer wanted back.
    old.rename(staging / "replaced")


def _put_back(staging: Path, root: Path) -> None:
    """Undo what was begun: whatever came goes, whatever was moved away comes back."""
    new, old = staging / "new", staging / "old"
    if old.exists():
        coming = json.loads((staging / _COMING).read_text(encoding="ascii"))
        for name, state in coming.items():
            if not (new / name).exists() and _unused(root / name, state):
                _remove(root / name)
        if any((old / name).exists() and (root / name).exists() for name in PLACES):
            # Somebody used the folder in between: neither journal may be thrown away.
            kept = root / staging.name.replace(_STAGING, "before-restore-")
            old.rename(kept)
            log.warning("%s has what was there before a restore was cut off", kept)
        else:
            for name in PLACES:
                _move(old / name, root / name)
    shutil.rmtree(staging, ignore_errors=True)


def _state(path: Path) -> list[int]:
    """Return what changes when a file is written, and does not when it is moved."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def _unused(path: Path, state: list[int]) -> bool:
    """Return whether a file is as it came; an index that was written can be built again."""
    if not path.is_file():
        return True
    logged = path.with_name(f"{path.name}-wal")
    return _state(path) == state and not (logged.exists() and logged.stat().st_size)


def _move(from_: Path, to: Path) -> None:
    if from_.exists():
        from_.rename(to)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _folder_errors(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataFolderBroken(
            f"The data folder {root} cannot take the backup ({reason}): "
            "make it writable and free some space."
        ) from error
