"""Killed at every step, the old index answers, and the next run repairs without help."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.models import Scope
from core.outcomes import shown
from core.reports import IndexOptions, IndexReport
from core.settings import Settings
from corpus.library import Library, open_library
from tests.e2e.killable import OWN_STEPS
from tests.fakes import SCRIPTED_CALIBRATION, ScriptedEmbedder
from tests.scripted_child import PID_FILE, STEPS
from tests.waiting import PATIENT, has_ended, until

ROOT = Path(__file__).parents[2]
OLD, NEW = "Remove old logs from the volume.", "Ask for a larger volume."


@dataclass(frozen=True, slots=True)
class Shelf:
    """A data folder with an index of pages of which one has changed since."""

    data: Path
    pages: Path

    @contextmanager
    def index_until(self, step: str) -> Iterator["subprocess.Popen[str]"]:
        """Start a rebuild and yield it once it stays at a step."""
        program = (sys.executable, "-P", "-m", "tests.e2e.killable")
        with subprocess.Popen(
            [*program, self.data, self.pages, step],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            try:
                assert running.stderr is not None
                assert running.stderr.readline() == f"at {step}\n"
                yield running
            finally:
                running.kill()

    async def found(self) -> str:
        """Return the text that the index answers with, as a new process finds it."""
        async with self._library() as library:
            answered = await library.answerer.answer("disk full", tenant="default", scope=Scope())
            return shown(answered.outcome)[0].text

    async def run(self) -> IndexReport:
        async with self._library() as library:
            return await library.indexer.run(IndexOptions())

    def _library(self) -> AbstractAsyncContextManager[Library]:
        return open_library(
            Settings.model_validate({"sources": [{"name": "runbooks", "path": str(self.pages)}]}),
            self.data,
            embedder=ScriptedEmbedder(),
            calibration=SCRIPTED_CALIBRATION,
        )

    def left(self) -> list[str]:
        """Return what lies in the index's folder beside the pointer and the live build."""
        index = self.data / "index"
        current = (index / "current").read_text(encoding="ascii")
        return sorted({path.name for path in index.iterdir()} - {"current", current})


@pytest.fixture
def shelf(folder: Path) -> Shelf:
    shelf = Shelf(folder / "data", folder / "pages")
    shelf.pages.mkdir()
    disk = shelf.pages / "disk.md"
    disk.write_text(f"# Disk full\n\n{OLD}\n")
    (shelf.pages / "login.md").write_text("# Login fails\n\nRenew the token.\n")
    asyncio.run(shelf.run())
    disk.write_text(f"# Disk full\n\n{NEW}\n")
    return shelf


def child_of(shelf: Shelf) -> int:
    return int((shelf.data / PID_FILE).read_text())


def wait_until_gone(pid: int) -> None:
    """Wait for a process that is not this one's child."""
    asyncio.run(until(lambda: has_ended(pid)))


def repaired(shelf: Shelf) -> None:
    report = asyncio.run(shelf.run())
    assert len(report.changed) + len(report.unchanged) == 2
    assert NEW in asyncio.run(shelf.found())
    assert shelf.left() == []


@pytest.mark.parametrize("step", STEPS)
def test_when_the_child_is_killed_the_old_index_answers_and_the_next_run_repairs(
    shelf: Shelf, step: str
) -> None:
    with shelf.index_until(step) as running:
        os.kill(child_of(shelf), signal.SIGKILL)
        _, said = running.communicate(timeout=PATIENT)
    assert running.returncode == 3
    assert said.startswith("The process that builds the index was ended by SIGKILL")
    assert shelf.left() == []
    assert OLD in asyncio.run(shelf.found())
    repaired(shelf)


@pytest.mark.parametrize("step", STEPS)
def test_when_the_parent_is_killed_its_child_ends_and_the_next_run_repairs(
    shelf: Shelf, step: str
) -> None:
    with shelf.index_until(step):
        pass
    wait_until_gone(child_of(shelf))
    assert OLD in asyncio.run(shelf.found())
    repaired(shelf)


@pytest.mark.parametrize("step", OWN_STEPS)
def test_killed_between_its_own_steps_an_index_is_the_old_or_the_new(
    shelf: Shelf, step: str
) -> None:
    with shelf.index_until(step):
        pass
    assert (NEW if step == "retiring" else OLD) in asyncio.run(shelf.found())
    repaired(shelf)
