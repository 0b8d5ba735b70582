"""A backup of the data folder in one file, made while the bot runs.

The journal is copied as of one instant, while it is written on. A build of the index is never
written again once it is live, so its files are copied as they are; where it is replaced meanwhile,
copying begins anew with the next one. Models and caches are left out: they can be had again.
"""

import asyncio
import hashlib
import io
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final

from core.engines.build_folder import BuildFolders
from core.errors import UsageError
from core.targets import unwritable
from feedback.archive import (
    CALIBRATION,
    INDEX,
    JOURNAL,
    MANIFEST,
    Kept,
    Manifest,
    manifest_json,
)
from feedback.database import connect_existing, damaged, explaining

_TRIES: Final = 3
_PACKED: Final = 3
"""gzip's level: vectors hardly shrink, and what an index reserves shrinks at any."""
_OWNER_ONLY: Final = 0o600
_OWN: Final = frozenset(
    {
        "", CALIBRATION, INDEX, "control.sock", "eval", "lagging.json", "lock", "lock.json",
        "models", "sources", "vectors.db",
    }
)  # fmt: skip
"""What lies in a data folder (`corpus/data_folder.py`), beside the journal's files."""


async def back_up(root: Path, target: Path, now: datetime) -> Manifest:
    """Write a backup of a data folder, readable by its owner alone; an older one is replaced.

    Raises:
        UsageError: there is nothing to back up, the target is what it would be a backup of, or no
            place for a file.
        JournalUnavailable: the journal cannot be read, or is damaged: the older backup stays.
        DataFolderBroken: the file cannot be written, or the index cannot be read.
    """
    return await asyncio.to_thread(_back_up, root, target, now)


def _back_up(root: Path, target: Path, now: datetime) -> Manifest:
    if _is_own(root, target):
        raise UsageError(f"{target} is a place of the data folder's own: name another file.")
    try:
        with tempfile.TemporaryDirectory(prefix=".nightlamp-", dir=target.absolute().parent) as own:
            copy = _copied_journal(root / JOURNAL, Path(own) / JOURNAL)
            packed = Path(own) / "backup"
            manifest = _packed(root, copy, packed, now)
            os.replace(packed, target)
    except OSError as error:
        raise unwritable(target, error) from error
    return manifest


def _is_own(root: Path, target: Path) -> bool:
    """Return whether a file is one that Nightlamp itself keeps in its folder, or would."""
    folder, place = root.resolve(), target.parent.resolve() / target.name
    if not place.is_relative_to(folder):
        return False
    first, *_ = place.relative_to(folder).parts or ("",)
    return first in _OWN or first.startswith(JOURNAL)


def _copied_journal(journal: Path, copy: Path) -> Path | None:
    """Copy the journal as of one instant, and check the copy."""
    if not journal.exists():
        return None
    with (
        explaining(journal),
        closing(connect_existing(journal)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        # A log beside it would not be packed.
        target.execute("pragma journal_mode = delete")
        sound = target.execute("pragma quick_check(1)").fetchone() == ("ok",)
    if not sound:
        raise damaged(journal)
    return copy


def _packed(root: Path, journal: Path | None, packed: Path, now: datetime) -> Manifest:
    """Pack everything; begin again where the build was replaced meanwhile.

    Raises:
        UsageError: there is nothing to pack.
        OSError: the archive cannot be written.
    """
    for left in reversed(range(_TRIES)):
        build = BuildFolders(root / INDEX).current()
        files = dict(_files(root, journal, build.path if build else None))
        if not files:
            raise UsageError(f"There is nothing to back up in {root}: name the folder with --data.")
        try:
            return _archive(files, build.id if build else "", packed, now)
        except FileNotFoundError:
            if not left:
                raise
    raise AssertionError("the last try returns or raises")


def _files(root: Path, journal: Path | None, build: Path | None) -> Iterator[tuple[str, Path]]:
    if journal is not None:
        yield JOURNAL, journal
    if (root / CALIBRATION).is_file():
        yield CALIBRATION, root / CALIBRATION
    if build is not None:
        for path in sorted(build.rglob("*")):
            if path.is_file():
                yield path.relative_to(root).as_posix(), path


def _archive(files: dict[str, Path], build: str, packed: Path, now: datetime) -> Manifest:
    kept: dict[str, Kept] = {}
    descriptor = os.open(packed, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=_PACKED) as archive:
            for name, path in files.items():
                kept[name] = _add_file(archive, name, path)
            if build:
                # What was read above, not what the pointer may say by now.
                kept[f"{INDEX}/current"] = _add(archive, f"{INDEX}/current", build.encode())
            manifest = Manifest(now.isoformat(timespec="seconds"), build, kept)
            _add(archive, MANIFEST, manifest_json(manifest))
        file.flush()
        os.fsync(file.fileno())
    return manifest


def _add_file(archive: tarfile.TarFile, name: str, path: Path) -> Kept:
    with path.open("rb") as file:
        info = _info(name, os.fstat(file.fileno()).st_size)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        archive.addfile(info, file)
    return Kept(info.size, digest)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> Kept:
    archive.addfile(_info(name, len(data)), io.BytesIO(data))
    return Kept(len(data), hashlib.sha256(data).hexdigest())


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, _OWNER_ONLY
    return info
