"""Builds by another process: handed over whole, failed in a sentence, ended with their parent."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from core.engines.edge import Shard
from core.engines.edge_index import EdgeIndex
from core.errors import BuildFailed, EmbedderUnavailable
from core.reports import IndexOptions, IndexProgress
from core.settings_groups import EmbeddingSettings, SplitterSettings
from core.settings_lists import SourceSettings
from corpus.building import ChildBuilds
from corpus.child_process import _plain, _said
from corpus.indexer import SourceIndexer
from corpus.sources import open_source
from tests.fakes import FrozenClock, ScriptedEmbedder
from tests.scripted_child import PID_FILE, command
from tests.waiting import until

REBUILD = IndexOptions(rebuild=True)


@dataclass(frozen=True, slots=True)
class Bench:
    """An index in a folder, and an indexer over it that leaves every build to a child."""

    data: Path
    pages: Path
    index: EdgeIndex

    def indexer(self, *child: str, few_chars: int = 0) -> SourceIndexer:
        splitter = SplitterSettings()
        return SourceIndexer(
            self.index,
            ScriptedEmbedder(),
            [open_source(SourceSettings(name="runbooks", path=self.pages))],
            splitter,
            FrozenClock(),
            children=ChildBuilds(
                self.index,
                EmbeddingSettings(model="hashing"),
                splitter,
                self.data,
                command=command(*child),
                few_chars=few_chars,
            ),
        )

    def write(self, path: str, text: str) -> None:
        (self.pages / path).write_text(text, encoding="utf-8")

    def builds(self) -> list[str]:
        return sorted(path.name for path in (self.data / "index").glob("build-*"))

    async def paths(self) -> list[str]:
        return sorted(one.path for one in (await self.index.documents()).values())


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[Bench]:
    data, pages = tmp_path / "data", tmp_path / "pages"
    for folder in (data, pages):
        folder.mkdir(exist_ok=True)
    index = await EdgeIndex.open(data / "index", ScriptedEmbedder().dimension)
    bench = Bench(data, pages, index)
    bench.write("disk.md", "# Disk full\n\nRemove old logs.\n\n## Rollback\n\nPut them back.\n")
    bench.write("login.md", "# Login fails\n\nRenew the token.\n")
    try:
        yield bench
    finally:
        await index.aclose()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with opened(tmp_path) as bench:
        yield bench


def started(bench: Bench) -> bool:
    return (bench.data / PID_FILE).exists()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
async def test_a_build_of_another_process_is_the_one_made_here(bench: Bench) -> None:
    bench.write("odd.md", "# Ünïcode \u2028 line\n\n```sh\nprintf '\\x1b[0m\\t'\n```\n")
    phases: list[IndexProgress] = []
    there = await bench.indexer().run(REBUILD, phases.append)
    documents = await bench.index.documents()
    made = (bench.index.info, bench.index.frequencies)
    here = await bench.indexer(few_chars=1_000_000).run(REBUILD)
    assert started(bench)
    assert made[0] is not None
    assert bench.index.info is not None
    assert (there.sections, there.passages) == (here.sections, here.passages) == (4, 4)
    assert made[0].fingerprint == bench.index.info.fingerprint
    assert (documents, made[1]) == (await bench.index.documents(), bench.index.frequencies)
    assert [at.phase for at in phases if at.done == at.total] == ["reading", "cutting", "embedding"]


@pytest.mark.slow
async def test_an_update_by_another_process_starts_from_what_is_live(bench: Bench) -> None:
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
    assert await bench.paths() == ["disk.md", "queue.md"]
    assert (await bench.indexer(few_chars=1_000_000).run(REBUILD)).sections == report.sections == 2
    assert len(bench.builds()) == 1


async def test_few_pages_are_embedded_where_questions_are_answered(bench: Bench) -> None:
    await bench.indexer("opening", "end", few_chars=1000).run(IndexOptions())
    assert (await bench.paths(), started(bench)) == (["disk.md", "login.md"], False)


@pytest.mark.slow
async def test_what_fails_there_is_raised_here_and_leaves_nothing(bench: Bench) -> None:
    with pytest.raises(EmbedderUnavailable, match="The scripted model was told to fail"):
        await bench.indexer("embedding", "fail").run(REBUILD)
    assert (bench.index.info, bench.builds()) == (None, [])


@pytest.mark.slow
async def test_a_process_that_just_ends_is_a_sentence(bench: Bench) -> None:
    with pytest.raises(BuildFailed, match="ended with code 9 before it was done"):
        await bench.indexer("embedding", "end").run(REBUILD)
    assert bench.builds() == []


@pytest.mark.slow
async def test_what_libraries_print_there_is_not_taken_for_a_report(bench: Bench) -> None:
    await bench.indexer("embedding", "chatter").run(REBUILD)
    assert await bench.paths() == ["disk.md", "login.md"]


async def test_a_process_that_talks_nonsense_is_ended(bench: Bench) -> None:
    nonsense = ChildBuilds(
        bench.index,
        EmbeddingSettings(),
        SplitterSettings(),
        bench.data,
        command=("sh", "-c", "echo nonsense; exec sleep 600"),
        few_chars=0,
    )
    indexer = bench.indexer()
    indexer._children = nonsense
    with pytest.raises(BuildFailed, match="nothing that can be understood"):
        await indexer.run(REBUILD)
    assert bench.builds() == []


@pytest.mark.slow
@pytest.mark.parametrize("step", ["opening", "embedding"])
async def test_a_run_that_is_cancelled_has_ended_its_process(bench: Bench, step: str) -> None:
    running = asyncio.create_task(bench.indexer(step).run(REBUILD))
    await until(lambda: started(bench) and bool((bench.data / PID_FILE).read_text()))
    pid = int((bench.data / PID_FILE).read_text())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert gone(pid)
    assert bench.builds() == []
    await bench.indexer().run(REBUILD)
    assert await bench.paths() == ["disk.md", "login.md"]


@pytest.mark.parametrize("ticks", range(5))
async def test_a_cancellation_counts_in_the_moment_in_which_the_child_says_something(
    ticks: int,
) -> None:
    child: Any = SimpleNamespace(stdout=asyncio.StreamReader())

    async def listen() -> None:
        while await _said(child):
            pass

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0.01)
    child.stdout.feed_data(b'{"phase": "cutting", "done": 1, "total": 2}\n')
    for _ in range(ticks):
        await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait({listening}, timeout=30)
    ended = listening.cancelled()
    listening.cancel()
    assert ended


async def test_a_half_filled_build_is_not_adopted(bench: Bench) -> None:
    reserved = await bench.index.reserve(from_live=False)
    with pytest.raises(BuildFailed, match="was not finished"):
        await reserved.adopt()
    await reserved.abandon()
    assert bench.builds() == []


@pytest.mark.slow
async def test_a_build_with_fewer_points_than_it_says_is_not_adopted(
    bench: Bench, tmp_path: Path
) -> None:
    await bench.indexer(few_chars=1_000_000).run(IndexOptions())
    live = bench.index.info
    assert live is not None
    reserved = await bench.index.reserve(from_live=True)
    stored = json.loads((bench.data / "index" / live.id / "build.json").read_bytes())
    stored |= {"id": reserved.place.name, "sections": stored["sections"] + 1}
    (reserved.place / "build.json").write_text(json.dumps(stored))
    with pytest.raises(BuildFailed, match="holds 6 points and should hold 7"):
        await reserved.adopt()
    await reserved.abandon()


def another_engine(live: Path) -> None:
    file = live / "build.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"engine": "qdrant-edge 0.1"}))


def another_format(live: Path) -> None:
    file = live / "build.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"format": "0"}))


def unreadable_segments(live: Path) -> None:
    for file in live.rglob("segment.json"):
        file.write_text("{")


def deleted_points(live: Path) -> None:
    shard = Shard.load(live / "vectors", ScriptedEmbedder().dimension)
    payloads = [payload for page in shard.scroll(None) for payload, _ in page]
    shard.delete([payloads[0]["document_id"]])
    shard.close()


@pytest.mark.parametrize(
    "damage", [another_engine, another_format, unreadable_segments, deleted_points]
)
async def test_the_next_run_builds_a_damaged_or_outdated_index_anew_without_help(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    async with opened(tmp_path) as bench:
        await bench.indexer(few_chars=1000).run(IndexOptions())
        first = bench.index.info
    assert first is not None
    damage(tmp_path / "data" / "index" / first.id)
    async with opened(tmp_path) as bench:
        report = await bench.indexer(few_chars=1000).run(IndexOptions())
        assert (await bench.paths(), await bench.index.health()) == (["disk.md", "login.md"], "")
        assert report.build != first.id
        again = await bench.indexer(few_chars=1000).run(IndexOptions())
        assert again.build == report.build
        assert bench.builds() == [report.build]


def test_a_secret_of_the_embedder_goes_through_the_pipe() -> None:
    class WithKey(BaseModel):
        api_key: SecretStr

    settings = WithKey(api_key=SecretStr("k")).model_dump()
    assert json.dumps(settings, default=_plain) == '{"api_key": "k"}'
