"""What every index promises of a search: all homes rank as an exact search in memory does.

The homes are the fake, Qdrant Edge, and a server twice: as the client's local mode, and behind the
REST stand-in.
"""

import math
import random

import pytest

from core.errors import IndexMisconfigured
from core.models import Metadata
from core.points import Filter, IndexedDocument, Point, RawHits, SearchRequest, SparseVector
from core.ports import VectorIndex
from tests.fakes import FakeIndex
from tests.index_points import (
    ALL,
    DIMENSION,
    EAST,
    NORTH,
    UP,
    WEST,
    both,
    fill,
    hit,
    section,
    uuid,
    words,
)

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
    asked = [uuid(77), "not an id", uuid(6001), one.id]
    assert await index.sections(asked) == {one.id: one}
    assert await index.lengths(asked) == {one.id: len(one.span)}


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


async def test_a_question_of_another_length_is_refused(index: VectorIndex) -> None:
    await fill(index, both(section(1), EAST, words(7)))
    with pytest.raises(IndexMisconfigured):
        await index.search([SearchRequest(ALL, 5, dense=[1.0, 0.0])])
