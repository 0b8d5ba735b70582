"""What every index promises, over the fake and Qdrant Edge: both rank as an exact search does."""

import math
import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from core.engines.edge_index import EdgeIndex
from core.errors import IndexMisconfigured, IndexUnavailable
from core.models import Metadata, Passage, Section, Span
from core.points import (
    BuildInfo,
    Filter,
    Frequencies,
    IndexedDocument,
    Point,
    RawHit,
    RawHits,
    SearchRequest,
    SparseVector,
    passage_point,
    section_point,
)
from core.ports import Build, VectorIndex
from tests.fakes import FakeIndex

DIMENSION = 4
EAST, NORTH, UP, WEST = (
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [-1.0, 0.0, 0.0, 0.0],
)
ALL = Filter("acme", None)
FILTERS = [
    ALL,
    Filter("acme", ("everyone",)),
    Filter("acme", ("everyone", "payments-team")),
    Filter("acme", None, service=("payments", "search")),
    Filter("acme", None, type=("postmortem",)),
    Filter("acme", None, names=("diskfull",)),
    Filter("acme", ("payments-team",), service=("payments",), type=("runbook",)),
    Filter("other", None),
]


@pytest.fixture(params=["fake", "edge"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[VectorIndex]:
    opened: VectorIndex = (
        FakeIndex(DIMENSION)
        if request.param == "fake"
        else await EdgeIndex.open(tmp_path / "index", DIMENSION)
    )
    yield opened
    await opened.aclose()


def uuid(number: int) -> str:
    return str(UUID(int=number))


def section(number: int, *, page: int = 1, tenant: str = "acme", **metadata: object) -> Section:
    """Return the `number`-th section of a page; ids sort by number."""
    start = 100 * number
    values = {"service": "payments", "type": "runbook", **metadata}
    names = values.pop("names", ())
    return Section(
        id=uuid(1000 + number),
        document_id=uuid(page),
        document_hash=f"hash-{page}",
        tenant=tenant,
        source="runbooks",
        path=f"page-{page}.md",
        metadata=Metadata(title=f"Page {page}", **values),  # type: ignore[arg-type]
        headings=("Top", f"Part {number}"),
        anchor=f"part-{number}",
        span=Span(start, start + 50),
        line_start=number,
        line_end=number + 3,
        text=f"## Part {number}\n\nüñî `kubectl`\t\x00",
        names=names,  # type: ignore[arg-type]
    )


def passage_of(section: Section, vector: list[float] | None, words: SparseVector) -> Point:
    number = int(UUID(section.id))
    passage = Passage(
        uuid(number + 5000), section.id, section.document_id, 0, section.span, "embedded"
    )
    return passage_point(section, passage, vector, words)


def both(section: Section, vector: list[float] | None, words: SparseVector) -> list[Point]:
    return [section_point(section, words, 1), passage_of(section, vector, words)]


def info(build: Build, **counts: int) -> BuildInfo:
    figures = {"documents": 1, "sections": 1, "passages": 1, **counts}
    when = datetime(2030, 1, 1, tzinfo=UTC)
    return BuildInfo(build.id, "print", when, {"runbooks": ""}, dimension=DIMENSION, **figures)


async def fill(index: VectorIndex, points: list[Point]) -> None:
    build = await index.begin(from_live=True)
    await build.upsert(points)
    await build.seal(info(build))
    await build.activate()


def words(*tokens: int) -> SparseVector:
    return SparseVector(tokens, tuple(1.0 for _ in tokens))


def hit(number: int, score: float, *, page: int = 1, passage: bool = True) -> RawHit:
    span = Span(100 * number, 100 * number + 50) if passage else None
    return RawHit(uuid(1000 + number), uuid(page), score, span)


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


async def test_three_lists_come_in_one_batch_for_every_request(index: VectorIndex) -> None:
    await fill(
        index,
        both(section(1), EAST, words(7)) + both(section(2), NORTH, SparseVector((7,), (0.5,))),
    )
    found = await index.search(
        [
            SearchRequest(ALL, 5, dense=NORTH, passage=words(7), section=words(7, 8)),
            SearchRequest(ALL, 1, section=SparseVector((7,), (4.0,))),
        ]
    )
    assert found == [
        RawHits(
            dense=(hit(2, 1.0), hit(1, 0.0)),
            passage=(hit(1, 1.0), hit(2, 0.5)),
            section=(hit(1, 1.0, passage=False), hit(2, 0.5, passage=False)),
        ),
        RawHits(section=(hit(1, 4.0, passage=False),)),
    ]


async def test_no_request_gets_no_answer(index: VectorIndex) -> None:
    assert await index.search([]) == []


async def test_a_request_without_any_list_finds_nothing(index: VectorIndex) -> None:
    await fill(index, both(section(1), EAST, words(7)))
    assert await index.search([SearchRequest(ALL, 5)]) == [RawHits()]


async def test_the_opposite_direction_has_a_similarity_of_minus_one(index: VectorIndex) -> None:
    await fill(index, both(section(1), WEST, words(7)))
    found = await index.search([SearchRequest(ALL, 5, dense=EAST)])
    assert found == [RawHits(dense=(hit(1, -1.0),))]


async def test_a_word_that_nothing_has_finds_nothing(index: VectorIndex) -> None:
    await fill(index, both(section(1), EAST, words(7)))
    found = await index.search([SearchRequest(ALL, 5, passage=words(9), section=SparseVector())])
    assert found == [RawHits()]


async def test_a_passage_without_a_vector_is_found_by_its_words(index: VectorIndex) -> None:
    await fill(index, both(section(1), None, words(7)))
    found = await index.search([SearchRequest(ALL, 5, dense=EAST, passage=words(7))])
    assert found == [RawHits(passage=(hit(1, 1.0),))]


async def test_ties_are_broken_by_id_also_at_the_limit(index: VectorIndex) -> None:
    numbers = list(range(1, 61))
    random.Random(5).shuffle(numbers)  # noqa: S311
    points = [point for n in numbers for point in both(section(n), UP, words(7))]
    await fill(index, points + both(section(0), [0.0, 0.0, 2.0, 0.0], words(7)))
    found = await index.search([SearchRequest(ALL, 3, dense=UP, passage=words(7))])
    first = tuple(hit(n, 1.0) for n in (0, 1, 2))
    assert found == [RawHits(dense=first, passage=first)]


async def test_ranks_as_an_exact_search_under_every_filter(index: VectorIndex) -> None:
    points = some_points()
    reference = FakeIndex(DIMENSION)
    await fill(reference, points)
    await fill(index, points)
    requests = [
        SearchRequest(where, 20, dense=UP, passage=words(3, 4), section=words(1, 2, 3))
        for where in FILTERS
    ]
    assert rounded(await index.search(requests)) == rounded(await reference.search(requests))


def some_points() -> list[Point]:
    chance = random.Random(11)  # noqa: S311
    points = []
    for number in range(200):
        one = section(
            number,
            page=number // 4,
            tenant=chance.choice(["acme", "acme", "other"]),
            service=chance.choice(["payments", "search", ""]),
            type=chance.choice(["runbook", "postmortem"]),
            visibility=chance.choice([("everyone",), ("payments-team", "sre"), ("sre",)]),
            names=chance.choice([(), ("diskfull", "disk-full")]),
        )
        vector = [chance.gauss(0, 1) for _ in range(DIMENSION)]
        length = math.hypot(*vector)
        tokens = tuple(sorted(chance.sample(range(1, 9), 3)))
        weights = SparseVector(tokens, tuple(chance.randint(1, 64) / 64 for _ in tokens))
        points += both(one, [number / length for number in vector], weights)
    return points


def rounded(found: list[RawHits]) -> list[list[tuple[str, float]]]:
    lists = [one for hits in found for one in (hits.dense, hits.passage, hits.section)]
    return [[(hit.section_id, round(hit.score, 5)) for hit in one] for one in lists]


async def test_a_filter_without_labels_sees_nothing(index: VectorIndex) -> None:
    await fill(index, both(section(1), EAST, words(7)))
    found = await index.search([SearchRequest(Filter("acme", ()), 5, dense=EAST)])
    assert found == [RawHits()]


async def test_a_search_is_narrowed_to_sections_or_documents(index: VectorIndex) -> None:
    await fill(
        index,
        both(section(1, page=1), EAST, words(7))
        + both(section(2, page=2), EAST, words(7))
        + both(section(3, page=3), EAST, words(7)),
    )
    found = await index.search(
        [
            SearchRequest(Filter("acme", None, section_ids=(uuid(1002),)), 5, dense=EAST),
            SearchRequest(Filter("acme", None, document_ids=(uuid(1), uuid(3))), 5, dense=EAST),
        ]
    )
    assert found == [
        RawHits(dense=(hit(2, 1.0, page=2),)),
        RawHits(dense=(hit(1, 1.0, page=1), hit(3, 1.0, page=3))),
    ]


async def test_sections_come_back_whole_and_unknown_ids_are_left_out(index: VectorIndex) -> None:
    one = section(1, service="payments", names=("diskfull",), alerts=("DiskFull",), owner="sre")
    await fill(index, both(one, EAST, words(7)))
    found = await index.sections([uuid(77), "not an id", uuid(6001), one.id])
    assert found == {one.id: one}


async def test_a_page_has_its_sections_in_their_order(index: VectorIndex) -> None:
    first, second = section(1), section(2)
    await fill(
        index,
        both(second, EAST, words(7))
        + both(first, EAST, words(7))
        + both(section(3, page=2), UP, words(7)),
    )
    assert await index.page(uuid(1)) == [first, second]


async def test_a_page_knows_the_tokens_of_its_sections(index: VectorIndex) -> None:
    await fill(
        index,
        both(section(1), EAST, words(7, 2**32 - 1))
        + both(section(2), EAST, words(7, 8))
        + both(section(3, page=2), UP, words(99)),
    )
    assert await index.page_tokens(uuid(1)) == frozenset({7, 8, 2**32 - 1})


async def test_documents_are_told_by_their_points(index: VectorIndex) -> None:
    await fill(
        index,
        both(section(2, page=1), EAST, words(7))
        + both(section(1, page=1), EAST, words(7))
        + both(section(3, page=2, tenant="other", service="search"), UP, words(9)),
    )
    first = IndexedDocument(
        id=uuid(1),
        tenant="acme",
        source="runbooks",
        path="page-1.md",
        hash="hash-1",
        metadata=Metadata(title="Page 1", service="payments", type="runbook"),
        headings=("Part 1", "Part 2"),
        points=4,
    )
    second = IndexedDocument(
        id=uuid(2),
        tenant="other",
        source="runbooks",
        path="page-2.md",
        hash="hash-2",
        metadata=Metadata(title="Page 2", service="search", type="runbook"),
        headings=("Part 3",),
        points=2,
    )
    assert await index.documents() == {uuid(1): first, uuid(2): second}
    assert await index.documents(Filter("other", ("everyone",))) == {uuid(2): second}


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


async def test_a_question_of_another_length_is_refused(index: VectorIndex) -> None:
    await fill(index, both(section(1), EAST, words(7)))
    with pytest.raises(IndexMisconfigured):
        await index.search([SearchRequest(ALL, 5, dense=[1.0, 0.0])])
