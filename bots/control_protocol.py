"""What a command and a running bot say to each other: JSON lines, one object each. Pure.

    → {"v": 1, "id": "1", "do": "index", "with": {…}}
    ← {"id": "1", "event": "progress", "with": {…}}      any number, in order
    ← {"id": "1", "result": {…}}                         or, instead of it:
    ← {"id": "1", "error": {"code": 3, "message": "…"}}  the exit code, and one sentence

A line has no more bytes than `LONGEST_REQUEST` on the way to the bot, `LONGEST_REPLY` on the way
back. What is no such object is an error to whoever sent it, and ends nothing else.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from core.errors import NightlampError, UsageError

VERSION: Final = 1
"""Changes whenever a request of the one version would mean something else to the other."""
LONGEST_REQUEST: Final = 1_000_000
LONGEST_REPLY: Final = 64_000_000
"""A report names every file of a run: 100,000 paths are about 10 MB."""
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be done, and with what."""

    id: str
    do: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """Something on the way to the result: how far it is, or a remark."""

    name: str
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of it."""

    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Failed:
    """Why nothing came of it: the exit code of the command, and the sentence for whoever ran it."""

    code: int
    message: str


Reply = Event | Result | Failed


def request_line(request: Request) -> bytes:
    """Return a request as it is sent.

    Raises:
        UsageError: it is longer than what a bot reads.
    """
    said = {"v": VERSION, "id": request.id, "do": request.do, "with": dict(request.arguments)}
    line = _line(said)
    if len(line) > LONGEST_REQUEST:
        raise UsageError(
            f"That is too long for the running bot: {LONGEST_REQUEST:,} bytes at most."
        )
    return line


def read_request(line: bytes) -> Request:
    """Read a request.

    Raises:
        UsageError: it is none, or one of another version.
    """
    said = _object(line)
    version, id_, do, arguments = (said.get(name) for name in ("v", "id", "do", "with"))
    if version != VERSION:
        raise UsageError(
            "The bot that runs and this command are of different versions: start the bot anew."
        )
    if not (_name(id_) and _name(do) and isinstance(arguments, dict)):
        raise UsageError('A request is an object with "v", "id", "do" and "with".')
    return Request(str(id_), str(do), arguments)


def reply_line(id_: str, reply: Reply) -> bytes:
    """Return a reply as it is sent."""
    match reply:
        case Event():
            return _line({"id": id_, "event": reply.name, "with": dict(reply.value)})
        case Result():
            return _line({"id": id_, "result": dict(reply.value)})
        case Failed():
            return _line({"id": id_, "error": {"code": reply.code, "message": reply.message}})


def read_reply(line: bytes) -> Reply:
    """Read a reply.

    Raises:
        UsageError: it is none.
    """
    said = _object(line)
    match said:
        case {"event": str(name), "with": dict(value)}:
            return Event(name, value)
        case {"result": dict(value)}:
            return Result(value)
        case {"error": {"code": int(code), "message": str(message)}}:
            return Failed(code, message)
    raise UsageError("The running bot says something that this command does not understand.")


def failed(error: NightlampError) -> Failed:
    """Return an error of ours as it is sent."""
    return Failed(error.exit_code, str(error))


def error_of(said: Failed) -> NightlampError:
    """Return an error with the exit code and the sentence that were sent."""
    error = NightlampError(said.message)
    error.exit_code = said.code
    return error


def _name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME


def _line(said: Mapping[str, Any]) -> bytes:
    return json.dumps(said, separators=(",", ":"), default=str).encode() + b"\n"


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise UsageError("That is no JSON object on one line.")
    return said
