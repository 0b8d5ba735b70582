"""Files that are replaced at once, and what a disk that fails is told as. Blocks."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import DataFolderBroken


def write_durably(path: Path, data: bytes) -> None:
    """Replace a file at once and wait for the disk: after a power cut it is the old or the new.

    One that cannot be written leaves the old one, and nothing beside it.

    Raises:
        DataFolderBroken: the disk is full, or the folder cannot be written.
    """
    temporary = path.with_name(f"{path.name}.new")
    with disk_errors(path.parent):
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):  # what failed is what is told
                temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Wait until a directory's entries are on the disk, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Turn an OSError into the sentence that says what is wrong with the disk.

    Raises:
        DataFolderBroken: the disk is full, or the folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise broken(place, error) from error


def broken(place: Path, error: OSError) -> DataFolderBroken:
    """Return the sentence for a failed read or write under a folder."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DataFolderBroken(f"The disk that holds {place} is full: free some space.")
    reason = error.strerror or type(error).__name__
    return DataFolderBroken(
        f"{place} cannot be written ({reason}): make it writable, or name another with --data."
    )
