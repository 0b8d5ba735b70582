import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.world import World

pytest.register_assert_rewrite("tests.e2e.scenarios", "tests.e2e.gap_scenarios")

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
ENOUGH = 2_000_000_000
"""Bytes that must be free there: an index reserves 256 MB, of which it uses little."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whole stories as slow: `make test` leaves them to `make test-all`."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)


@contextmanager
def quick_folder() -> Iterator[Path]:
    """Make a folder in memory where there is room, since an index syncs every file that it writes.

    It is removed at once, for the engine reserves much.
    """
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH
    with tempfile.TemporaryDirectory(dir=MEMORY if roomy else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def indexed_world() -> Iterator[World]:
    """A world with its pages indexed, for others to begin with a copy of its index."""
    with quick_folder() as folder:
        world = World.at(folder)

        async def index() -> None:
            async with world.open_app(world.settings()):
                pass

        asyncio.run(index())
        yield world


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder."""
    with quick_folder() as folder:
        yield folder
