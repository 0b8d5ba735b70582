"""The files that somebody named for what a command says. Blocks."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from bots.output import note
from core.overwriting import check_apart, check_spared, there_already
from core.targets import unwritable

if TYPE_CHECKING:
    from bots.cli import Place
    from core.settings import Settings
    from corpus.data_folder import DataFolder

_BESIDE_DATABASE = ("", "-wal", "-shm", "-journal")
"""What the names end with of a database and of what SQLite keeps beside it: votes, too."""


def check_out(place: "Place", out: Path | None) -> None:
    """Check that a file, if one is named, is none that Nightlamp keeps, reads or is set up by.

    Raises:
        UsageError: it is one, by whatever name.
        SettingsError: a setting is wrong.
        SourceError: there is such a file, and whether it is a runbook cannot be told.
    """
    from corpus.data_folder import DataFolder

    if out is None:
        return
    settings = place.settings()
    own = _kept(DataFolder(place.folder(settings)))
    check_spared([out], [*own, settings.config, Path(".env"), *settings.retrieval.vocabulary])
    check_apart(out, own)
    if there_already([out]):
        check_spared([out], _documents(settings, place.sources))


def write_out(path: Path, text: str, within: Path | None = None) -> None:
    """Write a file, `within` a folder that is made: all of it, or the older one stays.

    Raises:
        UsageError: it is no place for a file.
        DataFolderBroken: it cannot be written.
    """
    try:
        if within is not None:
            within.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # a pipe or a device has no older one
        else:
            _replace(Path(os.path.realpath(path)), text)
    except OSError as error:
        raise unwritable(path, error) from None
    note(f"Written to {path}.")


def _documents(settings: "Settings", folders: tuple[Path, ...] | None) -> Iterator[Path]:
    """Yield the runbooks of the sources that are folders: clones lie in the data folder."""
    from corpus.starter import sources_of

    configured = tuple(one for one in settings.sources if one.path is not None)
    if folders is None and settings.sources and not configured:
        return
    for source in sources_of(configured, folders, settings.limits.file_bytes):
        if source.root is not None:
            yield from (source.root / path for path in source.listing().files)


def _kept(folder: "DataFolder") -> list[Path]:
    """Return the places of a data folder that Nightlamp alone writes to."""
    databases = [
        database.with_name(f"{database.name}{end}")
        for database in (folder.journal, folder.vectors)
        for end in _BESIDE_DATABASE
    ]
    folders = (folder.index, folder.sources, folder.models)
    lock = (folder.root / "lock", folder.root / "lock.json", folder.control)
    return [*databases, *folders, *lock, folder.calibration, folder.lagging]


def _replace(path: Path, text: str) -> None:
    """Replace a file at once, by one of its mode that is whole and on the disk."""
    there = path.exists()
    if there:
        path.open("ab").close()  # one that may not be written is not replaced either
    beside = path.with_name(f".nightlamp-{uuid4().hex}")
    try:
        with beside.open("x", encoding="utf-8") as file:
            if there:
                with suppress(OSError):  # a file system without modes keeps what it has
                    shutil.copymode(path, beside)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        with suppress(OSError):  # what failed is what is told
            beside.unlink(missing_ok=True)
