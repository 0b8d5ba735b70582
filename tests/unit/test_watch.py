"""Folders are followed, runs never overlap, and a failure is said once."""

import asyncio
import itertools
import logging
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from watchfiles import Change

from core.errors import BuildRefused
from core.reports import FailedFile, IndexReport
from core.settings_lists import SourceSettings
from corpus.sources import Source, open_source
from corpus.starter import StarterSource
from corpus.watch import Watcher
from corpus.watched_folder import Folder


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
        """Wait for so many runs; one that never comes is a failure, not a wait for ever."""
        async with asyncio.timeout(60), self.finished:
            await self.finished.wait_for(lambda: self.done >= count)


def folder(root: Path, **more: object) -> Source:
    root.mkdir(exist_ok=True)
    return open_source(SourceSettings.model_validate({"name": "books", "path": root} | more))


@asynccontextmanager
async def watching(tmp_path: Path, runs: Runs, *sources: Source, **how: Any) -> AsyncIterator[None]:
    watcher = Watcher(sources, runs, tmp_path / "data", quiet=0.05, **how)
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


@pytest.mark.parametrize("failure", [BuildRefused, OSError])
async def test_a_failure_is_said_once_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, failure: type[Exception]
) -> None:
    """The clock leaps, so that a run is tried again at the next change."""
    refused, other = failure("Much would be lost."), failure("The disk is full.")
    runs = Runs(refused, refused, other, refused, IndexReport(), refused)
    clock = itertools.count(0.0, 10_000.0)
    source, how = folder(tmp_path / "books"), {"polling": True, "look": 0.01}
    with caplog.at_level(logging.WARNING, "corpus.watch"):
        async with watching(tmp_path, runs, source, now=lambda: next(clock), **how):
            for count in range(1, 7):
                await runs.reach(count)
                (tmp_path / "books" / f"{count}.md").write_text("x")
            await asyncio.sleep(0)
    assert [record.getMessage() for record in caplog.records] == [
        f"The index was not brought up to date: {said}"
        for said in (refused, other, refused, refused)
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
async def test_a_mounted_config_map_is_followed(tmp_path: Path) -> None:
    """Kubernetes swaps a hidden link; the files that can be seen stay the same links."""
    runs, books = Runs(), tmp_path / "books"
    source = folder(books)
    (books / "..v1").mkdir()
    (books / "..v1" / "a.md").write_text("old")
    (books / "..data").symlink_to("..v1")
    (books / "a.md").symlink_to("..data/a.md")
    async with watching(tmp_path, runs, source):
        await runs.reach(1)
        (books / "..v2").mkdir()
        (books / "..v2" / "a.md").write_text("new")
        (books / "..new").symlink_to("..v2")
        (books / "..new").rename(books / "..data")
        shutil.rmtree(books / "..v1")
        await runs.reach(2)
    assert source.read("a.md") == b"new"


@pytest.mark.slow
async def test_a_hidden_file_behind_a_link_is_followed(tmp_path: Path) -> None:
    runs, books = Runs(), tmp_path / "books"
    source = folder(books)
    (books / ".shared").mkdir()
    (books / "docs").symlink_to(".shared")
    async with watching(tmp_path, runs, source):
        await runs.reach(1)
        (books / ".shared" / "a.md").write_text("x")
        await runs.reach(2)


@pytest.mark.slow
async def test_a_file_that_an_editor_replaces_is_followed(tmp_path: Path) -> None:
    runs, books = Runs(), tmp_path / "books"
    source = folder(books)
    (books / "a.md").write_text("old")
    async with watching(tmp_path, runs, source):
        await runs.reach(1)
        (books / ".a.md.new").write_text("new")
        (books / ".a.md.new").rename(books / "a.md")
        await runs.reach(2)


@pytest.mark.slow
@pytest.mark.parametrize("polling", [True, False])
async def test_a_folder_deployed_by_a_link_is_followed(tmp_path: Path, polling: bool) -> None:
    runs = Runs()
    for name in ("v1", "v2", "v3"):
        (tmp_path / name).mkdir()
    (tmp_path / "current").symlink_to("v1")
    source = open_source(SourceSettings(name="books", path=tmp_path / "current"))
    async with watching(tmp_path, runs, source, polling=polling, look=0.05):
        await runs.reach(1)
        for count, name in enumerate(("v2", "v3"), start=2):
            (tmp_path / "next").symlink_to(name)
            (tmp_path / "next").rename(tmp_path / "current")
            await runs.reach(count)
        before = runs.done
        (tmp_path / "v3" / "a.md").write_text("x")
        await runs.reach(before + 1)


@pytest.mark.slow
async def test_a_folder_made_anew_at_once_is_followed(tmp_path: Path) -> None:
    """A file system may give the new one the old one's number."""
    runs, books = Runs(), tmp_path / "books"
    async with watching(tmp_path, runs, folder(books)):
        await runs.reach(1)
        shutil.rmtree(books)
        books.mkdir()
        await runs.reach(2)
        before = runs.done
        (books / "a.md").write_text("x")
        await runs.reach(before + 1)


@pytest.mark.slow
async def test_what_the_kernel_does_not_tell_of_is_seen_now_and_then(tmp_path: Path) -> None:
    """A folder is told nothing of what is written by another name of its file."""
    runs, books = Runs(), tmp_path / "books"
    source = folder(books)
    (tmp_path / "far.md").write_text("old")
    (books / "a.md").hardlink_to(tmp_path / "far.md")
    async with watching(tmp_path, runs, source, seldom=0.05):
        await runs.reach(1)
        (tmp_path / "far.md").write_text("new")
        await runs.reach(2)


async def test_without_notice_from_the_kernel_the_folder_is_looked_at(tmp_path: Path) -> None:
    runs = Runs()
    books = folder(tmp_path / "books")
    async with watching(tmp_path, runs, books, polling=True, look=0.05):
        await runs.reach(1)
        (tmp_path / "books" / "a.md").write_text("x")
        await runs.reach(2)


async def test_what_is_not_to_be_followed_is_not(tmp_path: Path) -> None:
    sources = (
        folder(tmp_path / "books", watch=False),
        open_source(SourceSettings(name="a", git="/x"), clones=tmp_path),
        StarterSource(),
    )
    watcher = Watcher(sources, Runs(), tmp_path / "data")

    assert watcher.idle
    await watcher.run()


@pytest.mark.parametrize(
    ("change", "path", "may_matter"),
    [
        (Change.modified, "a.md", True),
        (Change.modified, "x/a.html.md.erb", True),
        (Change.modified, "PM-1 Outage", True),
        (Change.modified, "a.png", False),
        (Change.deleted, "v1.2", True),
        (Change.modified, "..data", True),
        (Change.modified, "..2026_11_30/a.md", True),
        (Change.added, "old/a.md", False),
        (Change.added, "data/index/build-1/a.md", False),
        (Change.added, "../a.md", False),
    ],
)
def test_a_look_is_taken_only_where_something_could_have_changed(
    tmp_path: Path, change: Change, path: str, may_matter: bool
) -> None:
    settings = SourceSettings(name="books", path=tmp_path, exclude=("old",))
    books = Folder(settings, tmp_path, tmp_path / "data")

    found = books.may_matter(change, str((tmp_path / path).parent.resolve() / Path(path).name))
    assert found is may_matter


def test_what_is_not_listed_is_no_change(tmp_path: Path) -> None:
    settings = SourceSettings(name="books", path=tmp_path, exclude=("old",))
    books = Folder(settings, tmp_path, tmp_path / "data")
    (tmp_path / "a.md").write_text("x")
    before = books.look().state
    for path in (".git/a.md", ".a.md.swp", "old/a.md", "data/a.md", "a.png"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x")

    assert books.look().state == before
    (tmp_path / "a.md").write_text("longer")
    assert books.look().state != before
