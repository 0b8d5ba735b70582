"""A measurement of the benchmark, made by a process of its own: its memory and heap are its own.

That process imports only what its measurement needs. It is a program and no worker of a pool, which
would import the benchmark's whole command again: 70 MB that no process that answers has.
"""

import asyncio
import os
import pickle
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from core.child_environment import importing_us, without_ours
from core.engines.durable import disk_errors
from core.errors import NightlampError
from core.models import Document
from core.settings import Settings
from eval.folders import made

COMMAND: Final = (sys.executable, "-P", "-m", "eval.measuring_child")
_TRIES, _PAUSE = 50, 0.1
"""A build that a measurement had made by a child of its own ends a moment after it was ended."""


class MeasurementFailed(NightlampError):
    """The process of a measurement ended before it was done."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to measure: a method, over about `size` passages made of these documents.

    `data` has the exported models and the remembered vectors. `folder` is the measurement's to
    fill, and another's after it; whoever made it removes it. `corpus` are folders of runbooks.
    """

    method: str
    size: int
    settings: Settings
    data: Path
    folder: Path
    documents: tuple[Document, ...] = ()
    questions: tuple[str, ...] = ()
    corpus: tuple[Path, ...] = ()


async def apart(job: Job, *, command: Sequence[str] = COMMAND) -> dict[str, Any]:
    """Return what a new process measures; cancelled, it is ended first.

    `command` starts it. It has a session of its own: Ctrl-C is this process's to answer.

    Raises:
        MeasurementFailed: it ended before it was done.
        NightlampError: what it failed of.
    """
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=importing_us(without_ours(os.environ)),
        start_new_session=True,
    )
    try:
        assert child.stdin is not None  # noqa: S101 - it was made with pipes
        assert child.stdout is not None  # noqa: S101
        with suppress(BrokenPipeError, ConnectionResetError):  # it ended: its code tells
            child.stdin.write(pickle.dumps(job))
            await child.stdin.drain()
        said = await child.stdout.read()
        code = await child.wait()
    finally:
        await ended(child)
    if code or not said:
        raise MeasurementFailed(f"The process that measures {job.method} {_how(code)}.")
    found = pickle.loads(said)  # noqa: S301 - of the process that was started here
    if isinstance(found, NightlampError):
        raise found
    return dict(found)


async def ended(child: asyncio.subprocess.Process) -> None:
    """See to it that a process is gone."""
    if child.returncode is None:
        with suppress(ProcessLookupError):
            child.kill()
    if child.stdin is not None:
        child.stdin.close()
    await child.wait()


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Make a folder below `parent`, which is made too, for as long as the block lasts. Blocks.

    Raises:
        DataFolderBroken: it cannot be made.
    """
    with disk_errors(parent):
        folder = Path(mkdtemp(prefix="bench-", dir=made(parent)))
    try:
        yield folder
    finally:
        for _ in range(_TRIES):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(_PAUSE)


def _how(code: int) -> str:
    """Return how a process ended before it was done, in words."""
    if code >= 0:
        return f"ended with code {code} before it was done: what it printed says why"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"was ended by {name}: see whether memory is short"
