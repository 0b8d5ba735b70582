"""A file is loaded once, and again as soon as anything that decides what it becomes has changed."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.errors import DocumentError, EmbedderUnavailable
from core.models import Host, Redaction
from core.points import IndexedDocument
from core.reports import FailedFile, IndexOptions, IndexReport, RedactedFile
from core.settings_groups import SplitterSettings
from core.settings_lists import SourceSettings
from corpus.indexer import SourceIndexer
from corpus.known_files import Before, KnownFile, KnownFiles
from corpus.reading import Corpus, read_sources
from corpus.sources import Listing, open_source
from tests.fakes import FakeIndex, FrozenClock, ScriptedEmbedder
from tests.git_repositories import Repository

SETTINGS = SourceSettings(name="docs", path=Path("docs"))
DISK = b"# Disk full\n\nRemove old logs.\n"
LOGIN = b"---\nservice: [a: 1]\n---\n# Login\n\nUse AKIAIOSFODNN7ABCDEFG now.\n"
WITHHELD = b"---\nvisibility: [\n---\n# Disk full\n"


@dataclass
class Pages:
    """A source in memory that knows which pages were decoded: the first step of loading one."""

    pages: dict[str, bytes]
    settings: SourceSettings = SETTINGS
    decoded: list[str] = field(default_factory=list)
    root: Path | None = None
    commit: str = ""

    async def refresh(self) -> str:
        return ""

    def listing(self) -> Listing:
        return Listing(tuple(sorted(self.pages)))

    def read(self, path: str) -> bytes:
        if path not in self.pages:
            raise DocumentError("it vanished while the source was read")
        return _Watched(self.pages[path], path, self.decoded)

    def loaded(self) -> list[str]:
        """Return what was loaded since this was asked last."""
        done, self.decoded = self.decoded, []
        return done


class _Watched(bytes):
    """A page's bytes, which note when they are decoded."""

    _path: str
    _decoded: list[str]

    def __new__(cls, data: bytes, path: str, decoded: list[str]) -> "_Watched":
        watched = super().__new__(cls, data)
        watched._path, watched._decoded = path, decoded
        return watched

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        self._decoded.append(self._path)
        return super().decode(encoding, errors)


class Shelf:
    """One process's indexer over pages in memory."""

    def __init__(self, **pages: bytes) -> None:
        self.source = Pages({f"{name}.md": data for name, data in pages.items()})
        self.embedder = ScriptedEmbedder()
        self.index = FakeIndex(self.embedder.dimension)
        self.start()

    def start(self) -> None:
        """Begin anew, as another process does over the same index."""
        self.indexer = SourceIndexer(
            self.index, self.embedder, [self.source], SplitterSettings(), FrozenClock()
        )

    async def run(self, options: IndexOptions | None = None) -> IndexReport:
        return await self.indexer.run(options or IndexOptions())


@pytest.fixture
async def shelf() -> Shelf:
    shelf = Shelf(disk=DISK, login=LOGIN)
    await shelf.run()
    assert shelf.source.loaded() == ["disk.md", "login.md"]
    return shelf


async def test_unchanged_files_are_not_loaded_a_second_time(shelf: Shelf) -> None:
    report = await shelf.run()
    assert report.unchanged == ("docs/disk.md", "docs/login.md")
    assert shelf.source.loaded() == []


async def test_of_two_files_the_changed_one_alone_is_loaded(shelf: Shelf) -> None:
    shelf.source.pages["disk.md"] = DISK.replace(b"old", b"new")
    report = await shelf.run()
    assert (report.changed, report.unchanged) == (("docs/disk.md",), ("docs/login.md",))
    assert shelf.source.loaded() == ["disk.md"]
    await shelf.run()
    assert shelf.source.loaded() == []


async def test_the_report_of_unchanged_files_names_all_that_the_first_one_named(
    shelf: Shelf,
) -> None:
    shelf.source.pages["odd.md"] = b"\xff\xfe"
    first, second = await shelf.run(), await shelf.run()
    assert second.warned == (
        FailedFile("docs/login.md", "frontmatter: service is neither text nor a list, ignored"),
    )
    assert second.redacted == (RedactedFile("docs/login.md", 6, "aws key"),)
    assert second.failed == (FailedFile("docs/odd.md", "it is UTF-16 text: save it as UTF-8"),)
    assert (first.warned, first.redacted, first.failed) == (
        second.warned,
        second.redacted,
        second.failed,
    )
    assert shelf.source.loaded() == []


async def test_a_file_that_becomes_withheld_is_removed_and_reported_until_it_is_mended(
    shelf: Shelf,
) -> None:
    shelf.source.pages["disk.md"] = WITHHELD
    reports = [await shelf.run(), await shelf.run()]
    assert [[one.path for one in report.failed] for report in reports] == [["docs/disk.md"]] * 2
    assert [report.removed for report in reports] == [("docs/disk.md",), ()]
    shelf.source.pages["disk.md"] = DISK
    assert (await shelf.run()).added == ("docs/disk.md",)


async def test_a_changed_label_in_the_frontmatter_reaches_the_index(shelf: Shelf) -> None:
    shelf.source.pages["disk.md"] = b"---\nvisibility: sre\n---\n" + DISK
    assert (await shelf.run()).changed == ("docs/disk.md",)
    [disk] = [one for one in (await shelf.index.documents()).values() if one.path == "disk.md"]
    assert disk.metadata.visibility == ("sre",)


@pytest.mark.parametrize(
    "change",
    [{"visibility": ("sre",)}, {"anchors": Host.GITLAB}, {"link": "https://gitlab.com/a/{path}"}],
    ids=["visibility", "anchors", "link"],
)
async def test_another_setting_of_the_source_reaches_every_page(
    shelf: Shelf, change: dict[str, object]
) -> None:
    shelf.source.settings = SETTINGS.model_copy(update=change)
    assert (await shelf.run()).changed == ("docs/disk.md", "docs/login.md")
    assert shelf.source.loaded() == ["disk.md", "login.md"]


async def test_a_renamed_file_is_removed_and_added(shelf: Shelf) -> None:
    shelf.source.pages["full.md"] = shelf.source.pages.pop("disk.md")
    report = await shelf.run()
    assert (report.removed, report.added) == (("docs/disk.md",), ("docs/full.md",))
    assert shelf.source.loaded() == ["full.md"]


async def test_a_copy_of_a_known_file_is_a_page_of_its_own(shelf: Shelf) -> None:
    shelf.source.pages["copy.md"] = DISK
    assert (await shelf.run()).added == ("docs/copy.md",)


async def test_two_files_that_change_places_are_both_changed(shelf: Shelf) -> None:
    pages = shelf.source.pages
    pages["disk.md"], pages["login.md"] = pages["login.md"], pages["disk.md"]
    assert (await shelf.run()).changed == ("docs/disk.md", "docs/login.md")


async def test_a_deleted_file_is_removed(shelf: Shelf) -> None:
    del shelf.source.pages["disk.md"]
    assert (await shelf.run()).removed == ("docs/disk.md",)


async def test_another_process_loads_every_file_for_its_rules_may_be_others(shelf: Shelf) -> None:
    shelf.start()
    report = await shelf.run()
    assert report.unchanged == ("docs/disk.md", "docs/login.md")
    assert shelf.source.loaded() == ["disk.md", "login.md"]


async def test_a_rebuild_loads_every_file(shelf: Shelf) -> None:
    report = await shelf.run(IndexOptions(rebuild=True))
    assert report.unchanged == ("docs/disk.md", "docs/login.md")
    assert shelf.source.loaded() == ["disk.md", "login.md"]


async def test_an_index_that_lost_points_is_built_anew_from_every_file(shelf: Shelf) -> None:
    whole = len(shelf.index.points)
    shelf.index.points.popitem()
    await shelf.run()
    assert len(shelf.index.points) == whole
    assert shelf.source.loaded() == ["disk.md", "login.md"]


async def test_a_change_that_could_not_be_indexed_is_indexed_by_the_next_run(shelf: Shelf) -> None:
    shelf.source.pages["disk.md"] = DISK.replace(b"old", b"new")
    shelf.embedder.failing = True
    with pytest.raises(EmbedderUnavailable):
        await shelf.run()
    shelf.embedder.failing = False
    assert (await shelf.run()).changed == ("docs/disk.md",)


async def test_a_change_that_was_only_looked_at_is_indexed_by_the_next_run(shelf: Shelf) -> None:
    shelf.source.pages["disk.md"] = DISK.replace(b"old", b"new")
    looked = await shelf.run(IndexOptions(dry_run=True))
    done = await shelf.run()
    assert looked.changed == done.changed == ("docs/disk.md",)


async def test_a_file_as_it_was_before_the_last_run_is_changed_back(shelf: Shelf) -> None:
    shelf.source.pages["disk.md"] = DISK.replace(b"old", b"new")
    await shelf.run()
    shelf.source.pages["disk.md"] = DISK
    assert (await shelf.run()).changed == ("docs/disk.md",)


# --- what is read -------------------------------------------------------------------------------


def indexed(corpus: Corpus, **hashes: str) -> dict[str, IndexedDocument]:
    """Return what an index of these documents holds; `hashes` are others, by name of the file."""
    return {
        one.id: IndexedDocument(
            one.id,
            one.tenant,
            one.source,
            one.path,
            hashes.get(one.path.removesuffix(".md"), one.hash),
            one.metadata,
            headings=(),
            points=1,
        )
        for one in corpus.documents.values()
    }


async def test_a_page_that_other_rules_loaded_to_something_else_is_loaded_again() -> None:
    source = Pages({"disk.md": DISK, "login.md": LOGIN})
    first = await read_sources([source])
    held = indexed(first, login="hash of the page with its secret")
    second = await read_sources([source], before=Before(first.files, held))
    assert [one.path for one in second.documents.values()] == ["login.md"]
    assert second.same == first.documents.keys() - second.documents.keys()


async def test_same_size_and_same_time_do_not_make_the_same_file(tmp_path: Path) -> None:
    page = tmp_path / "disk.md"
    page.write_bytes(DISK)
    source = open_source(SourceSettings(name="docs", path=tmp_path))
    first = await read_sources([source])
    stamp = page.stat()
    page.write_bytes(DISK.replace(b"old", b"new"))
    os.utime(page, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    second = await read_sources([source], before=Before(first.files, indexed(first)))
    assert "new logs" in next(iter(second.documents.values())).text


async def test_an_unchanged_page_of_a_new_commit_is_not_loaded_and_the_commit_is_known(
    tmp_path: Path,
) -> None:
    books = Repository(tmp_path / "books")
    books.commit(disk_md=DISK, login_md=LOGIN)
    settings = SourceSettings(name="docs", git=str(books.root))
    source = open_source(settings, clones=tmp_path / "clones")
    first = await read_sources([source])
    commit = books.commit(login_md=DISK)
    second = await read_sources([source], before=Before(first.files, indexed(first)))
    assert [one.path for one in second.documents.values()] == ["login.md"]
    assert (len(second.same), second.commits) == (1, {"docs": commit})


async def test_only_files_that_are_there_are_remembered() -> None:
    source = Pages({"disk.md": DISK, "login.md": LOGIN})
    first = await read_sources([source])
    del source.pages["disk.md"]
    second = await read_sources([source], before=Before(first.files, indexed(first)))
    assert (len(first.files), len(second.files)) == (2, 1)


async def test_files_beyond_what_is_remembered_are_read_all_the_same() -> None:
    source = Pages({"disk.md": DISK, "login.md": LOGIN})
    first = await read_sources([source])
    few = KnownFiles(most=1)
    for id_ in first.documents:
        if (file := first.files.get(id_)) is not None:
            few.add(id_, file)
    source.loaded()
    second = await read_sources([source], before=Before(few, indexed(first)))
    assert (len(few), source.loaded()) == (1, ["login.md"])
    assert len(second.same) + len(second.documents) == 2


def test_what_is_remembered_is_bounded_in_files_warnings_and_redactions_together() -> None:
    plain = KnownFile(SETTINGS, b"", "hash")
    spotted = KnownFile(SETTINGS, b"", "hash", ("a warning",), (Redaction(1, "token"),) * 3)
    files = KnownFiles(most=4)
    files.add("spotted", spotted)
    for number in range(9):
        files.add(str(number), plain)
    assert (len(files), files.get("spotted"), files.get("0")) == (4, None, plain)
