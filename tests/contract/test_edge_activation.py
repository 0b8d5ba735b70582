"""A build that becomes the live one: beside the event loop, and wholly, whatever stops it."""

import asyncio
import threading
from pathlib import Path

import pytest

from core.engines.build_folder import BuildFolder, BuildFolders
from core.engines.edge_build import EdgeBuild
from core.engines.edge_index import EdgeIndex
from core.engines.uninterrupted import uninterrupted
from core.errors import IndexUnavailable
from core.points import BuildInfo
from tests.contract.test_edge_on_disk import ASKED, FOUND, ONE, info


class SlowFolders(BuildFolders):
    """Folders whose disk takes its time to write the pointer."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.threads: list[threading.Thread] = []

    def point_to(self, folder: BuildFolder) -> None:
        self.threads.append(threading.current_thread())
        self.begun.set()
        self.may_end.wait()
        super().point_to(folder)


async def sealed(index: EdgeIndex) -> EdgeBuild:
    build = await index.begin(from_live=False)
    await build.upsert([ONE])
    await build.seal(info(build))
    return build


async def reopened(root: Path) -> BuildInfo | None:
    index = await EdgeIndex.open(root, 2)
    assert await index.search(ASKED) == FOUND
    found = index.info
    await index.aclose()
    return found


async def test_the_disk_is_waited_for_beside_the_loop_and_the_old_build_answers_meanwhile(
    tmp_path: Path,
) -> None:
    folders = SlowFolders(tmp_path)
    index = EdgeIndex(folders, 2)
    build = await sealed(index)
    activation = asyncio.create_task(build.activate())
    await asyncio.to_thread(folders.begun.wait)
    assert (index.info, await index.search(ASKED) == FOUND) == (None, False)
    folders.may_end.set()
    await activation
    assert (index.info, await index.search(ASKED)) == (build.info, FOUND)
    assert folders.threads != [threading.main_thread()]
    await index.aclose()


async def test_a_run_that_is_stopped_while_the_pointer_is_written_leaves_a_whole_index(
    tmp_path: Path,
) -> None:
    folders = SlowFolders(tmp_path)
    index = EdgeIndex(folders, 2)
    build = await sealed(index)

    async def run() -> None:
        try:
            await build.activate()
        finally:
            await build.drop()

    running = asyncio.create_task(run())
    await asyncio.to_thread(folders.begun.wait)
    running.cancel()
    folders.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (index.info, await index.search(ASKED)) == (build.info, FOUND)
    await index.aclose()
    assert await reopened(tmp_path) == build.info


async def test_a_closed_index_is_an_error_and_not_one_that_knows_nothing(tmp_path: Path) -> None:
    index = await EdgeIndex.open(tmp_path, 2)
    build = await sealed(index)
    await build.activate()
    await index.aclose()
    for asked in (index.search(ASKED), index.documents(), index.sections([ONE.id])):
        with pytest.raises(IndexUnavailable, match="closed"):
            await asked


async def test_a_cancellation_comes_after_what_a_thread_has_begun() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), []

    def work() -> str:
        begun.set()
        may_end.wait()
        done.append("work")
        return "result"

    async def run() -> None:
        done.append(await uninterrupted(work))
        await asyncio.sleep(0)
        done.append("never")

    running = asyncio.create_task(run())
    await asyncio.to_thread(begun.wait)
    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert done == ["work", "result"]
