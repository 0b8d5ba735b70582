"""The process that builds or embeds for this one: started, told what to do, listened to, ended.

It is told on its standard input, one JSON object a line: the order, then the documents. It says how
far it is on its standard output, and ends when that input ends: with its parent.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core import errors
from core.child_environment import importing_us, without_ours
from core.errors import BuildFailed, NightlampError
from core.models import Document
from core.settings_groups import EmbeddingSettings, SplitterSettings
from core.wire import to_plain
from corpus.build import Told

COMMAND = (sys.executable, "-P", "-m", "corpus.building_child")
_LONGEST_LINE = 1_000_000
_SILENT_SECONDS = 1800.0
"""An export of the model (15 minutes at most) is the longest time without a word."""


class ChildProcess:
    """Does orders one at a time, each in a process of its own, with the embedder of the settings.

    `command` starts it; it is told everything else on its standard input.
    """

    def __init__(
        self,
        embedding: EmbeddingSettings,
        splitter: SplitterSettings,
        data: Path,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._always = {
            "embedding": embedding.model_dump(),
            "splitter": splitter.model_dump(),
            "data": str(data.absolute()),
        }
        self._command = tuple(command)

    async def run(
        self, order: Mapping[str, Any], documents: Sequence[Document], told: Told
    ) -> None:
        """Have an order done over these documents; cancelled, the process ends at once.

        Raises:
            BuildFailed: the process cannot be started or understood, or was ended.
            NightlampError: what it failed of: a model that is missing, a full disk.
        """
        child = await self._started()
        try:
            await _feed(child, {**self._always, **order, "documents": len(documents)}, documents)
            await _listen(child, told)
        finally:
            await _end(child)

    async def _started(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=importing_us(without_ours(os.environ)),
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is this process's to answer; and see `_end`
            )
        except OSError as error:
            raise BuildFailed(
                "The process that builds the index cannot be started "
                f"({error.strerror or type(error).__name__}), so the index before goes on "
                "answering: see whether memory, processes or open files are short, then run "
                "nightlamp index again."
            ) from error


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
    """Hand on how far the child is, until it is done and has ended.

    Raises:
        BuildFailed: it ended before, or said nothing for half an hour.
        NightlampError: it said what went wrong.
    """
    finished = False
    while (said := await _said(child)) is not None:
        if "failed" in said:
            raise _error(str(said["failed"]), str(said["sentence"]))
        if "phase" in said:
            told(str(said["phase"]), int(said["done"]), int(said["total"]))
        finished = finished or "finished" in said
    code = await child.wait()
    if code or not finished:
        raise BuildFailed(
            f"The process that builds the index {_how(code)}, so the index before goes on "
            "answering: run nightlamp index again; if that repeats, see whether memory is short."
        )


async def _said(child: asyncio.subprocess.Process) -> Mapping[str, Any] | None:
    """Return the next thing that the child says; None at its end."""
    assert child.stdout is not None  # noqa: S101 - it was made with a pipe
    try:
        async with asyncio.timeout(_SILENT_SECONDS):  # wait_for may swallow a cancellation
            line = await child.stdout.readline()
        said: Mapping[str, Any] | None = json.loads(line) if line else None
    except (TimeoutError, ValueError) as error:
        raise BuildFailed(
            "The process that builds the index says nothing that can be understood, and was ended: "
            "the index before goes on answering."
        ) from error
    return said


async def _end(child: asyncio.subprocess.Process) -> None:
    """See to it that the child is gone, with all that it started, such as a model's export.

    Killed, it leaves nothing that is ever served.
    """
    with suppress(ProcessLookupError, PermissionError):  # macOS: all of them ended
        os.killpg(child.pid, signal.SIGKILL)
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
