"""Runbooks on a server, from file to answer: what was edited, removed or away."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bots.app import open_app
from bots.check import Level
from bots.doctor import examine
from bots.status import status_of
from core.errors import IndexMisconfigured, IndexUnavailable
from core.exchanges import OutcomeKind
from core.models import Platform, Question, Scope, Where
from core.reports import IndexOptions
from core.settings import Settings, with_values
from core.settings_groups import QdrantSettings
from corpus.library import Library, open_library
from tests.fakes import ScriptedEmbedder
from tests.fault_proxy import FaultProxy, Says
from tests.qdrant_standin import QdrantStandin

HERE = Where(Platform.DISCORD, "1")


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
