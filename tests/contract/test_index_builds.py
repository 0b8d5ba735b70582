"""What every index promises of its builds: filled and searched aside, then live at once or gone."""

import math
from dataclasses import replace

import pytest

from core.errors import IndexMisconfigured, IndexUnavailable
from core.points import Frequencies, RawHits, SearchRequest, section_point
from core.ports import VectorIndex
from tests.index_points import (
    ALL,
    EAST,
    NORTH,
    both,
    fill,
    hit,
    info,
    passage_of,
    section,
    uuid,
    words,
)


async def test_nothing_is_served_before_a_build_is_activated(index: VectorIndex) -> None:
    build = await index.begin(from_live=False)
    await build.upsert(both(section(1), EAST, words(7)))
    found = await index.search([SearchRequest(ALL, 5, dense=EAST, section=words(7))])
    assert (found, index.info, index.frequencies) == ([RawHits()], None, Frequencies())
    assert (await index.documents(), await index.count()) == ({}, 0)


async def test_an_empty_index_says_how_to_fill_it(index: VectorIndex) -> None:
    assert await index.health() == "Nothing is indexed yet: run nightlamp index."


async def test_a_build_is_searched_before_it_is_activated(index: VectorIndex) -> None:
    build = await index.begin(from_live=False)
    await build.upsert(both(section(1), EAST, words(7)))
    found = await build.search([SearchRequest(ALL, 5, dense=EAST)])
    assert found == [RawHits(dense=(hit(1, 1.0),))]


async def test_an_activated_build_is_served_with_its_book_keeping(index: VectorIndex) -> None:
    build = await index.begin(from_live=False)
    await build.upsert(both(section(1), EAST, words(7)))
    sealed = info(build)
    await build.seal(sealed)
    await build.activate()
    assert (index.info, await index.count(), await index.health()) == (sealed, 2, "")


async def test_frequencies_count_passages_and_sections(index: VectorIndex) -> None:
    one, two = section(1), section(2)
    await fill(
        index,
        [
            section_point(one, words(7, 8), 1),
            passage_of(one, EAST, words(7)),
            section_point(two, words(8), 0),
        ],
    )
    assert index.frequencies == Frequencies(1, 2, {7: (1, 1), 8: (0, 2)})


async def test_a_replaced_point_is_counted_once(index: VectorIndex) -> None:
    await fill(index, both(section(1), EAST, words(7, 8)))
    await fill(index, both(section(1), NORTH, words(8, 9)))
    assert index.frequencies == Frequencies(1, 1, {8: (1, 1), 9: (1, 1)})
    assert await index.search([SearchRequest(ALL, 5, dense=NORTH)]) == [
        RawHits(dense=(hit(1, 1.0),))
    ]


async def test_deleted_documents_take_their_share_of_the_frequencies(index: VectorIndex) -> None:
    await fill(
        index,
        both(section(1, page=1), EAST, words(7)) + both(section(2, page=2), EAST, words(7, 8)),
    )
    build = await index.begin(from_live=True)
    await build.delete_documents([uuid(1), uuid(404)])
    await build.seal(info(build))
    await build.activate()
    assert index.frequencies == Frequencies(1, 1, {7: (1, 1), 8: (1, 1)})
    assert (await index.count(), list(await index.documents())) == (2, [uuid(2)])


async def test_more_points_than_a_batch_are_all_there(index: VectorIndex) -> None:
    points = [point for n in range(300) for point in both(section(n), EAST, words(n))]
    await fill(index, points)
    assert (await index.count(), index.frequencies.sections) == (600, 300)


async def test_what_is_changed_in_a_build_leaves_the_live_index_alone(index: VectorIndex) -> None:
    await fill(index, both(section(1), EAST, words(7)))
    build = await index.begin(from_live=True)
    await build.delete_documents([uuid(1)])
    await build.upsert(both(section(2, page=2), EAST, words(9)))
    request = SearchRequest(ALL, 5, dense=EAST)
    assert await index.search([request]) == [RawHits(dense=(hit(1, 1.0),))]
    assert index.frequencies == Frequencies(1, 1, {7: (1, 1)})
    assert await build.search([request]) == [RawHits(dense=(hit(2, 1.0, page=2),))]


async def test_a_dropped_build_changes_nothing_and_is_dropped_twice_in_peace(
    index: VectorIndex,
) -> None:
    await fill(index, both(section(1), EAST, words(7)))
    build = await index.begin(from_live=True)
    await build.delete_documents([uuid(1)])
    await build.drop()
    await build.drop()
    assert (await index.count(), index.frequencies.sections) == (2, 1)


async def test_dropping_an_activated_build_does_nothing(index: VectorIndex) -> None:
    build = await index.begin(from_live=False)
    await build.upsert(both(section(1), EAST, words(7)))
    await build.seal(info(build))
    await build.activate()
    await build.drop()
    assert await index.search([SearchRequest(ALL, 5, dense=EAST)]) == [
        RawHits(dense=(hit(1, 1.0),))
    ]


async def test_a_build_that_is_not_sealed_is_not_activated(index: VectorIndex) -> None:
    build = await index.begin(from_live=False)
    with pytest.raises(IndexMisconfigured):
        await build.activate()
    await build.drop()


async def test_a_dropped_build_takes_no_points(index: VectorIndex) -> None:
    build = await index.begin(from_live=False)
    await build.drop()
    with pytest.raises(IndexUnavailable):
        await build.upsert(both(section(1), EAST, words(7)))


@pytest.mark.parametrize(
    "vector", [[1.0, 0.0], [1.0] * 5, [math.nan, 0.0, 0.0, 1.0], [math.inf, 0.0, 0.0, 0.0]]
)
async def test_a_bad_vector_is_refused_and_none_of_its_batch_is_written(
    index: VectorIndex, vector: list[float]
) -> None:
    build = await index.begin(from_live=False)
    good = both(section(1), EAST, words(7))
    with pytest.raises(IndexMisconfigured):
        await build.upsert([*good, passage_of(section(2), vector, words(7))])
    assert await build.count() == 0
    await build.drop()


async def test_commits_are_recorded_of_the_live_build_and_nothing_else_changes(
    index: VectorIndex,
) -> None:
    with pytest.raises(IndexUnavailable, match="Nothing is indexed yet"):
        await index.record({"runbooks": "abc"}, {})
    await fill(index, both(section(1), EAST, words(7)))
    before = index.info
    assert before is not None
    await index.record({"runbooks": "abc"}, {"runbooks": ("a.md", "ü.md")})
    after = replace(before, sources={"runbooks": "abc"}, uncommitted={"runbooks": ("a.md", "ü.md")})
    found = await index.search([SearchRequest(ALL, 5, dense=EAST)])
    assert (index.info, found) == (after, [RawHits(dense=(hit(1, 1.0),))])
    assert index.frequencies == Frequencies(1, 1, {7: (1, 1)})
