"""Killed while a child embeds for a server: it ends too, and what was embedded is remembered."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.qdrant_standin import QdrantStandin
from tests.scripted_child import PID_FILE
from tests.waiting import has_ended, until

ROOT = Path(__file__).parents[2]
ASKED_ANEW = {"opening": 2, "cutting": 2, "embedding": 2, "leaving": 0}
"""The steps at which the child stays, and how many passages are embedded after it was killed."""


@asynccontextmanager
async def indexing(folder: Path, step: str, url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    program = (sys.executable, "-P", "-m", "tests.e2e.killable_server")
    running = await asyncio.create_subprocess_exec(
        *program,
        folder / "data",
        folder / "pages",
        step,
        url,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield running
    finally:
        if running.returncode is None:
            running.kill()
        await running.wait()


@pytest.mark.parametrize("step", ASKED_ANEW)
async def test_when_the_parent_is_killed_its_child_ends_and_the_next_run_goes_on(
    folder: Path, step: str
) -> None:
    pages = folder / "pages"
    pages.mkdir()
    (pages / "disk.md").write_text("# Disk full\n\nRemove old logs from the volume.\n")
    (pages / "login.md").write_text("# Login fails\n\nRenew the token.\n")
    async with QdrantStandin() as server:
        async with indexing(folder, step, server.url) as running:
            assert running.stderr is not None
            assert await running.stderr.readline() == f"at {step}\n".encode()
            child = int((folder / "data" / PID_FILE).read_text())
        await until(lambda: has_ended(child))  # it is not this process's child
        async with indexing(folder, "", server.url) as again:
            _, said = await again.communicate()
        assert (again.returncode, said.decode()) == (0, f"embedded {ASKED_ANEW[step]}\n")
        builds = list((folder / "data" / "index").glob("build-*"))
        assert (len(server.collections), len(builds)) == (1, 1)
