"""Documents in an index in memory, as the indexer would put them there."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from core.answering import Answerer
from core.evidence import Calibration
from core.keywords import passage_vector, section_vector
from core.models import CutDocument, Document
from core.points import BuildInfo, Point, passage_point, searchable, section_point
from core.ports import Embedder
from core.retrieval import Retriever
from core.settings_groups import RetrievalSettings
from core.settings_lists import SourceSettings
from core.vocabulary import parse_vocabulary
from corpus.loader import load
from corpus.splitter import cut
from tests.fakes import SCRIPTED_CALIBRATION, FakeIndex

VOCABULARY = parse_vocabulary(["undo | roll back"])


def page(path: str, text: str, *, tenant: str = "acme") -> Document:
    """Return the document that a file would become."""
    source = SourceSettings(name="runbooks", path=Path("nowhere"), tenant=tenant)
    return load(text.encode(), path, source).document


async def put(index: FakeIndex, embedder: Embedder, documents: Sequence[Document]) -> None:
    """Make these documents all that the index holds."""
    build = await index.begin(from_live=False)
    cuts = [cut(one, fits=lambda text: embedder.count_tokens(text) <= 256) for one in documents]
    points = [point for one in cuts for point in await _points(one, embedder)]
    await build.upsert(points)
    kinds = [point.payload["kind"] for point in points]
    await build.seal(
        BuildInfo(
            id=build.id,
            fingerprint=embedder.fingerprint,
            created_at=datetime(2030, 1, 7, tzinfo=UTC),
            sources={"runbooks": ""},
            documents=len(documents),
            sections=kinds.count("section"),
            passages=kinds.count("passage"),
            dimension=embedder.dimension,
        )
    )
    await build.activate()


async def indexed(embedder: Embedder, documents: Sequence[Document]) -> FakeIndex:
    """Return a new index that holds these documents."""
    index = FakeIndex(embedder.dimension)
    await put(index, embedder, documents)
    return index


def retriever_of(index: FakeIndex, embedder: Embedder, *, fusion: str = "mix") -> Retriever:
    settings = RetrievalSettings.model_validate({"fusion": fusion})
    return Retriever(index, embedder, VOCABULARY, settings)


def answerer_of(
    index: FakeIndex, embedder: Embedder, calibration: Calibration = SCRIPTED_CALIBRATION
) -> Answerer:
    return Answerer(retriever_of(index, embedder), calibration)


async def _points(cut_document: CutDocument, embedder: Embedder) -> list[Point]:
    sections = {section.id: section for section in searchable(cut_document)}
    passages = cut_document.passages
    vectors = await embedder.embed_passages([passage.embedded for passage in passages])
    counts = [passage.section_id for passage in passages]
    return [
        *(section_point(s, section_vector(s), counts.count(s.id)) for s in sections.values()),
        *(
            passage_point(sections[p.section_id], p, vector, passage_vector(p.embedded))
            for p, vector in zip(passages, vectors, strict=True)
        ),
    ]
