"""What a command writes is never what it reads, by whatever name either is called. Blocks."""

from collections.abc import Iterable
from pathlib import Path

from core.errors import UsageError

_WHILE_WRITING = ("", ".part", ".new")
"""What a file's name ends with while it is written: another file of that name would be lost."""


def there_already(written: Iterable[Path]) -> tuple[Path, ...]:
    """Return the files that writing these would replace."""
    names = (path.with_name(f"{path.name}{end}") for path in written for end in _WHILE_WRITING)
    return tuple(name for name in names if name.is_file())


def check_spared(written: Iterable[Path], read: Iterable[Path]) -> None:
    """Check that no file is replaced that is read: a link to it, hard or not, is the same file.

    Of a folder that is read, so is every file below it.

    Raises:
        UsageError: one is both.
    """
    replaced = {identity: path for path in there_already(written) if (identity := _identity(path))}
    if not replaced:
        return
    for path in read:
        for file in path.rglob("*") if path.is_dir() else (path,):
            if (identity := _identity(file)) in replaced:
                named = replaced[identity]
                raise UsageError(f"{named} is read by this command: write to another file.")


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from all others, links followed; None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
