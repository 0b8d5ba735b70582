"""Lines of JSON: those that people wrote are read one by one, faults told with file and line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import NightlampError


class DatasetError(NightlampError):
    """A set of questions cannot be used; the sentence names file, line and reason."""

    exit_code = 2

    def __init__(self, path: Path, reason: str, line: int | None = None) -> None:
        place = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(f"{place}: {reason}.")
        self.path = path
        self.line = line
        self.reason = reason


class Unfit(Exception):
    """Why a line is no record: the reason, to which the reader adds file and line."""


@contextmanager
def placed(path: Path, line: int) -> Iterator[None]:
    """Add file and line to the reason why a line is no record.

    Raises:
        DatasetError: it is none.
    """
    try:
        yield
    except Unfit as error:
        raise DatasetError(path, str(error), line) from None


def lines_of(path: Path, what: str = "questions") -> list[tuple[int, bytes]]:
    """Return the lines that are not blank with their numbers, split at line feeds only.

    Raises:
        DatasetError: the file cannot be read, or has none.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DatasetError(path, f"it cannot be read ({error.strerror})") from None
    rows = enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1)
    lines = [(number, line) for number, line in rows if line.strip()]
    if not lines:
        raise DatasetError(path, f"it holds no {what}")
    return lines


def lines_from(objects: Iterable[Mapping[str, Any]]) -> bytes:
    """Return objects as such lines, each with its end."""
    lines = (json.dumps(one, ensure_ascii=False) for one in objects)
    return "".join(f"{line}\n" for line in lines).encode()


def parsed(line: bytes) -> Mapping[str, Any]:
    """Return a line's JSON object.

    Raises:
        Unfit: it is none.
    """
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise Unfit("the line is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Unfit(f"the line is not JSON ({error.msg}, column {error.colno})") from None
    except (ValueError, RecursionError):
        raise Unfit("the line is JSON that is too long or too deep") from None
    return object_of(value, "the line")


def object_of(value: object, name: str) -> Mapping[str, Any]:
    """Return a JSON object that must be one.

    Raises:
        Unfit: it is none.
    """
    if not isinstance(value, dict):
        raise Unfit(f"{name} must be a JSON object")
    return value


def text_of(raw: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return a text of a record: there, not blank, and something that UTF-8 can write.

    Raises:
        Unfit: it is none; one that is not there is the default, where there is one.
    """
    value = raw.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise Unfit(f"“{key}” must be a text that is not empty")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise Unfit(f"“{key}” holds half a surrogate pair, which is no text")
    return value
