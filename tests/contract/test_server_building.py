"""Builds on a server whose passages another process embeds: remembered, stored, ended with it."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.engines.edge_index import EdgeIndex
from core.engines.server_index import ServerIndex
from core.engines.vector_cache import CachedEmbedder
from core.errors import BuildFailed, EmbedderUnavailable, IndexUnavailable
from core.reports import IndexOptions, IndexProgress
from core.settings import Settings
from core.settings_groups import EmbeddingSettings, QdrantSettings, SplitterSettings
from core.settings_lists import SourceSettings
from corpus.building import ChildBuilds
from corpus.indexer import SourceIndexer
from corpus.library import _children
from corpus.remembered_builds import RememberedBuilds
from corpus.sources import open_source
from tests.fakes import FrozenClock, ScriptedEmbedder
from tests.qdrant_standin import QdrantStandin
from tests.scripted_child import PID_FILE, command
from tests.waiting import until

REBUILD = IndexOptions(rebuild=True)
ALL_HERE = 1_000_000


@dataclass(slots=True)
class Bench:
    """An index on a server, and indexers over it that have a child embed; `inner` embeds here."""

    data: Path
    pages: Path
    server: QdrantStandin
    index: ServerIndex
    inner: ScriptedEmbedder
    embedder: CachedEmbedder

    def indexer(
        self, *child: str, few_chars: int = 0, program: Sequence[str] = ()
    ) -> SourceIndexer:
        splitter = SplitterSettings()
        return SourceIndexer(
            self.index,
            self.embedder,
            [open_source(SourceSettings(name="runbooks", path=self.pages))],
            splitter,
            FrozenClock(),
            children=RememberedBuilds(
                self.index,
                self.embedder,
                EmbeddingSettings(),
                splitter,
                self.data,
                command=program or command(*child, cached=True),
                few_chars=few_chars,
            ),
        )

    def write(self, path: str, text: str) -> None:
        (self.pages / path).write_text(text, encoding="utf-8")

    @property
    def started(self) -> bool:
        return (self.data / PID_FILE).exists()

    def left(self) -> tuple[int, int]:
        """Return how many collections there are on the server, and builds in the folder."""
        return len(self.server.collections), len(list((self.data / "index").glob("build-*")))

    async def paths(self) -> list[str]:
        return sorted(one.path for one in (await self.index.documents()).values())


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    data, pages = tmp_path / "data", tmp_path / "pages"
    for folder in (data, pages):
        folder.mkdir()
    async with QdrantStandin() as server:
        inner = ScriptedEmbedder()
        told = QdrantSettings(url=server.url, timeout=60)
        index = await ServerIndex.open(data / "index", inner.dimension, told)
        embedder = CachedEmbedder(inner, data / "vectors.db")
        bench = Bench(data, pages, server, index, inner, embedder)
        bench.write("disk.md", "# Disk full\n\nRemove old logs.\n\n## Rollback\n\nPut them back.\n")
        bench.write("login.md", "# Login fails\n\nRenew the token.\n")
        try:
            yield bench
        finally:
            await index.aclose()
            await embedder.aclose()


@pytest.mark.slow
async def test_all_is_embedded_by_the_child_and_nothing_where_questions_are_answered(
    bench: Bench,
) -> None:
    bench.write("odd.md", "# Ünïcode \u2028 line\n\n```sh\nprintf '\\x1b[0m\\t'\n```\n")
    phases: list[IndexProgress] = []
    there = await bench.indexer().run(REBUILD, phases.append)
    documents, counts = await bench.index.documents(), bench.index.frequencies
    assert (bench.started, bench.inner.asked) == (True, 0)
    here = await bench.indexer(few_chars=ALL_HERE).run(REBUILD)
    assert (there.sections, there.passages) == (here.sections, here.passages) == (4, 4)
    assert (documents, counts) == (await bench.index.documents(), bench.index.frequencies)
    finished = [at.phase for at in phases if at.done == at.total]
    assert finished == ["reading", "cutting", "embedding", "storing"]


@pytest.mark.slow
async def test_an_update_embedded_by_the_child_starts_from_what_is_live(bench: Bench) -> None:
    await bench.indexer().run(REBUILD)
    bench.write("disk.md", "# Disk full\n\nAsk for a larger volume.\n")
    (bench.pages / "login.md").unlink()
    bench.write("queue.md", "# Queue lag\n\nScale the consumer.\n")
    report = await bench.indexer().run(IndexOptions())
    assert (report.added, report.changed, report.removed) == (
        ("runbooks/queue.md",),
        ("runbooks/disk.md",),
        ("runbooks/login.md",),
    )
    assert (await bench.paths(), bench.inner.asked) == (["disk.md", "queue.md"], 0)
    assert (bench.left(), await bench.index.health()) == ((1, 1), "")


async def test_few_pages_are_embedded_here(bench: Bench) -> None:
    await bench.indexer("opening", "end", few_chars=1000).run(IndexOptions())
    assert (await bench.paths(), bench.started) == (["disk.md", "login.md"], False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "does", "error", "says"),
    [
        ("embedding", "fail", EmbedderUnavailable, "The scripted model was told to fail"),
        ("embedding", "end", BuildFailed, "ended with code 9 before it was done"),
        ("leaving", "end", BuildFailed, "ended with code 9 before it was done"),
    ],
)
async def test_what_fails_there_is_raised_here_and_leaves_what_is_live(
    bench: Bench, step: str, does: str, error: type[Exception], says: str
) -> None:
    live = (await bench.indexer(few_chars=ALL_HERE).run(IndexOptions())).build
    bench.write("disk.md", "# Disk full\n\nAsk for a larger volume.\n")
    with pytest.raises(error, match=says):
        await bench.indexer(step, does).run(REBUILD)
    assert bench.index.info is not None
    assert (bench.index.info.id, bench.left()) == (live, (1, 1))
    assert (await bench.indexer().run(REBUILD)).build != live
    assert (await bench.paths(), bench.left()) == (["disk.md", "login.md"], (1, 1))


@pytest.mark.slow
async def test_what_was_embedded_before_the_child_was_killed_is_not_embedded_again(
    bench: Bench,
) -> None:
    with pytest.raises(BuildFailed):
        await bench.indexer("leaving", "end").run(REBUILD)
    await bench.indexer(few_chars=ALL_HERE).run(REBUILD)
    assert (await bench.paths(), bench.inner.asked) == (["disk.md", "login.md"], 0)


async def test_a_child_that_talks_nonsense_is_ended(bench: Bench) -> None:
    program = ("sh", "-c", "echo nonsense; exec sleep 600")
    with pytest.raises(BuildFailed, match="nothing that can be understood"):
        await bench.indexer(program=program).run(REBUILD)
    assert (bench.index.info, bench.left()) == (None, (0, 0))


@pytest.mark.slow
@pytest.mark.parametrize("step", ["opening", "embedding"])
async def test_a_run_that_is_cancelled_has_ended_its_child(bench: Bench, step: str) -> None:
    running = asyncio.create_task(bench.indexer(step).run(REBUILD))
    await until(lambda: bench.started and (bench.data / PID_FILE).read_text())
    pid = int((bench.data / PID_FILE).read_text())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert bench.left() == (0, 0)


async def test_nothing_is_embedded_for_a_server_that_is_away(bench: Bench) -> None:
    await bench.server.stop()
    with pytest.raises(IndexUnavailable):
        await bench.indexer().run(REBUILD)
    assert bench.started is False


async def test_with_a_cache_that_failed_all_is_embedded_here(bench: Bench) -> None:
    (bench.data / "vectors.db").mkdir()
    await bench.embedder.embed_passages(["what shows that the file cannot be opened"])
    asked = bench.inner.asked
    await bench.indexer("opening", "end").run(REBUILD)
    assert (await bench.paths(), bench.started) == (["disk.md", "login.md"], False)
    assert bench.inner.asked - asked == 3


@pytest.mark.slow
async def test_what_the_child_could_not_keep_is_embedded_here(bench: Bench) -> None:
    (bench.data / "vectors.db").mkdir()
    await bench.indexer().run(REBUILD)
    assert (await bench.paths(), bench.started, bench.inner.asked) == (
        ["disk.md", "login.md"],
        True,
        3,
    )


async def test_a_library_leaves_embedding_to_a_child_wherever_it_can_be_remembered(
    bench: Bench, tmp_path: Path
) -> None:
    edge = await EdgeIndex.open(tmp_path / "edge", bench.inner.dimension)
    told = Settings.model_validate({})
    made = [
        type(_children(told, index, embedder, bench.data))
        for index in (edge, bench.index)
        for embedder in (bench.embedder, bench.inner)
    ]
    assert made == [ChildBuilds, ChildBuilds, RememberedBuilds, type(None)]
    await edge.aclose()
