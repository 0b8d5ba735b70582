"""Result files: what a run, comparison or benchmark found, as JSON that a report is made of."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from core.errors import NightlampError, UsageError

RESULTS: Final = Path("eval") / "results"
"""Where results that are committed stand, below the project's folder."""

_DEVICES: Final = ("/dev", "/proc")
"""What is here is the system's, a new name among them too."""


class ResultError(NightlampError):
    """A result file cannot be read or written."""


def write_result(path: Path, result: Mapping[str, Any]) -> None:
    """Write a result file, all of it or nothing; its folder is made.

    Raises:
        ResultError: it cannot be written.
    """
    text = json.dumps(result, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    write_text(path, text)


def write_text(path: Path, text: str) -> None:
    """Write a file, all of it or nothing; its folder is made, and a link to it stays.

    Raises:
        ResultError: it cannot be written.
    """
    place = Path(os.path.realpath(path))
    part = place.with_name(f"{place.name}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(place)
    except OSError as error:
        raise ResultError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):  # what failed is what is told
            part.unlink(missing_ok=True)


def real_place(path: Path) -> Path:
    """Return where a result is once it is written to this path: links are followed.

    Raises:
        UsageError: what is there is no regular file, or it is among devices.
    """
    place = Path(os.path.realpath(path))
    named = Path(os.path.abspath(path))  # a link of the system may lead to a file: /dev/stdout
    among = any(one.is_relative_to(folder) for one in (named, place) for folder in _DEVICES)
    # Unlike Path's own, these never fail: not of a name that is too long, nor of a closed folder.
    if among or (os.path.lexists(place) and not os.path.isfile(place)):
        raise UsageError(f"{path} is not a file that a result could be written to.")
    return place


def check_writable(path: Path) -> None:
    """Check before hours of work that a result can be written there.

    Raises:
        UsageError: it is no place for a file, or its folder cannot be written.
    """
    place = real_place(path)
    try:
        folder = next(one for one in place.parents if one.exists())
        if not folder.is_dir():
            raise UsageError(f"{path} cannot be written: {folder} is no folder.")
        with NamedTemporaryFile(prefix=f"{place.name}.", suffix=".part", dir=folder):
            pass  # as `write_text` will: that a folder may be written is known by writing
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Return every result of a folder by its file's name, in order; empty where there is none.

    Raises:
        ResultError: a file is no JSON object.
    """
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate is in no report
        except (OSError, ValueError, RecursionError):  # the last: brackets nested without end
            raise ResultError(f"{path} is no result file: remove it, or make it anew.") from None
        if not isinstance(value, dict):
            raise ResultError(f"{path} is no result file: remove it, or make it anew.")
        found[path.name] = value
    return found
