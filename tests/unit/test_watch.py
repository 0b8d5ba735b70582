"""Folders are followed, runs never overlap, and a failure is said once."""

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from watchfiles import Change

from core.errors import BuildRefused
from core.reports import FailedFile, IndexReport
from core.settings_lists import SourceSettings
from corpus.sources import Source, open_source
from corpus.starter import StarterSource
from corpus.watch import Folder, Watcher


class Runs:
    """Counts the runs of the index, and says what it is told to."""

    def __init__(self, *results: IndexReport | Exception) -> None:
        self.results = list(results)
        self.done = 0
        self.running = 0
        self.most_at_once = 0
        self.finished = asyncio.Condition()

    async def __call__(self) -> IndexReport:
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        await asyncio.sleep(0.01)
        self.running -= 1
        result = self.results.pop(0) if self.results else IndexReport()
        async with self.finished:
            self.done += 1
            self.finished.notify_all()
        if isinstance(result, Exception):
            raise result
        return result

    async def reach(self, count: int) -> None:
        async with self.finished:
            await self.finished.wait_for(lambda: self.done >= count)


def folder(root: Path, **more: object) -> Source:
    root.mkdir(exist_ok=True)
    return open_source(SourceSettings.model_validate({"name": "books", "path": root} | more))


@asynccontextmanager
async def watching(
    tmp_path: Path, runs: Runs, *sources: Source, polling: bool = False
) -> AsyncIterator[None]:
    watcher = Watcher(sources, runs, tmp_path / "data", quiet=0.05, polling=polling)
    task = asyncio.create_task(watcher.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def test_a_page_that_changes_leads_to_a_run(tmp_path: Path) -> None:
    runs = Runs()
    async with watching(tmp_path, runs, folder(tmp_path / "books")):
        await runs.reach(1)
        (tmp_path / "books" / "a.md").write_text("x")
        await runs.reach(2)
    assert runs.most_at_once == 1


async def test_another_folder_in_the_old_ones_place_is_followed(tmp_path: Path) -> None:
    runs = Runs()
    async with watching(tmp_path, runs, folder(tmp_path / "books")):
        await runs.reach(1)
        shutil.move(tmp_path / "books", tmp_path / "old")
        (tmp_path / "books").mkdir()
        await runs.reach(2)
        before = runs.done
        (tmp_path / "books" / "a.md").write_text("x")
        await runs.reach(before + 1)


async def test_a_refusal_is_said_once_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    refused = BuildRefused("Much would be lost.")
    runs = Runs(refused)
    with caplog.at_level(logging.WARNING, "corpus.watch"):
        async with watching(tmp_path, runs, folder(tmp_path / "books")):
            await runs.reach(1)
            await asyncio.sleep(0)
    assert [record.getMessage() for record in caplog.records] == [
        "The index was not brought up to date: Much would be lost."
    ]


async def test_what_a_source_has_to_say_is_logged_and_what_files_say_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    runs = Runs(
        IndexReport(
            warned=(FailedFile("books", "It cannot be fetched."), FailedFile("books/a.md", "x")),
            failed=(FailedFile("books/b.md", "y"),),
        )
    )
    with caplog.at_level(logging.WARNING, "corpus.watch"):
        async with watching(tmp_path, runs, folder(tmp_path / "books")):
            await runs.reach(1)
            await asyncio.sleep(0.01)
    assert [record.getMessage() for record in caplog.records] == ["It cannot be fetched."]


async def test_a_repository_is_looked_at_every_so_often(tmp_path: Path) -> None:
    settings = SourceSettings(name="books", git="/nowhere", every="1s")
    runs = Runs()
    async with watching(tmp_path, runs, open_source(settings, clones=tmp_path)):
        await runs.reach(2)


@pytest.mark.slow
async def test_without_notice_from_the_kernel_the_folder_is_looked_at(tmp_path: Path) -> None:
    runs = Runs()
    async with watching(tmp_path, runs, folder(tmp_path / "books"), polling=True):
        await runs.reach(1)
        (tmp_path / "books" / "a.md").write_text("x")
        await runs.reach(2)


async def test_what_is_not_to_be_followed_is_not(tmp_path: Path) -> None:
    sources = (
        folder(tmp_path / "books", watch=False),
        open_source(SourceSettings(name="a", git="/x"), clones=tmp_path),
        open_source(SourceSettings(name="b", git="/x", every="1s", watch=False), clones=tmp_path),
        StarterSource(),
    )
    watcher = Watcher(sources, Runs(), tmp_path / "data")

    assert watcher.idle
    await watcher.run()


@pytest.mark.parametrize(
    ("change", "path", "matters"),
    [
        (Change.modified, "a.md", True),
        (Change.modified, "x/a.html.md.erb", True),
        (Change.modified, "PM-1 Outage", True),
        (Change.modified, "a.png", False),
        (Change.deleted, "v1.2", True),
        (Change.added, ".git/index", False),
        (Change.added, "x/.a.md.swp", False),
        (Change.added, "old/a.md", False),
        (Change.added, "data/index/build-1/a.md", False),
        (Change.added, "../a.md", False),
    ],
)
def test_only_what_could_change_the_index_matters(
    tmp_path: Path, change: Change, path: str, matters: bool
) -> None:
    settings = SourceSettings(name="books", path=tmp_path, exclude=("old",))
    books = Folder(settings, tmp_path, tmp_path / "data")

    assert books.matters(change, str((tmp_path / path).resolve())) is matters
