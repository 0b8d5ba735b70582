"""What either home of the index finds, beside an exact search in memory: every shipped question."""

import json
import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from core.engines.edge_index import EdgeIndex
from core.engines.hashing import HashingEmbedder
from core.engines.server_index import ServerIndex
from core.points import BuildInfo, Filter, Frequencies, Point, RawHit, RawHits, SearchRequest
from core.ports import SearchableIndex, VectorIndex
from core.query import keyword_query
from core.settings import Settings
from core.settings_groups import QdrantSettings, SplitterSettings
from core.vocabulary import Vocabulary, read_vocabulary
from corpus.build import points_of
from corpus.reading import read_sources
from corpus.splitters import split
from corpus.starter import StarterSource
from tests import qdrant_standin
from tests.exact_search import QuickIndex
from tests.fakes import FakeIndex
from tests.qdrant_standin import QdrantStandin

EVAL = Path(__file__).parents[2] / "eval"
LIMIT = 25
SMALL = 1e-5
AT_ONCE = 50
"""Requests in one batch."""
LABELS = ("everyone", "secops", "payments-team")
EVERYTHING = Filter("default", None)
NARROWED = (
    Filter("default", None, service=("payments", "platform")),
    Filter("default", ("everyone", "secops")),
)
OTHERS = (
    Filter("default", ("everyone",), type=("postmortem",)),
    Filter("default", ()),
    Filter("somebody", None),
)

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Homes:
    """The starter corpus in both homes and in memory; a third of its pages for each label."""

    points: Sequence[Point]
    memory: QuickIndex
    edge: EdgeIndex
    server: ServerIndex
    embedder: HashingEmbedder
    vocabulary: Vocabulary
    frequencies: Frequencies

    async def request(self, question: str, where: Filter) -> SearchRequest:
        words = keyword_query(question, self.frequencies, self.vocabulary)
        vector = await self.embedder.embed_question(question)
        return SearchRequest(
            where, LIMIT, dense=vector, passage=words.passage, section=words.section
        )


@pytest.fixture
async def homes(tmp_path: Path) -> AsyncIterator[Homes]:
    embedder = HashingEmbedder()
    points, documents = await starter_points(embedder)
    async with QdrantStandin() as standin:
        told = QdrantSettings(url=standin.url, timeout=60, exact=True)
        memory = QuickIndex(embedder.dimension)
        edge = await EdgeIndex.open(tmp_path / "edge", embedder.dimension)
        server = await ServerIndex.open(tmp_path / "server", embedder.dimension, told)
        for home in (memory, edge, server):
            await put(home, points, documents, embedder.dimension)
        vocabulary = read_vocabulary(Settings.model_validate({}).retrieval.vocabulary)
        yield Homes(points, memory, edge, server, embedder, vocabulary, memory.frequencies)
        await edge.aclose()
        await server.aclose()


async def test_both_homes_rank_every_shipped_question_as_an_exact_search_in_memory(
    homes: Homes,
) -> None:
    questions = [*shipped("questions.jsonl"), *shipped("questions-oblique.jsonl")]
    assert len(questions) == 392
    wheres = [
        (EVERYTHING, NARROWED[number % len(NARROWED)], *OTHERS[number % 20 : number % 20 + 1])
        for number in range(len(questions))
    ]
    asked = [
        await homes.request(question, where)
        for question, some in zip(questions, wheres, strict=True)
        for where in some
    ]
    wanted = await found(homes.memory, asked)
    for where in (EVERYTHING, *NARROWED, OTHERS[0]):
        hits = [len(one.dense) for one, a in zip(wanted, asked, strict=True) if a.where == where]
        assert min(hits) == LIMIT
    assert homes.frequencies == homes.edge.frequencies == homes.server.frequencies
    assert differing(await found(homes.edge, asked), wanted) == []
    assert differing(await found(homes.server, asked), wanted) == []


async def test_the_quick_searches_of_this_test_find_what_those_they_stand_for_find(
    homes: Homes, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        await homes.request(question, where)
        for question in shipped("questions.jsonl")[::49]
        for where in (EVERYTHING, *NARROWED, *OTHERS)
    ]
    plain = FakeIndex(homes.embedder.dimension)
    plain.points = homes.memory.points
    wanted = await homes.memory.search(asked)
    assert differing(await plain.search(asked), wanted) == []
    monkeypatch.setattr(qdrant_standin, "MANY", math.inf)
    assert differing(await homes.server.search(asked[::6]), wanted[::6]) == []


def shipped(name: str) -> list[str]:
    lines = (EVAL / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


async def starter_points(embedder: HashingEmbedder) -> tuple[list[Point], int]:
    corpus = await read_sources([StarterSource()])
    cuts = [
        split(one, SplitterSettings(), lambda piece: embedder.count_tokens(piece) <= 256)
        for one in corpus.documents.values()
    ]
    texts = [passage.embedded for cut in cuts for passage in cut.passages]
    points = points_of(cuts, await embedder.embed_passages(texts))
    label = {id_: LABELS[number % 3] for number, id_ in enumerate(sorted(corpus.documents))}
    return [
        replace(p, payload={**p.payload, "visibility": (label[p.payload["document_id"]],)})
        for p in points
    ], len(cuts)


async def put(index: VectorIndex, points: Sequence[Point], documents: int, dimension: int) -> None:
    build = await index.begin(from_live=False)
    await build.upsert(points)
    counts = build.frequencies
    info = BuildInfo(
        build.id, "print", datetime(2030, 1, 1, tzinfo=UTC), {}, documents,
        counts.sections, counts.passages, dimension,
    )  # fmt: skip
    await build.seal(info)
    await build.activate()


async def found(home: SearchableIndex, asked: Sequence[SearchRequest]) -> list[RawHits]:
    waiting, all_hits = iter(asked), list[RawHits]()
    while some := list(islice(waiting, AT_ONCE)):
        all_hits += await home.search(some)
    return all_hits


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
