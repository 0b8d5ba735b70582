"""Links by a commit: to the one that was read, and none to what it lacks."""

import logging
from pathlib import Path

import pytest

from core.errors import DataFolderBroken
from core.points import BuildInfo, Filter, SearchRequest
from core.ports import SearchableIndex
from core.reports import IndexOptions, IndexReport
from core.settings_groups import SplitterSettings
from core.settings_lists import SourceSettings
from corpus.indexer import SourceIndexer
from corpus.links import commit_of, link_to
from corpus.sources import DirectorySource, open_source
from tests.fakes import FakeIndex, FrozenClock, ScriptedEmbedder
from tests.git_repositories import Repository

LINK = "https://git.example.com/docs/{commit}/{path}"


class Shelf:
    """An index over a folder in a checkout, whose links name the commit."""

    def __init__(self, root: Path) -> None:
        self.checkout = Repository(root / "checkout")
        self.embedder = ScriptedEmbedder()
        self.index = FakeIndex(self.embedder.dimension)
        self.settings = SourceSettings(name="docs", path=root / "checkout", link=LINK)

    async def run(self, options: IndexOptions | None = None) -> IndexReport:
        source = open_source(self.settings)
        indexer = SourceIndexer(
            self.index, self.embedder, [source], SplitterSettings(), FrozenClock()
        )
        return await indexer.run(options or IndexOptions())

    @property
    def info(self) -> BuildInfo:
        assert self.index.info is not None
        return self.index.info

    async def links(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for id_ in await self.index.documents():
            for section in await self.index.page(id_):
                commit = commit_of(section, self.settings, self.info)
                found[section.path] = link_to(section, self.settings, commit, self.settings.path)
        return found


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.checkout.commit(one_md="# One\n\nText.\n")
    return shelf


def at(commit: str, path: str) -> str:
    return f"https://git.example.com/docs/{commit}/{path}"


async def test_a_page_that_is_not_committed_has_no_link_until_it_is(shelf: Shelf) -> None:
    first = shelf.checkout.git("rev-parse", "HEAD")
    shelf.checkout.write("two.md", b"# Two\n\nText.\n")
    await shelf.run()
    assert await shelf.links() == {"one.md": at(first, "one.md"), "two.md": ""}
    second = shelf.checkout.commit()
    asked = shelf.embedder.asked
    await shelf.run()
    assert await shelf.links() == {p: at(second, p) for p in ("one.md", "two.md")}
    assert (shelf.info.id, shelf.embedder.asked) == ("build-1", asked)


async def test_an_edited_page_has_no_link_until_it_is_committed(shelf: Shelf) -> None:
    await shelf.run()
    shelf.checkout.write("one.md", b"# One\n\nEdited.\n")
    await shelf.run()
    assert await shelf.links() == {"one.md": ""}
    commit = shelf.checkout.commit()
    await shelf.run()
    assert await shelf.links() == {"one.md": at(commit, "one.md")}


async def test_a_commit_that_changes_no_page_is_the_one_that_is_linked(shelf: Shelf) -> None:
    await shelf.run()
    commit = shelf.checkout.commit(code_py="x = 1\n")
    report = await shelf.run()
    assert (report.unchanged, report.build, shelf.index.begun) == (("docs/one.md",), "build-1", 1)
    assert await shelf.links() == {"one.md": at(commit, "one.md")}


async def test_a_dry_run_leaves_the_commit_as_it_was(shelf: Shelf) -> None:
    await shelf.run()
    before = shelf.info
    shelf.checkout.commit(code_py="x = 1\n")
    await shelf.run(IndexOptions(dry_run=True))
    assert shelf.info == before


async def test_what_git_does_not_tell_of_has_no_link(shelf: Shelf) -> None:
    await shelf.run()
    (shelf.checkout.root / ".git" / "HEAD").unlink()
    await shelf.run()
    assert (await shelf.links(), shelf.info.sources) == ({"one.md": ""}, {"docs": ""})


async def test_a_folder_that_is_gone_for_a_while_keeps_its_links(
    shelf: Shelf, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    sources = [open_source(shelf.settings), open_source(SourceSettings(name="more", path=other))]
    indexer = SourceIndexer(shelf.index, shelf.embedder, sources, SplitterSettings(), FrozenClock())
    await indexer.run(IndexOptions())
    before = await shelf.links()
    shelf.checkout.root.rename(tmp_path / "elsewhere")
    (other / "new.md").write_text("# New\n\nText.\n")
    await indexer.run(IndexOptions())
    assert {p: link for p, link in (await shelf.links()).items() if p == "one.md"} == before
    assert before["one.md"] != ""


async def test_before_it_is_known_what_is_committed_there_is_no_link(shelf: Shelf) -> None:
    settings = shelf.settings
    shelf.settings = settings.model_copy(update={"link": None})
    await shelf.run()
    assert shelf.info.uncommitted == {}
    shelf.settings = settings
    assert await shelf.links() == {"one.md": ""}
    await shelf.run()
    commit = shelf.checkout.git("rev-parse", "HEAD")
    assert await shelf.links() == {"one.md": at(commit, "one.md")}


async def test_a_page_is_found_while_its_commit_changes(shelf: Shelf) -> None:
    await shelf.run()
    shelf.checkout.commit()
    await shelf.run()
    vector = await shelf.embedder.embed_question("one")
    [found] = await shelf.index.search(
        [SearchRequest(Filter("default", ("everyone",)), 1, dense=vector)]
    )
    assert len(found.dense) == 1


async def test_a_page_that_is_read_before_a_commit_lands_has_no_link(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.checkout.commit(two_md="# Two\n\nText.\n")
    first = shelf.checkout.git("rev-parse", "HEAD")
    read = DirectorySource.read

    def pulled(source: DirectorySource, path: str) -> bytes:
        data = read(source, path)
        shelf.checkout.commit(one_md="# New intro\n\n# One\n\nEdited.\n")
        return data

    with monkeypatch.context() as patch:
        patch.setattr(DirectorySource, "read", pulled)
        await shelf.run()
    assert await shelf.links() == {"one.md": "", "two.md": at(first, "two.md")}
    second = shelf.checkout.git("rev-parse", "HEAD")
    await shelf.run()
    assert await shelf.links() == {p: at(second, p) for p in ("one.md", "two.md")}


@pytest.mark.parametrize("error", [DataFolderBroken("The disk is full."), OSError("No space.")])
async def test_a_build_whose_commits_cannot_be_written_down_is_live_and_whole(
    shelf: Shelf, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    asked: list[str] = []

    class Calibrator:
        async def calibrate(self, index: SearchableIndex) -> None:
            asked.append(index.info.id if index.info else "")

    class Full(FakeIndex):
        async def record(self, *_: object) -> None:
            raise error

    record, shelf.index.record = shelf.index.record, Full(3).record  # type: ignore[method-assign]
    source = open_source(shelf.settings)
    indexer = SourceIndexer(
        shelf.index,
        shelf.embedder,
        [source],
        SplitterSettings(),
        FrozenClock(),
        calibrator=Calibrator(),
    )
    with caplog.at_level(logging.WARNING, "corpus.indexer"):
        report = await indexer.run(IndexOptions())
    assert (report.build, asked, await shelf.links()) == ("build-1", ["build-1"], {"one.md": ""})
    said = [one.getMessage() for one in caplog.records if one.name == "corpus.indexer"]
    assert [str(error) in one for one in said] == [True]
    shelf.index.record = record  # type: ignore[method-assign]
    await indexer.run(IndexOptions())
    commit = shelf.checkout.git("rev-parse", "HEAD")
    assert (shelf.info.id, await shelf.links()) == ("build-1", {"one.md": at(commit, "one.md")})
