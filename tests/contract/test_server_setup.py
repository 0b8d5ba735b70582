"""How a collection is made and asked on a server, as the settings say."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import IndexMisconfigured
from tests.qdrant_standin import QdrantStandin
from tests.server_pages import ASKED, SEEN, at, document_of, opened, page, put


@pytest.fixture
async def server() -> AsyncIterator[QdrantStandin]:
    async with QdrantStandin(key="hush") as standin:
        yield standin


async def test_what_a_filter_sees_is_read_once_a_build(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one"))
        first = await index.documents(SEEN)
        asked = len(server.calls)
        again = await index.documents(SEEN)
        assert (again, len(server.calls)) == (first, asked)
        await put(index, page(2, "two"))
        assert list(await index.documents(SEEN)) == [document_of(1), document_of(2)]
        assert await index.documents(replace(SEEN, visibility=())) == {}


async def test_shards_replicas_and_consistency_are_passed_on(
    server: QdrantStandin, tmp_path: Path
) -> None:
    settings = at(
        server,
        collection="acme",
        shards=6,
        replicas=3,
        write_consistency=2,
        read_consistency="majority",
    )
    async with opened(tmp_path, settings) as index:
        await put(index, page(1, "one"))
        await index.search([ASKED])
    [made] = server.created.values()
    wanted = {"shard_number": 6, "replication_factor": 3, "write_consistency_factor": 2}
    assert made.items() >= wanted.items()
    assert {"consistency": "majority"} in server.parameters
    assert server.aliases == {"acme": server.collections[0]}


async def test_every_field_of_a_filter_has_its_payload_index(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server)) as index:
        await put(index, page(1, "one"))
    [indexes] = server.indexes.values()
    assert indexes["tenant"] == {"type": "keyword", "is_tenant": True}
    assert indexes["since"] == {"type": "integer", "lookup": False, "range": True}
    assert sorted(indexes) == [
        "document_id", "kind", "names", "point_id", "section_id", "service", "since", "tenant",
        "type", "until", "visibility",
    ]  # fmt: skip


@pytest.mark.parametrize("exact", [True, False])
async def test_dense_search_is_exact_where_that_is_set(
    server: QdrantStandin, tmp_path: Path, *, exact: bool
) -> None:
    async with opened(tmp_path, at(server, exact=exact)) as index:
        await put(index, page(1, "one"))
        await index.search([ASKED])
    dense = next(query for query in server.queries if query["using"] == "dense")
    assert dense["params"] == {"exact": exact}


@pytest.mark.parametrize("version", ["1.9.7", "0.11.0", "dev", ""])
async def test_a_server_that_is_too_old_or_says_nothing_is_one_sentence(
    server: QdrantStandin, tmp_path: Path, version: str
) -> None:
    server.version = version
    async with opened(tmp_path, at(server)) as index:
        with pytest.raises(IndexMisconfigured, match=r"upgrade it to|which Qdrant it is"):
            await index.begin(from_live=False)
    assert server.collections == []


async def test_a_wrong_key_is_one_sentence_that_names_the_setting(
    server: QdrantStandin, tmp_path: Path
) -> None:
    async with opened(tmp_path, at(server, api_key="other")) as index:
        with pytest.raises(IndexMisconfigured, match="NIGHTLAMP_QDRANT_API_KEY"):
            await index.begin(from_live=False)
