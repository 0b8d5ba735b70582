"""Repositories on their way into the index: what cannot be fetched loses nothing."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from core.errors import SourceError
from core.reports import FailedFile, IndexOptions, IndexProgress, IndexReport
from core.settings_groups import SplitterSettings
from core.settings_lists import SourceSettings
from corpus.indexer import Progress, SourceIndexer
from corpus.lagging import Behind, Lagging, LaggingSource
from corpus.links import commit_of
from corpus.sources import open_source
from tests.fakes import FakeIndex, FrozenClock, ScriptedEmbedder
from tests.git_repositories import Repository

HOUR = timedelta(hours=1)


class Shelf:
    """An index over the repositories `books` and `notes`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.books = Repository(root / "books")
        self.notes = Repository(root / "notes")
        self.embedder = ScriptedEmbedder()
        self.index = FakeIndex(self.embedder.dimension)
        self.clock = FrozenClock()
        self.lagging = Lagging(root / "lagging.json")

    async def run(self, progress: Progress | None = None, *, dry_run: bool = False) -> IndexReport:
        sources = [
            open_source(
                SourceSettings(name=name, git=str(self.root / name)), clones=self.root / "clones"
            )
            for name in ("books", "notes")
        ]
        indexer = SourceIndexer(
            self.index,
            self.embedder,
            sources,
            SplitterSettings(),
            self.clock,
            lagging=self.lagging,
        )
        return await indexer.run(IndexOptions(dry_run=dry_run), progress)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.books.commit(disk_md="# Disk full\n\nRemove old logs.\n", page_adoc="x")
    shelf.notes.commit(login_md="# Login fails\n\nRenew the token.\n")
    return shelf


async def test_each_repository_is_told_of_while_it_is_fetched_and_when_that_failed(
    shelf: Shelf,
) -> None:
    await shelf.run()
    shutil.rmtree(shelf.root / "notes")
    told: list[IndexProgress] = []
    await shelf.run(told.append)
    first, *_ = told
    assert first == IndexProgress("fetching", 0, 1, "books")
    assert {one for one in told if one.done and one.phase == "fetching"} == {
        IndexProgress("fetching", 1, 1, "books"),
        IndexProgress("fetching", 1, 1, "notes"),
    }
    assert [one.phase for one in told].index("reading") == 4


async def test_pages_are_indexed_with_the_commit_that_they_were_read_at(shelf: Shelf) -> None:
    report = await shelf.run()

    assert report.added == ("books/disk.md", "notes/login.md")
    assert report.skipped == {".adoc": 1}
    assert shelf.index.info is not None
    assert shelf.index.info.sources == {
        "books": shelf.books.git("rev-parse", "HEAD"),
        "notes": shelf.notes.git("rev-parse", "HEAD"),
    }


async def test_a_change_a_removal_and_a_new_page_reach_the_index(shelf: Shelf) -> None:
    await shelf.run()
    shelf.books.git("rm", "--quiet", "disk.md")
    shelf.books.commit(new_md="# New\n\nA page.\n")
    shelf.notes.commit(login_md="# Login fails\n\nAsk for another token.\n")
    report = await shelf.run()

    assert (report.added, report.changed, report.removed) == (
        ("books/new.md",),
        ("notes/login.md",),
        ("books/disk.md",),
    )


async def test_a_remote_that_vanished_removes_nothing_and_is_reported(shelf: Shelf) -> None:
    await shelf.run()
    shutil.rmtree(shelf.root / "books")
    shelf.notes.commit(more_md="# More\n\nA page.\n")
    report = await shelf.run()

    assert (report.added, report.removed) == (("notes/more.md",), ())
    [remark] = report.warned
    assert report.lagging == {"books": remark.reason}
    assert remark.path == "books"
    assert "so its last state is used" in remark.reason


async def test_since_when_a_remote_cannot_be_fetched_is_kept_until_it_can(shelf: Shelf) -> None:
    await shelf.run()
    began = shelf.clock.now() + HOUR
    shutil.move(shelf.root / "books", shelf.root / "away")
    for _ in range(2):
        shelf.clock.advance(HOUR)
        report = await shelf.run()
    [remark] = report.warned
    assert shelf.lagging.read().sources == (LaggingSource("books", began, remark.reason),)

    shutil.move(shelf.root / "away", shelf.root / "books")
    await shelf.run(dry_run=True)
    assert shelf.lagging.read() != Behind()
    await shelf.run()
    assert shelf.lagging.read() == Behind()


async def test_sources_that_cannot_be_read_at_all_are_kept_even_where_the_run_fails(
    shelf: Shelf,
) -> None:
    shutil.rmtree(shelf.root / "books")
    shutil.rmtree(shelf.root / "notes")
    with pytest.raises(SourceError):
        await shelf.run()
    assert [one.name for one in shelf.lagging.read().sources] == ["books", "notes"]


async def test_without_remote_and_clone_the_pages_stay(shelf: Shelf) -> None:
    await shelf.run()
    shutil.rmtree(shelf.root / "books")
    shutil.rmtree(shelf.root / "clones" / "books")
    report = await shelf.run()

    assert (report.removed, [one.path for one in report.failed]) == ((), ["books"])
    assert report.lagging == {"books": report.failed[0].reason}
    assert len(await shelf.index.documents()) == 2


async def test_a_clone_that_breaks_while_it_is_read_changes_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shelf.run()
    shutil.rmtree(shelf.root / "books")
    clone = next((shelf.root / "clones" / "books").glob("*.git"))
    shutil.rmtree(clone / "objects")
    (clone / "objects").mkdir()
    report = await shelf.run()

    assert report.removed == ()
    assert [type(one) for one in report.failed] == [FailedFile]


async def test_an_index_without_any_repository_to_read_says_so(shelf: Shelf) -> None:
    shutil.rmtree(shelf.root / "books")
    shutil.rmtree(shelf.root / "notes")

    with pytest.raises(SourceError, match="see that git can fetch it from here"):
        await shelf.run()


async def test_a_page_that_is_read_by_a_link_to_its_folder_has_no_link_by_its_commit(
    shelf: Shelf,
) -> None:
    shelf.books.write(".shared/net.md", b"# Net down\n\nPull the plug.\n")
    (shelf.books.root / "docs").symlink_to(".shared")
    commit = shelf.books.commit()
    await shelf.run()
    assert shelf.index.info is not None
    settings = SourceSettings(name="books", git=str(shelf.root / "books"))
    commits = {
        section.path: commit_of(section, settings, shelf.index.info)
        for document in await shelf.index.documents()
        for section in await shelf.index.page(document)
        if section.source == "books"
    }
    assert commits == {"disk.md": commit, "docs/net.md": ""}
