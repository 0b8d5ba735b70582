"""A build that does not hold what was written to it is never live."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.engines.edge import Shard
from core.engines.edge_index import EdgeIndex
from core.engines.server_index import ServerIndex
from core.errors import BuildFailed
from core.points import Point
from tests.qdrant_standin import QdrantStandin
from tests.server_pages import at, begun, document_of, opened, page, put, texts


@pytest.fixture
async def server() -> AsyncIterator[QdrantStandin]:
    async with QdrantStandin() as standin:
        yield standin


@pytest.fixture
async def index(server: QdrantStandin, tmp_path: Path) -> AsyncIterator[ServerIndex]:
    async with opened(tmp_path, at(server)) as standing:
        await put(standing, page(1, "one"))
        yield standing


@pytest.mark.parametrize("from_live", [True, False])
async def test_a_server_that_loses_what_it_acknowledges_is_found_out(
    index: ServerIndex, server: QdrantStandin, from_live: bool
) -> None:
    server.loses = {"points"}
    with pytest.raises(BuildFailed, match=r"holds \d points and should hold \d, so the one before"):
        await put(index, page(2, "two"), from_live=from_live)
    server.loses = set()
    assert (await texts(index), await index.health()) == (["one"], "")


async def test_a_server_that_keeps_the_old_text_is_found_out_though_the_numbers_are_right(
    index: ServerIndex, server: QdrantStandin
) -> None:
    server.loses = {"points", "payload"}
    build = await index.begin(from_live=True)
    await build.upsert(page(1, "new"))
    with pytest.raises(BuildFailed, match="holds 0 new points and should hold 2"):
        await build.seal(index.info)  # type: ignore[arg-type]
    await build.drop()
    with pytest.raises(BuildFailed):
        await put(index, page(1, "new"))
    server.loses = set()
    await put(index, page(1, "new"))
    assert await texts(index) == ["new"]


async def test_a_server_that_deletes_nothing_is_found_out(
    index: ServerIndex, server: QdrantStandin
) -> None:
    server.loses = {"payload"}
    build = await index.begin(from_live=True)
    await build.delete_documents([document_of(1)])
    with pytest.raises(BuildFailed, match="holds 2 points and should hold 0"):
        await build.seal(index.info)  # type: ignore[arg-type]
    server.loses = set()
    await build.drop()
    assert await texts(index) == ["one"]


async def test_a_replica_that_is_behind_by_a_moment_is_waited_for(
    index: ServerIndex, server: QdrantStandin
) -> None:
    server.late_counts = 1
    await put(index, page(2, "two"))
    assert (await texts(index), server.late_counts) == (["one", "two"], 0)


async def test_points_that_are_written_again_and_taken_out_again_are_counted_once(
    index: ServerIndex,
) -> None:
    for from_live in (True, False):
        build = await index.begin(from_live=from_live)
        await build.upsert(page(2, "two"))
        await build.upsert(page(2, "two again") + page(3, "three"))
        await build.delete_documents([document_of(3)])
        await build.drop()
    build = await begun(index, page(2, "two") + page(2, "two again"))
    await build.activate()
    assert await texts(index) == ["one", "two again"]


async def test_an_embedded_build_that_lost_points_is_not_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await EdgeIndex.open(tmp_path, 2)
    await put(index, page(1, "one"))

    def lost(shard: Shard, points: list[Point]) -> None:
        return

    monkeypatch.setattr(Shard, "write", lost)
    with pytest.raises(BuildFailed, match="holds 2 points and should hold 4"):
        await put(index, page(2, "two"))
    assert (await texts(index), await index.health()) == (["one"], "")
    await index.aclose()
