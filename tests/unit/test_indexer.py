"""The index follows the sources; what goes wrong leaves it as it was."""

import asyncio
from pathlib import Path

import pytest

from core.errors import BuildRefused, EmbedderUnavailable, IndexUnavailable, SourceError
from core.points import BuildInfo, Filter, IndexedDocument, SearchRequest
from core.ports import SearchableIndex
from core.reports import (
    FailedFile,
    IndexOptions,
    IndexProgress,
    IndexReport,
    RankMove,
    Verdict,
)
from core.settings_groups import SplitterSettings
from core.settings_lists import SourceSettings
from corpus.build import fingerprint
from corpus.indexer import SourceIndexer
from corpus.lagging import Behind, Lagging
from corpus.sources import open_source
from tests.fakes import FakeIndex, FrozenClock, ScriptedEmbedder

UPDATE = IndexOptions()


class Shelf:
    """A folder of pages with an index over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.embedder = ScriptedEmbedder()
        self.index = FakeIndex(self.embedder.dimension)
        self.names = ["runbooks"]
        self.admission: Admission | None = None
        self.calibrator: Calibrator | None = None
        self.memory: Memory | None = None
        self.lagging: Lagging | None = None
        self.splitter = SplitterSettings()

    def write(self, path: str, text: str, *, source: str = "runbooks") -> None:
        file = self.root / source / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def spoil(self, path: str, data: bytes) -> None:
        (self.root / "runbooks" / path).write_bytes(data)

    def remove(self, path: str) -> None:
        (self.root / "runbooks" / path).unlink()

    def make(self, source: str) -> None:
        (self.root / source).mkdir()

    def unmount(self, source: str) -> None:
        (self.root / source).rename(self.root / f"{source}-elsewhere")

    def indexer(self) -> SourceIndexer:
        sources = [
            open_source(SourceSettings(name=name, path=self.root / name)) for name in self.names
        ]
        return SourceIndexer(
            self.index,
            self.embedder,
            sources,
            self.splitter,
            FrozenClock(),
            self.admission,
            self.calibrator,
            memory=self.memory,
            lagging=self.lagging,
        )

    async def run(self, options: IndexOptions = UPDATE) -> IndexReport:
        return await self.indexer().run(options)

    async def paths(self) -> list[str]:
        return sorted(one.path for one in (await self.index.documents()).values())

    def texts(self) -> str:
        return "".join(str(point.payload.get("text", "")) for point in self.index.points.values())


MOVED = RankMove("how do I free space", "docs/disk.md", 1, 6)


class Admission:
    """Refuses every build, and remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[BuildInfo | None, BuildInfo | None]] = []

    async def admit(self, live: SearchableIndex, candidate: SearchableIndex) -> Verdict:
        self.seen.append((live.info, candidate.info))
        return Verdict(admitted=False, reason="Two known questions would be lost.", moved=(MOVED,))


class Calibrator:
    """Remembers which builds were live when it was asked."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def calibrate(self, index: SearchableIndex) -> None:
        self.seen.append(index.info.id if index.info else "none")


class Memory:
    """Counts how often it was to let go of what is unused."""

    def __init__(self) -> None:
        self.asked = 0

    async def forget_unused(self) -> int:
        self.asked += 1
        return 0


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.write("disk.md", "# Disk full\n\nRemove old logs.\n\n## Rollback\n\nPut them back.\n")
    shelf.write("login.md", "# Login fails\n\nRenew the token.\n")
    return shelf


async def test_a_first_run_adds_every_page(shelf: Shelf) -> None:
    report = await shelf.run()
    assert (report.added, report.sections, report.passages, report.build) == (
        ("runbooks/disk.md", "runbooks/login.md"),
        3,
        3,
        "build-1",
    )


async def test_the_book_keeping_says_what_was_built(shelf: Shelf) -> None:
    await shelf.run()
    assert shelf.index.info == BuildInfo(
        id="build-1",
        fingerprint="scripted:10 | splitter section-2 section 900 | keywords 1 | storage 2",
        created_at=FrozenClock().now(),
        sources={"runbooks": ""},
        documents=2,
        sections=3,
        passages=3,
        dimension=11,
    )


async def test_an_unchanged_folder_embeds_nothing_and_builds_nothing(shelf: Shelf) -> None:
    await shelf.run()
    asked = shelf.embedder.asked
    report = await shelf.run()
    assert report.unchanged == ("runbooks/disk.md", "runbooks/login.md")
    assert (shelf.index.begun, shelf.embedder.asked, report.build) == (1, asked, "build-1")


async def test_an_edited_page_answers_with_its_new_text_alone(shelf: Shelf) -> None:
    await shelf.run()
    asked = shelf.embedder.asked
    shelf.write("disk.md", "# Disk full\n\nGrow the volume.\n")
    report = await shelf.run()
    assert (report.changed, report.unchanged) == (("runbooks/disk.md",), ("runbooks/login.md",))
    assert shelf.texts() == "# Login fails\n\nRenew the token.\n# Disk full\n\nGrow the volume.\n"
    assert shelf.embedder.asked - asked == 1


async def test_a_change_of_visibility_alone_reaches_the_index(shelf: Shelf) -> None:
    await shelf.run()
    shelf.write("login.md", "---\nvisibility: sre\n---\n# Login fails\n\nRenew the token.\n")
    assert (await shelf.run()).changed == ("runbooks/login.md",)
    assert len(await shelf.index.documents(Filter("default", ("everyone",)))) == 1


async def test_a_removed_page_is_dropped(shelf: Shelf) -> None:
    await shelf.run()
    shelf.remove("login.md")
    assert (await shelf.run()).removed == ("runbooks/login.md",)
    assert await shelf.paths() == ["disk.md"]


async def test_without_pruning_a_removed_page_stays(shelf: Shelf) -> None:
    await shelf.run()
    shelf.remove("login.md")
    report = await shelf.run(IndexOptions(prune=False))
    assert (report.removed, await shelf.paths()) == ((), ["disk.md", "login.md"])


async def test_a_dry_run_says_what_it_would_do_and_does_nothing(shelf: Shelf) -> None:
    await shelf.run()
    shelf.write("new.md", "# New\n\nText.\n")
    shelf.remove("login.md")
    report = await shelf.run(IndexOptions(dry_run=True))
    assert (report.added, report.removed, report.dry_run) == (
        ("runbooks/new.md",),
        ("runbooks/login.md",),
        True,
    )
    assert (shelf.index.begun, await shelf.paths()) == (1, ["disk.md", "login.md"])


async def test_a_rebuild_starts_from_nothing_and_embeds_everything(shelf: Shelf) -> None:
    await shelf.run()
    asked = shelf.embedder.asked
    report = await shelf.run(IndexOptions(rebuild=True))
    assert (report.build, report.unchanged, shelf.embedder.asked) == (
        "build-2",
        ("runbooks/disk.md", "runbooks/login.md"),
        2 * asked,
    )


@pytest.mark.parametrize(("before", "after"), [("torch", "onnx"), ("onnx", "torch")])
async def test_the_other_backend_of_a_model_rebuilds_nothing(
    shelf: Shelf, before: str, after: str
) -> None:
    shelf.embedder = ScriptedEmbedder(name=f"m:{before}:fp32")
    await shelf.run()
    shelf.embedder = ScriptedEmbedder(name=f"m:{after}:fp32")
    await shelf.run()
    assert (shelf.index.begun, shelf.embedder.asked) == (1, 0)


@pytest.mark.parametrize("what", ["model", "splitter"])
async def test_another_fingerprint_rebuilds(shelf: Shelf, what: str) -> None:
    await shelf.run()
    if what == "model":
        shelf.embedder = ScriptedEmbedder(name="another")
    else:
        shelf.splitter = SplitterSettings(passage_chars=500)
    await shelf.run()
    info = shelf.index.info
    assert info is not None
    assert (info.id, info.fingerprint) == ("build-2", fingerprint(shelf.embedder, shelf.splitter))


async def test_an_index_that_cannot_be_read_is_built_anew_only_when_asked_to(shelf: Shelf) -> None:
    class Unreadable(FakeIndex):
        async def documents(self, where: Filter | None = None) -> dict[str, IndexedDocument]:
            raise IndexUnavailable("The index cannot be read.")

    shelf.index = Unreadable(shelf.embedder.dimension)
    with pytest.raises(IndexUnavailable):
        await shelf.run()
    report = await shelf.run(IndexOptions(rebuild=True))
    assert report.added == ("runbooks/disk.md", "runbooks/login.md")


async def test_an_index_that_lost_points_is_built_anew(shelf: Shelf) -> None:
    await shelf.run()
    whole = len(shelf.index.points)
    shelf.index.points.popitem()
    await shelf.run()
    assert len(shelf.index.points) == whole


async def test_a_source_that_is_no_longer_configured_is_pruned(shelf: Shelf) -> None:
    shelf.names = ["runbooks", "old"]
    shelf.write("page.md", "# Old\n\nText.\n", source="old")
    await shelf.run()
    shelf.names = ["runbooks"]
    report = await shelf.run()
    assert (report.removed, await shelf.paths()) == (("old/page.md",), ["disk.md", "login.md"])


async def test_a_new_source_without_pages_is_known_to_the_index_without_a_build(
    shelf: Shelf,
) -> None:
    await shelf.run()
    shelf.make("empty")
    shelf.names = ["runbooks", "empty"]
    await shelf.run()
    info = shelf.index.info
    assert info is not None
    assert (info.id, dict(info.sources)) == ("build-1", {"runbooks": "", "empty": ""})


async def test_an_empty_source_is_a_build_without_documents(shelf: Shelf) -> None:
    shelf.make("empty")
    shelf.names = ["empty"]
    assert (await shelf.run()).build == "build-1"


async def test_a_bad_file_is_reported_and_stops_nothing(shelf: Shelf) -> None:
    shelf.spoil("bad.md", b"# Bad\n\n\xff\xfe\n")
    report = await shelf.run()
    assert [(one.path, one.line) for one in report.failed] == [("runbooks/bad.md", 3)]
    assert report.added == ("runbooks/disk.md", "runbooks/login.md")


async def test_a_page_that_cannot_be_read_any_more_does_not_answer(shelf: Shelf) -> None:
    await shelf.run()
    shelf.spoil("login.md", b"\xff\xfe")
    report = await shelf.run()
    assert [one.path for one in report.failed] == ["runbooks/login.md"]
    assert (report.removed, await shelf.paths()) == (("runbooks/login.md",), ["disk.md"])


async def test_frontmatter_that_does_not_parse_is_reported_and_its_page_indexed(
    shelf: Shelf,
) -> None:
    shelf.write("odd.md", "---\ntitle: DB: failover\n---\n# Odd\n\nText.\n")
    report = await shelf.run()
    assert [one.path for one in report.warned] == ["runbooks/odd.md"]
    assert "runbooks/odd.md" in report.added


async def test_a_replaced_secret_is_reported_and_not_indexed(shelf: Shelf) -> None:
    shelf.write("key.md", "# Key\n\nUse AKIAIOSFODNN7ABCDEFG now.\n")
    report = await shelf.run()
    assert [(one.path, one.line) for one in report.redacted] == [("runbooks/key.md", 3)]
    assert "AKIAIOSFODNN7ABCDEFG" not in shelf.texts()


async def test_the_only_source_missing_is_an_error(shelf: Shelf) -> None:
    await shelf.run()
    shelf.names = ["nowhere"]
    with pytest.raises(SourceError, match="does not exist"):
        await shelf.run()
    assert await shelf.paths() == ["disk.md", "login.md"]


async def test_a_first_index_is_made_of_the_sources_that_can_be_read(shelf: Shelf) -> None:
    shelf.names = ["runbooks", "nowhere"]
    report = await shelf.run()
    assert [one.path for one in report.failed] == ["nowhere"]
    assert await shelf.paths() == ["disk.md", "login.md"]
    shelf.write("late.md", "# Late\n\nText.\n", source="nowhere")
    assert (await shelf.run()).added == ("nowhere/late.md",)


async def test_one_source_missing_keeps_its_pages_and_updates_the_others(shelf: Shelf) -> None:
    shelf.names = ["runbooks", "old"]
    shelf.write("page.md", "# Old\n\nText.\n", source="old")
    await shelf.run()
    shelf.unmount("old")
    shelf.write("new.md", "# New\n\nText.\n")
    report = await shelf.run()
    assert (report.added, report.removed) == (("runbooks/new.md",), ())
    assert report.failed == (
        FailedFile(
            "old",
            f"The folder {shelf.root}/old of the source old does not exist: make it, or correct "
            "its path.",
        ),
    )
    assert await shelf.paths() == ["disk.md", "login.md", "new.md", "page.md"]


def many(shelf: Shelf, count: int) -> None:
    for number in range(count):
        shelf.write(f"page-{number:02}.md", f"# Page {number}\n\nText.\n")


async def test_a_run_that_would_remove_much_is_refused(shelf: Shelf) -> None:
    many(shelf, 18)
    await shelf.run()
    for number in range(10):
        shelf.remove(f"page-{number:02}.md")
    with pytest.raises(BuildRefused) as caught:
        await shelf.run()
    assert str(caught.value) == (
        "10 of the 20 documents of the source runbooks are gone, left out or cannot be read, so "
        "nothing was changed: see which with nightlamp index --dry-run, and bring them back, or "
        "run nightlamp index --force to remove them."
    )
    assert len(await shelf.paths()) == 20


async def test_a_dry_run_lists_what_a_refused_one_would_remove_and_says_so(shelf: Shelf) -> None:
    many(shelf, 18)
    await shelf.run()
    for number in range(10):
        shelf.remove(f"page-{number:02}.md")
    report = await shelf.run(IndexOptions(dry_run=True))
    assert report.removed == tuple(f"runbooks/page-{number:02}.md" for number in range(10))
    assert report.refused.startswith("10 of the 20 documents of the source runbooks are gone")
    assert (await shelf.run(IndexOptions(dry_run=True, force=True))).refused == ""


async def test_a_refused_run_is_kept_until_one_succeeds_and_a_dry_one_is_none(
    shelf: Shelf,
) -> None:
    shelf.lagging = Lagging(shelf.root / "lagging.json")
    many(shelf, 18)
    await shelf.run()
    for number in range(10):
        shelf.remove(f"page-{number:02}.md")
    await shelf.run(IndexOptions(dry_run=True))
    assert shelf.lagging.read() == Behind()
    with pytest.raises(BuildRefused):
        await shelf.run()
    await shelf.run(IndexOptions(dry_run=True))
    update = shelf.lagging.read().update
    assert update is not None
    assert (update.refused, update.sentence[:19]) == (True, "10 of the 20 docume")
    await shelf.run(IndexOptions(force=True))
    assert shelf.lagging.read() == Behind()


async def test_force_removes_much(shelf: Shelf) -> None:
    many(shelf, 18)
    await shelf.run()
    for number in range(10):
        shelf.remove(f"page-{number:02}.md")
    await shelf.run(IndexOptions(force=True))
    assert len(await shelf.paths()) == 10


async def test_nine_of_ten_pages_may_go(shelf: Shelf) -> None:
    many(shelf, 8)
    await shelf.run()
    for number in range(8):
        shelf.remove(f"page-{number:02}.md")
    shelf.remove("login.md")
    await shelf.run()
    assert await shelf.paths() == ["disk.md"]


async def test_a_failing_model_leaves_the_index_answering(shelf: Shelf) -> None:
    await shelf.run()
    before = dict(shelf.index.points)
    shelf.write("new.md", "# New\n\nText.\n")
    shelf.embedder.failing = True
    with pytest.raises(EmbedderUnavailable):
        await shelf.run()
    assert shelf.index.points == before


async def test_a_cancelled_run_drops_its_build_and_frees_the_way(shelf: Shelf) -> None:
    indexer = shelf.indexer()

    def stop(progress: IndexProgress) -> None:
        if progress.phase == "embedding":
            running.cancel()

    running = asyncio.create_task(indexer.run(UPDATE, stop))
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (shelf.index.info, shelf.index.points) == (None, {})
    assert (await indexer.run(UPDATE)).build == "build-2"


async def test_a_build_that_is_not_admitted_does_not_answer(shelf: Shelf) -> None:
    await shelf.run()
    before = shelf.index.info
    shelf.admission = Admission()
    shelf.write("new.md", "# New\n\nText.\n")
    with pytest.raises(BuildRefused, match="Two known questions would be lost"):
        await shelf.run()
    [(live, candidate)] = shelf.admission.seen
    assert (live, candidate and candidate.id, shelf.index.info) == (before, "build-2", before)


async def test_a_forced_build_is_judged_and_activated_all_the_same(shelf: Shelf) -> None:
    shelf.write("disk.md", "# Disk full\n\nDelete old logs.\n")
    await shelf.run()
    shelf.admission = Admission()
    shelf.write("disk.md", "# Disk full\n\nBuy a larger disk.\n")
    report = await shelf.run(IndexOptions(force=True))
    assert len(shelf.admission.seen) == 1
    assert report.moved == (MOVED,)
    assert "Buy a larger disk." in shelf.texts()


async def test_a_build_is_calibrated_when_it_is_live(shelf: Shelf) -> None:
    shelf.calibrator = Calibrator()
    shelf.write("disk.md", "# Disk full\n\nDelete old logs.\n")
    report = await shelf.run()
    await shelf.run()
    assert shelf.calibrator.seen == [report.build]


async def test_the_first_build_needs_no_admission(shelf: Shelf) -> None:
    shelf.admission = Admission()
    assert (await shelf.run()).build == "build-1"


async def test_unused_vectors_are_let_go_after_a_build_from_nothing_alone(shelf: Shelf) -> None:
    shelf.memory = memory = Memory()
    await shelf.run()
    assert memory.asked == 1
    shelf.write("disk.md", "# Disk full\n\nRemove old logs, then call.\n")
    await shelf.run()
    assert memory.asked == 1
    shelf.admission = Admission()
    with pytest.raises(BuildRefused):
        await shelf.run(IndexOptions(rebuild=True))
    assert memory.asked == 1
    await shelf.run(IndexOptions(rebuild=True, force=True))
    assert memory.asked == 2


async def test_progress_ends_with_everything_done(shelf: Shelf) -> None:
    told: list[IndexProgress] = []
    await shelf.indexer().run(UPDATE, told.append)
    assert {one.phase: (one.done, one.total) for one in told} == {
        "reading": (2, 2),
        "cutting": (2, 2),
        "embedding": (3, 3),
    }


async def test_two_runs_at_once_build_once(shelf: Shelf) -> None:
    indexer = shelf.indexer()
    first, second = await asyncio.gather(indexer.run(UPDATE), indexer.run(UPDATE))
    assert (len(first.added), len(second.unchanged), shelf.index.begun) == (2, 2, 1)


async def test_an_indexed_page_is_found_by_its_meaning(shelf: Shelf) -> None:
    await shelf.run()
    where = Filter("default", ("everyone",))
    vector = await shelf.embedder.embed_question("disk is full")
    [found] = await shelf.index.search([SearchRequest(where, 1, dense=vector)])
    assert [found.dense[0].document_id] == [
        one.id for one in (await shelf.index.documents()).values() if one.path == "disk.md"
    ]
