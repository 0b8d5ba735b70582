"""The index on a server: what lies where, and what is left of what died, at every step."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.engines.build_folder import BuildFolders
from core.engines.edge_index import EdgeIndex
from core.engines.served import Served
from core.engines.server_reader import At
from core.errors import IndexMisconfigured, IndexUnavailable
from core.points import Frequencies, RawHits
from tests.qdrant_standin import QdrantStandin
from tests.server_pages import ASKED, SEEN, at, begun, document_of, opened, page, put, texts


@pytest.fixture
async def server() -> AsyncIterator[QdrantStandin]:
    async with QdrantStandin(key="hush") as standin:
        yield standin


async def test_what_was_built_is_there_after_a_restart(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one"))
        info = index.info
    async with opened(tmp_path, at(server)) as index:
        told = (index.info, index.frequencies, await texts(index), await index.health())
    assert told == (info, Frequencies(1, 1, {7: (1, 1)}), ["one"], "")


async def test_an_update_stays_in_its_collection_and_leaves_nothing_of_the_old_text(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old") + page(2, "kept"))
        before = server.collections
        await put(index, page(1, "new"))
        assert await texts(index) == ["kept", "new"]
    held = [payload.get("text") for payload in server.points(before[0]) if "text" in payload]
    assert (server.collections, sorted(map(str, held))) == (before, ["kept", "new"])


async def test_until_an_update_is_activated_the_old_text_answers_and_the_new_is_judged(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old"))
        build = await begun(index, page(1, "new"))
        assert (await texts(index), (await build.page(document_of(1)))[0].text) == (["old"], "new")
        await build.drop()
        assert await texts(index) == ["old"]


async def test_an_update_that_died_is_as_if_it_had_never_begun(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old") + page(2, "kept"))
        build = await index.begin(from_live=True)
        await build.delete_documents([document_of(1), document_of(2)])
        await build.upsert(page(1, "new"))
    async with opened(tmp_path, at(server)) as index:
        assert (await texts(index), await index.health()) == (["kept", "old"], "")
    held = server.points(server.collections[0])
    assert (len(held), [payload for payload in held if "until" in payload]) == (4, [])


async def test_a_death_between_the_pointer_and_the_clearing_up_is_made_good(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old"))
        build = await begun(index, page(1, "new"))
    BuildFolders(tmp_path).point_to(
        next(one for one in BuildFolders(tmp_path).others(None) if one.id == build.id)
    )
    async with opened(tmp_path, at(server)) as index:
        assert (await texts(index), await index.health()) == (["new"], "")
    assert len(server.points(server.collections[0])) == 2


async def test_a_rebuild_is_a_new_collection_and_the_alias_moves_to_it(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old"))
        before = server.aliases
        await put(index, page(2, "new"), from_live=False)
        assert await texts(index) == ["new"]
    assert before["nightlamp"] != server.aliases["nightlamp"]
    assert list(server.aliases.values()) == server.collections
    moved = [call for call in server.calls if call == ("POST", "/collections/aliases")]
    assert len(moved) == 2


async def test_a_rebuild_that_died_leaves_no_collection(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old"))
        kept = server.collections
        await begun(index, page(2, "new"), from_live=False)
        assert len(server.collections) == 2
    async with opened(tmp_path, at(server)) as index:
        assert (server.collections, await texts(index)) == (kept, ["old"])


async def test_a_collection_without_its_alias_gets_it_back(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one"))
    server.forget_alias("nightlamp")
    async with opened(tmp_path, at(server)) as index:
        assert (server.aliases, await texts(index)) == (
            {"nightlamp": server.collections[0]},
            ["one"],
        )


async def test_an_alias_that_leads_elsewhere_is_put_right_in_one_call(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one"))
    [ours] = server.collections
    server.add_collection("another")
    server.forget_alias("nightlamp")
    server.add_alias("nightlamp", "another")
    server.calls.clear()
    async with opened(tmp_path, at(server)) as index:
        assert (server.aliases, await texts(index)) == ({"nightlamp": ours}, ["one"])
    assert server.calls.count(("POST", "/collections/aliases")) == 1


async def test_a_collection_that_is_gone_is_unavailable_and_built_again(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one"))
    server.held.delete_collection(server.collections[0])
    async with opened(tmp_path, at(server)) as index:
        assert "nightlamp index --rebuild" in await index.health()
        assert (await index.documents(), await index.count()) == ({}, 0)
        for asked in (index.search([ASKED]), index.documents(SEEN), index.page(document_of(1))):
            with pytest.raises(IndexUnavailable, match="does not have the index"):
                await asked
        await put(index, page(1, "again"), from_live=False)
        assert (await texts(index), await index.health()) == (["again"], "")
    assert list(server.aliases.values()) == server.collections


@pytest.mark.parametrize("lost", ["build.json", "frequencies.json", "server.json"])
async def test_a_build_that_lost_its_book_keeping_is_built_again(
    server: QdrantStandin, tmp_path: Path, lost: str
) -> None:
    async with opened(tmp_path, at(server)) as index:
        build = await put(index, page(1, "one"))
    (tmp_path / build.id / lost).unlink()
    async with opened(tmp_path, at(server)) as index:
        assert (index.info, await index.search([ASKED])) == (None, [RawHits()])
        assert "run nightlamp index" in await index.health()
        await put(index, page(1, "again"), from_live=False)
        assert await texts(index) == ["again"]


async def test_an_index_in_the_data_folder_is_no_index_on_the_server(
    server: QdrantStandin, tmp_path: Path
) -> None:
    embedded = await EdgeIndex.open(tmp_path, 2)
    await put(embedded, page(1, "one"))
    await embedded.aclose()
    async with opened(tmp_path, at(server)) as index:
        assert "in the data folder, not on the server" in await index.health()
        await put(index, page(1, "there"), from_live=False)
        assert await texts(index) == ["there"]
    embedded = await EdgeIndex.open(tmp_path, 2)
    assert (embedded.info, "run nightlamp index" in await embedded.health()) == (None, True)
    await embedded.aclose()


async def test_a_collection_of_somebody_else_with_our_name_is_left_alone(
    server: QdrantStandin, tmp_path: Path
) -> None:
    server.add_collection("nightlamp")
    async with opened(tmp_path, at(server)) as index:
        with pytest.raises(IndexMisconfigured, match="NIGHTLAMP_QDRANT_COLLECTION"):
            await index.begin(from_live=False)
    assert (server.collections, BuildFolders(tmp_path).others(None)) == (["nightlamp"], [])


async def test_points_that_were_deleted_behind_its_back_are_missed(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one") + page(2, "two"))
        server.delete_points(server.collections[0], "document_id", document_of(2))
        assert (await index.count(), "built with 4" in await index.health()) == (2, True)


async def test_a_search_that_has_begun_sees_its_build_to_the_end(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old"))
        build = await begun(index, page(1, "new"))
        server.hold_queries()
        search = asyncio.create_task(index.search([ASKED]))
        await server.held_query.wait()
        serve, live = index.serve, asyncio.Event()

        async def told(served: Served[At]) -> None:
            await serve(served)
            live.set()

        index.serve = told  # type: ignore[method-assign]
        activation = asyncio.create_task(build.activate())
        await live.wait()
        assert index.info == build.info
        assert (await index.count(), await index.count()) == (2, 2)  # time for a deletion, if any
        server.let_queries()
        [before] = await search
        await activation
        assert (len(before.section), await texts(index)) == (1, ["new"])


async def test_a_dropped_build_that_a_server_keeps_is_hidden_and_removed_later(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "old"))
        build = await begun(index, page(1, "new"))
        await server.stop()
        await build.drop()
        await server.start()
        assert (await texts(index), len(server.points(server.collections[0]))) == (["old"], 4)
        await put(index, page(2, "two"))
        assert (await texts(index), await index.health()) == (["old", "two"], "")
    assert len(server.points(server.collections[0])) == 4


async def test_a_second_build_takes_the_place_of_one_that_was_left(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one"))
        left = await begun(index, page(2, "left"))
        await put(index, page(3, "three"))
        with pytest.raises(IndexUnavailable):
            await left.upsert(page(4, "four"))
        assert (await texts(index), await index.health()) == (["one", "three"], "")
