"""Runbooks on a server, from file to answer: what was edited, removed or away, and the rankings."""

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bots.app import open_app
from bots.doctor import Level, examine
from bots.status import status_of
from core.engines.edge_index import EdgeIndex
from core.engines.hashing import HashingEmbedder
from core.engines.server_index import ServerIndex
from core.errors import IndexMisconfigured, IndexUnavailable
from core.exchanges import OutcomeKind
from core.models import Platform, Question, Scope, Where
from core.points import BuildInfo, Filter, Frequencies, Point, RawHit, RawHits, SearchRequest
from core.ports import VectorIndex
from core.query import keyword_query
from core.reports import IndexOptions
from core.settings import Settings, with_values
from core.settings_groups import QdrantSettings, SplitterSettings
from core.vocabulary import parse_vocabulary
from corpus.build import points_of
from corpus.library import Library, open_library
from corpus.reading import read_sources
from corpus.splitters import split
from corpus.starter import StarterSource
from tests.fakes import FakeIndex, ScriptedEmbedder
from tests.fault_proxy import FaultProxy, Says
from tests.qdrant_standin import QdrantStandin

HERE = Where(Platform.DISCORD, "1")
LIMIT = 25
SMALL = 1e-5
QUESTIONS = (
    "pod stuck in CrashLoopBackOff",
    "PAY-1042",
    "kafka broker disk full",
    "how do I fail over postgres",
    "certificate expired",
    "redis evicted keys",
)
FILTERS = (
    Filter("default", ("everyone",)),
    Filter("default", None, service=("payments", "kafka")),
    Filter("default", ("everyone",), type=("postmortem",)),
    Filter("somebody", None),
)


@pytest.fixture
async def server() -> AsyncIterator[QdrantStandin]:
    async with QdrantStandin() as standin:
        yield standin


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(1, 4):
        (folder / f"{number}.md").write_text(text(number, "first"), encoding="utf-8")
    return folder


def text(number: int, word: str) -> str:
    return f"# Volume v{number} full\n\nThe {word} way to free space on volume v{number}.\n"


def settings(url: str) -> Settings:
    return Settings(_env_file=None, qdrant=QdrantSettings(url=url, timeout=60, exact=True))  # type: ignore[call-arg]


@asynccontextmanager
async def library(url: str, tmp_path: Path) -> AsyncIterator[Library]:
    async with open_library(
        settings(url),
        tmp_path / "data",
        sources=[tmp_path / "pages"],
        embedder=ScriptedEmbedder(),
    ) as opened:
        yield opened


async def shown(opened: Library) -> str:
    """Return every text that a question about volumes can show."""
    found = await opened.retriever.find("volume full", tenant="default", scope=Scope())
    return " ".join(hit.section.text for result in found.results for hit in result.hits)


async def test_an_edited_and_a_removed_runbook_never_answer_with_their_old_text(
    server: QdrantStandin, tmp_path: Path, pages: Path
) -> None:
    async with library(server.url, tmp_path) as opened:
        await opened.indexer.run(IndexOptions())
        (pages / "1.md").write_text(text(1, "second"), encoding="utf-8")
        (pages / "2.md").unlink()
        report = await opened.indexer.run(IndexOptions())
        told = await shown(opened)
    assert (len(report.changed), len(report.removed)) == (1, 1)
    assert ("second way" in told, "v2" in told, told.count("first way")) == (True, False, 1)
    held = " ".join(str(payload.get("text")) for payload in server.points(server.collections[0]))
    assert ("volume v2" in held, held.count("first way")) == (False, 1)


async def test_a_reindex_that_failed_is_repaired_by_the_next(
    server: QdrantStandin, tmp_path: Path, pages: Path
) -> None:
    async with FaultProxy(server.port) as proxy, library(proxy.url, tmp_path) as opened:
        await opened.indexer.run(IndexOptions())
        (pages / "1.md").write_text(text(1, "second"), encoding="utf-8")
        before = proxy.connections
        await opened.indexer.run(IndexOptions(dry_run=True))
        reading = proxy.connections - before
        proxy.next.extend([None] * (reading + 5))
        await proxy_away_after(proxy, opened)
        assert "second way" not in await shown(opened)
        await opened.indexer.run(IndexOptions())
        told = await shown(opened)
        assert ("second way" in told, told.count("first way")) == (True, 2)


async def proxy_away_after(proxy: FaultProxy, opened: Library) -> None:
    """Run an index whose server goes away when the connections that are let through are used."""
    proxy.fault = Says(400)
    with pytest.raises(IndexMisconfigured):
        await opened.indexer.run(IndexOptions())
    proxy.next.clear()
    proxy.fault = None


async def test_points_deleted_behind_its_back_are_restored_by_the_next_run(
    server: QdrantStandin, tmp_path: Path, pages: Path
) -> None:
    async with library(server.url, tmp_path) as opened:
        await opened.indexer.run(IndexOptions())
        server.delete_points(server.collections[0], "kind", "passage")
        await opened.indexer.run(IndexOptions())
        assert await opened.index.health() == ""


async def test_the_bot_starts_without_the_server_says_so_and_answers_when_it_is_back(
    server: QdrantStandin, tmp_path: Path, pages: Path
) -> None:
    async with FaultProxy(server.port) as proxy:
        async with library(proxy.url, tmp_path) as opened:
            await opened.indexer.run(IndexOptions())
        await proxy.refuse()
        asked = Question("volume full", "default", "me", datetime(2030, 1, 1, tzinfo=UTC), HERE)
        hashing = with_values(settings(proxy.url), {"embedding.model": "hashing"})
        async with open_app(hashing, tmp_path / "data", sources=[pages]) as app:
            exchange_id = await app.service.received(asked)
            assert exchange_id is not None
            with pytest.raises(IndexUnavailable):
                await app.service.ask(exchange_id, asked)
            exchange = await app.journal.exchange(exchange_id)
            assert exchange is not None
            assert exchange.recorded is not None
            assert exchange.recorded.kind is OutcomeKind.ERROR
            await proxy.accept()
            again = await app.service.received(asked)
            assert again is not None
            await app.service.ask(again, asked)


async def test_the_doctor_and_the_status_say_what_is_there(
    server: QdrantStandin, tmp_path: Path, pages: Path
) -> None:
    asked = settings(server.url)
    checks = {one.name: one for one in await examine(asked, tmp_path / "data", sources=[pages])}
    status = await status_of(asked, tmp_path / "data")
    assert checks["qdrant"].level is Level.OK
    assert checks["qdrant"].says == f"version 1.20.0 at {server.url}, collection nightlamp"
    assert status.vectors == "on a Qdrant server, version 1.20.0"
    await server.stop()
    checks = {one.name: one for one in await examine(asked, tmp_path / "data", sources=[pages])}
    status = await status_of(asked, tmp_path / "data")
    assert checks["qdrant"].level is Level.PROBLEM
    assert "cannot be used now" in status.vectors


@pytest.mark.slow
async def test_both_homes_rank_the_starter_corpus_as_an_exact_search_in_memory(
    server: QdrantStandin, tmp_path: Path
) -> None:
    embedder = HashingEmbedder()
    points, documents = await starter_points(embedder)
    reference = FakeIndex(embedder.dimension)
    edge = await EdgeIndex.open(tmp_path / "edge", embedder.dimension)
    remote = await ServerIndex.open(
        tmp_path / "server", embedder.dimension, settings(server.url).qdrant
    )
    for home in (reference, edge, remote):
        await put(home, points, documents, embedder.dimension)
    assert reference.frequencies == edge.frequencies == remote.frequencies
    asked = [
        request
        for question in QUESTIONS
        for where in FILTERS
        for request in await requests(question, where, reference.frequencies, embedder)
    ]
    wanted = await reference.search(asked)
    assert sum(len(one.dense) + len(one.passage) + len(one.section) for one in wanted) > 500
    assert differing(await edge.search(asked), wanted) == []
    assert differing(await remote.search(asked), wanted) == []
    await edge.aclose()
    await remote.aclose()


async def starter_points(embedder: HashingEmbedder) -> tuple[list[Point], int]:
    corpus = await read_sources([StarterSource()])
    cuts = [
        split(one, SplitterSettings(), lambda piece: embedder.count_tokens(piece) <= 256)
        for one in corpus.documents.values()
    ]
    texts = [passage.embedded for cut in cuts for passage in cut.passages]
    return points_of(cuts, await embedder.embed_passages(texts)), len(cuts)


async def put(index: VectorIndex, points: list[Point], documents: int, dimension: int) -> None:
    build = await index.begin(from_live=False)
    await build.upsert(points)
    counts = build.frequencies
    info = BuildInfo(
        build.id, "print", datetime(2030, 1, 1, tzinfo=UTC), {}, documents,
        counts.sections, counts.passages, dimension,
    )  # fmt: skip
    await build.seal(info)
    await build.activate()


async def requests(
    question: str, where: Filter, frequencies: Frequencies, embedder: HashingEmbedder
) -> list[SearchRequest]:
    words = keyword_query(question, frequencies, parse_vocabulary([]))
    vector = await embedder.embed_question(question)
    return [SearchRequest(where, LIMIT, dense=vector, passage=words.passage, section=words.section)]


def differing(found: Sequence[RawHits], wanted: Sequence[RawHits]) -> list[str]:
    """Return where two rankings differ by more than the last digits of a float."""
    return [
        f"{number} {name}"
        for number, (one, other) in enumerate(zip(found, wanted, strict=True))
        for name in ("dense", "passage", "section")
        if not alike(getattr(one, name), getattr(other, name))
    ]


def alike(one: Sequence[RawHit], other: Sequence[RawHit]) -> bool:
    """Return whether the scores are the same in order, and each hit has its own.

    A section's first passage and the questions that it is asked have one stretch, and a score each.
    Which hits of a tie with the last are within the limit hangs on digits that nobody promises.
    """
    scores: dict[object, list[float]] = {}
    for hit in other:
        scores.setdefault((hit.section_id, hit.span), []).append(hit.score)
    in_order = [(a.score, b.score) for a, b in zip(one, other, strict=False)]
    own = [
        (
            hit.score,
            min(
                scores.get((hit.section_id, hit.span), [0.0]),
                key=lambda score: abs(score - hit.score),
            ),
        )
        for hit in one
        if len(one) < LIMIT or hit.score > one[-1].score * (1 + SMALL)
    ]
    near = [math.isclose(a, b, rel_tol=SMALL, abs_tol=SMALL) for a, b in (*in_order, *own)]
    return len(one) == len(other) and all(near)
