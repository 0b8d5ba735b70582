"""A build made by another process: it takes neither memory nor time of the one that answers.

The process that answers holds the data folder, reads the sources and decides what is to be written.
The other one is told on its standard input, one JSON object a line: the order, then the documents.
It says how far it is on its standard output, and ends when that input ends: with its parent.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from core import errors
from core.errors import BuildFailed, NightlampError
from core.models import Document
from core.ports import Build
from core.settings_groups import EmbeddingSettings, SplitterSettings
from core.wire import to_plain
from corpus.build import Told

COMMAND = (sys.executable, "-P", "-m", "corpus.building_child")
FEW_CHARS = 120_000
"""Up to so much text (about 200 passages, 5 s of embedding) is built where it is answered from: a
process of its own takes a second to start and loads the model anew."""
_LONGEST_LINE = 1_000_000
_SILENT_SECONDS = 1800.0
"""An export of the model (15 minutes at most) is the longest time without a word."""
_ROOT = Path(__file__).parents[1]


class Reserved(Protocol):
    """A directory that this process made and another one fills."""

    @property
    def place(self) -> Path:
        """Return the directory."""
        ...

    async def adopt(self) -> Build:
        """Open the build that was sealed and closed there.

        Raises:
            BuildFailed: it is not whole.
        """
        ...

    async def abandon(self) -> None:
        """Remove it."""
        ...


class Reserving(Protocol):
    """An index whose builds another process can fill."""

    async def reserve(self, *, from_live: bool) -> Reserved:
        """Make the directory of a build: a copy of the live one, or new.

        Raises:
            DataFolderBroken: the disk is full or not writable.
        """
        ...


@dataclass(frozen=True, slots=True)
class Work:
    """What is to become of a build: from what, without which documents, with which.

    `total` is how many documents it then holds.
    """

    from_live: bool
    drop: Sequence[str]
    documents: Sequence[Document]
    total: int
    sources: Mapping[str, str]
    created_at: datetime


class ChildBuilds:
    """Has builds made by a child process, with the embedder of the settings.

    `command` starts the child; it is told everything else on its standard input.
    """

    def __init__(
        self,
        index: Reserving,
        embedding: EmbeddingSettings,
        splitter: SplitterSettings,
        data: Path,
        *,
        command: Sequence[str] = COMMAND,
        few_chars: int = FEW_CHARS,
    ) -> None:
        self._index = index
        self._settings = {"embedding": embedding.model_dump(), "splitter": splitter.model_dump()}
        self._data = data
        self._command = tuple(command)
        self._few_chars = few_chars

    def worth(self, documents: Sequence[Document]) -> bool:
        """Return whether these are too many to be embedded where questions are answered."""
        return sum(len(one.text) for one in documents) > self._few_chars

    async def make(self, work: Work, told: Told) -> Build:
        """Return a sealed build that was filled by a child; cancelled, the child ends at once.

        Raises:
            BuildFailed: the child was ended, or what it made is not whole.
            NightlampError: what the child failed of: a model that is missing, a full disk.
        """
        reserved = await self._index.reserve(from_live=work.from_live)
        try:
            await self._run(self._order(work, reserved.place), work.documents, told)
            return await reserved.adopt()
        except BaseException:
            await reserved.abandon()
            raise

    def _order(self, work: Work, place: Path) -> Mapping[str, Any]:
        return {
            **self._settings,
            "data": str(self._data.absolute()),
            "place": str(place.absolute()),
            "drop": list(work.drop),
            "sources": dict(work.sources),
            "created_at": work.created_at.isoformat(),
            "documents": len(work.documents),
            "total": work.total,
        }

    async def _run(
        self, order: Mapping[str, Any], documents: Sequence[Document], told: Told
    ) -> None:
        child = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_environment(),
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is this process's to answer
        )
        try:
            await _feed(child, order, documents)
            await _listen(child, told)
        finally:
            await _end(child)


async def _feed(
    child: asyncio.subprocess.Process, order: Mapping[str, Any], documents: Sequence[Document]
) -> None:
    """Tell the child everything. Its input stays open: its end is the end of the parent."""
    assert child.stdin is not None  # noqa: S101 - it was made with a pipe
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended: what it said tells why
        child.stdin.write(json.dumps(order, default=_plain).encode() + b"\n")
        for document in documents:
            child.stdin.write(json.dumps(to_plain(document)).encode() + b"\n")
            await child.stdin.drain()


async def _listen(child: asyncio.subprocess.Process, told: Told) -> None:
    """Hand on how far the child is, until it has sealed the build and ended.

    Raises:
        BuildFailed: it ended before, or said nothing for half an hour.
        NightlampError: it said what went wrong.
    """
    sealed = False
    while (said := await _said(child)) is not None:
        if "failed" in said:
            raise _error(str(said["failed"]), str(said["sentence"]))
        if "phase" in said:
            told(str(said["phase"]), int(said["done"]), int(said["total"]))
        sealed = sealed or "sealed" in said
    code = await child.wait()
    if code or not sealed:
        raise BuildFailed(
            f"The process that builds the index {_how(code)}, so the index before goes on "
            "answering: run nightlamp index again; if that repeats, see whether memory is short."
        )


async def _said(child: asyncio.subprocess.Process) -> Mapping[str, Any] | None:
    """Return the next thing that the child says; None at its end."""
    assert child.stdout is not None  # noqa: S101 - it was made with a pipe
    try:
        line = await asyncio.wait_for(child.stdout.readline(), _SILENT_SECONDS)
        said: Mapping[str, Any] | None = json.loads(line) if line else None
    except (TimeoutError, ValueError) as error:
        raise BuildFailed(
            "The process that builds the index says nothing that can be understood, and was ended: "
            "the index before goes on answering."
        ) from error
    return said


async def _end(child: asyncio.subprocess.Process) -> None:
    """See to it that the child is gone; killed, it leaves nothing that is ever served."""
    if child.returncode is None:
        with suppress(ProcessLookupError):
            child.kill()
    if child.stdin is not None:
        child.stdin.close()
    await child.wait()


def _error(name: str, sentence: str) -> NightlampError:
    """Return the child's error as the same kind, where it is one of ours."""
    kind: Callable[[str], object] | None = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, NightlampError):
        return kind(sentence)
    return BuildFailed(sentence)


def _how(code: int) -> str:
    """Return how a process ended, in words."""
    if code >= 0:
        return f"ended with code {code} before it was done"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"was ended by {name}"


def _plain(value: Any) -> Any:
    """Return a setting as JSON has it; a secret goes through the pipe, never on a command line."""
    reveal = getattr(value, "get_secret_value", None)
    return reveal() if reveal else str(value)


def _environment() -> dict[str, str]:
    """Return the child's environment: these packages importable, none of our settings or tokens."""
    kept = {name: one for name, one in os.environ.items() if not name.startswith("NIGHTLAMP_")}
    before = kept.get("PYTHONPATH")
    return {**kept, "PYTHONPATH": os.pathsep.join([str(_ROOT), *([before] if before else [])])}
