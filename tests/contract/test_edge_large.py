"""A large embedded index: approximate by its graph, and near enough to the exact search."""

from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from core.engines.edge import EXACT_UP_TO, Shard
from core.engines.edge_index import EdgeIndex
from core.engines.edge_places import number_of
from core.points import BuildInfo, Filter, Point, SearchRequest
from tests.index_points import EAST, WEST, both, section, uuid, words

LENGTH = 160
COUNT = EXACT_UP_TO + 200
WHERE = Filter("acme", ("everyone",))


def passage(number: int, vector: list[float]) -> Point:
    label = "everyone" if number % 2 else "sre"
    payload = {
        "kind": "passage", "tenant": "acme", "visibility": [label], "service": "", "type": "",
        "names": [], "section_id": uuid(number), "document_id": uuid(number), "start": 0, "end": 1,
    }  # fmt: skip
    return Point(uuid(number), payload, dense=vector, passage=words(1))


@pytest.mark.slow
async def test_a_large_build_finds_nearly_all_of_an_exact_search(tmp_path: Path) -> None:
    draws = np.random.default_rng(7)
    centres = draws.standard_normal((50, LENGTH))
    vectors = centres[np.arange(COUNT) % 50] + draws.standard_normal((COUNT, LENGTH))
    index = await EdgeIndex.open(tmp_path, LENGTH)
    build = await index.begin(from_live=False)
    await build.upsert([passage(n, row) for n, row in enumerate(vectors.tolist())])
    when = datetime(2030, 1, 1, tzinfo=UTC)
    await build.seal(BuildInfo(build.id, "print", when, {}, COUNT, 0, COUNT, LENGTH))
    await build.activate()
    shard = index._shard
    assert shard is not None
    asked = [SearchRequest(WHERE, 80, dense=row) for row in vectors[:20].tolist()]
    shard.exact = True
    exact = await index.search(asked)
    shard.exact = None
    near = await index.search(asked)
    large, health = shard.large, await index.health()
    update = await index.begin(from_live=True)
    copied = await update.count()
    await update.drop()
    await index.aclose()
    assert copied == COUNT
    wanted = [{hit.section_id for hit in one.dense} for one in exact]
    found = [{hit.section_id for hit in one.dense} for one in near]
    assert (large, health) == (True, "")
    assert fmean(len(a & b) / len(a) for a, b in zip(wanted, found, strict=True)) > 0.97
    assert {number_of(id_) % 2 for ids in found for id_ in ids} == {1}


def test_a_small_shard_is_searched_exactly(tmp_path: Path) -> None:
    shard = Shard.create(tmp_path / "shard", 4)
    shard.write(both(section(1), EAST, words(1)) + both(section(2), WEST, words(1)))
    small = shard.large
    shard.exact = False
    [found] = shard.search([SearchRequest(WHERE, 5, dense=EAST)])
    shard.close()
    assert (small, [hit.score for hit in found.dense]) == (False, [1.0, -1.0])


def test_filling_in_is_exact_however_large_the_shard(tmp_path: Path) -> None:
    shard = Shard.create(tmp_path / "shard", 4)
    shard.write(both(section(1), EAST, words(1)) + both(section(2), WEST, words(1)))
    shard.exact = False
    among = Filter("acme", ("everyone",), section_ids=(uuid(1002),))
    [found] = shard.search([SearchRequest(among, 5, dense=EAST)])
    shard.close()
    assert [(hit.section_id, hit.score) for hit in found.dense] == [(uuid(1002), -1.0)]
