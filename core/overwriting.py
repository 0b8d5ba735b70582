"""What a command writes is never what it reads, by whatever name either is called. Blocks."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import UsageError

_WHILE_WRITING = ("", ".part", ".new")
"""What a file's name ends with while it is written: another file of that name would be lost."""


def there_already(written: Iterable[Path]) -> tuple[Path, ...]:
    """Return the files that writing these would replace."""
    names = (path.with_name(f"{path.name}{end}") for path in written for end in _WHILE_WRITING)
    return tuple(name for name in names if os.path.isfile(name))


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
        for file in _files(path):
            if (identity := _identity(file)) in replaced:
                named = replaced[identity]
                raise UsageError(f"{named} is read by this command: write to another file.")


def check_apart(written: Path, kept: Iterable[Path]) -> None:
    """Check that a file is at no place that is kept nor below one, be anything there yet or not.

    Raises:
        UsageError: it is.
    """
    place = Path(os.path.realpath(written))
    if any(place.is_relative_to(os.path.realpath(one)) for one in kept):
        raise UsageError(f"{written} is kept for Nightlamp itself: write to another file.")


def _files(path: Path) -> Iterator[Path]:
    """Yield the files of a folder, or the one; what goes away meanwhile is left out."""
    if not os.path.isdir(path):
        yield path
    for folder, _, names in os.walk(path):
        yield from (Path(folder, name) for name in names)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from all others, links followed; None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
