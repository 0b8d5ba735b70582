"""How long `nightlamp ask` takes as a command, from its start to its end."""

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any, Final

from core.child_environment import OURS, importing_us, without_ours
from core.settings import Settings
from eval.living import GROUPS
from eval.measuring import MeasurementFailed, ended

COMMANDS: Final = 5
"""Commands that are timed, after one that is not."""


async def measure_ask(
    settings: Settings, data: Path, corpus: Sequence[Path], questions: Sequence[str]
) -> dict[str, Any]:
    """Ask one question after the other of the index in `data`, each by a command of its own.

    Cancelled, the command that runs is ended first.

    Raises:
        MeasurementFailed: a command failed.
    """
    place = [sys.executable, "-P", "-m", "bots", *_options(data, corpus)]
    surroundings = {**importing_us(without_ours(os.environ)), **variables(settings)}
    taken = []
    for text in islice(cycle(questions), COMMANDS + 1):
        taken.append(await _seconds([*place, "ask", "--json", "--", text], data, surroundings))
    timed = taken[1:]
    return {
        "commands": len(timed),
        "median_seconds": statistics.median(timed),
        "slowest_seconds": max(timed),
    }


def variables(settings: Settings) -> dict[str, str]:
    """Return what the environment must say for a command to have these settings."""
    return {
        f"{OURS}{group}_{name}".upper(): _typed(value)
        for group in GROUPS
        for name, value in getattr(settings, group).model_dump(exclude_defaults=True).items()
    }


def _options(data: Path, corpus: Sequence[Path]) -> list[str]:
    folders = chain.from_iterable(("--corpus", str(one.absolute())) for one in corpus)
    return [*folders, "--data", str(data.absolute())]


async def _seconds(command: Sequence[str], cwd: Path, surroundings: Mapping[str, str]) -> float:
    """Return the seconds of one command; `cwd` has no settings of its own.

    Raises:
        MeasurementFailed: it did not print an outcome.
    """
    started = time.perf_counter()
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env=surroundings,
        start_new_session=True,
    )
    try:
        said, complaint = await child.communicate()
        seconds = time.perf_counter() - started
    finally:
        await ended(child)
    if child.returncode or not _is_outcome(said):
        why = complaint.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise MeasurementFailed(f"nightlamp ask failed with code {child.returncode}: {why}")
    return seconds


def _is_outcome(said: bytes) -> bool:
    try:
        return "outcome" in json.loads(said)
    except ValueError:
        return False


def _typed(value: Any) -> str:
    """Return a setting as the environment has it: a secret revealed, lists as JSON."""
    reveal = getattr(value, "get_secret_value", None)
    if reveal is not None:
        return str(reveal())
    return value if isinstance(value, str) else json.dumps(value, default=str)
