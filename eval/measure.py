"""Measurements of the benchmark: embedding, indexing, and the plain tools beside them."""

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final

from core.clock import SystemClock
from core.engines.edge_index import EdgeIndex
from core.models import CutDocument, Document, Vector
from core.points import Frequencies
from core.ports import Embedder
from core.query import keyword_query
from core.reports import IndexOptions
from core.settings_groups import SplitterSettings
from core.settings_lists import DEFAULT_TENANT
from core.vocabulary import read_vocabulary
from corpus.build import points_of
from corpus.data_folder import DataFolder
from corpus.indexer import SourceIndexer
from corpus.library import embedder_for
from corpus.loader import load
from corpus.splitters import split
from eval.copies import CopiesSource, PerturbedEmbedder
from eval.local_mode import MOST, LocalMode
from eval.measure_serving import WARM
from eval.measuring import Job
from eval.memory import peak_mb
from eval.plain import WINDOW, PlainKeywords, PlainVectors, sections_of
from eval.recall import measure_recall
from eval.timing import middle

_SAMPLE = 256
"""Passages that the speed of embedding is measured on."""
_LIMIT = 120


async def _embedding(job: Job) -> dict[str, Any]:
    """Measure how many passages a second the model embeds, none of them remembered."""
    uncached = job.settings.embedding.model_copy(update={"cache": False})
    embedder = await embedder_for(uncached, DataFolder(job.data))
    texts = [p.embedded for cut in _cuts(job, embedder, job.documents) for p in cut.passages]
    await embedder.embed_passages(texts[:WARM])
    started = time.perf_counter()
    await embedder.embed_passages(texts[:_SAMPLE])
    seconds = time.perf_counter() - started
    await embedder.aclose()
    return {"passages": len(texts[:_SAMPLE]), "per_second": len(texts[:_SAMPLE]) / seconds}


async def _nightlamp(job: Job) -> dict[str, Any]:
    """Measure a cold index without embedding, one unchanged and one with a change.

    The index is left in the job's folder, where another process asks it: one that has cut and
    written so much answers in up to twice the time.
    """
    async with AsyncExitStack() as stack:
        embedder, source = await _prepared(job, stack)
        before = peak_mb()
        index = await EdgeIndex.open(job.folder, embedder.dimension)
        stack.push_async_callback(index.aclose)
        splitter = job.settings.splitter
        indexer = SourceIndexer(index, embedder, [source], splitter, SystemClock())
        cold = await indexer.run(IndexOptions(force=True))
        unchanged = await indexer.run(IndexOptions(force=True))
        source.changed.add(source.listing().files[0])
        changed = await indexer.run(IndexOptions(force=True))
    return {
        "documents": len(source.listing().files),
        "sections": cold.sections,
        "passages": cold.passages,
        "index_per_second": cold.passages / cold.seconds,
        "unchanged_seconds": unchanged.seconds,
        "changed_seconds": changed.seconds,
        "before_mb": round(before, 1),
    }


async def _recall(job: Job) -> dict[str, Any]:
    """Measure what approximate search finds of exact search, and both their times."""
    async with AsyncExitStack() as stack:
        embedder, _ = await _prepared(job, stack)
        questions = [await embedder.embed_question(text) for text in job.questions]
        vectors = [*map(list, embedder.perturbed(job.size).tolist())]
        return measure_recall(job.folder / "shard", vectors, questions)


async def _keywords(job: Job) -> dict[str, Any]:
    """Measure plain BM25 over whole sections."""
    async with AsyncExitStack() as stack:
        embedder, source = await _prepared(job, stack)
        cuts = _cuts(job, embedder, _read(source))
    texts = [section.text for section in sections_of(cuts)]
    started = time.perf_counter()
    plain = PlainKeywords(texts)
    seconds = time.perf_counter() - started
    return {
        "rows": len(texts),
        "index_per_second": len(texts) / seconds,
        "ms": _timed(plain.find, job.questions),
    }


async def _windows(job: Job) -> dict[str, Any]:
    """Measure exact cosine search over windows of 500 characters."""
    async with AsyncExitStack() as stack:
        embedder, source = await _prepared(job, stack)
        settings = SplitterSettings.model_validate(WINDOW)
        count = sum(len(split(d, settings, lambda _: True).sections) for d in _read(source))
        plain = PlainVectors(embedder.perturbed(count))
        vectors = [await embedder.embed_question(text) for text in job.questions]
    return {"rows": count, "ms": _timed(plain.find, vectors)}


async def _local(job: Job) -> dict[str, Any]:
    """Measure qdrant-client's local mode with the points that we write, asked for our lists."""
    async with AsyncExitStack() as stack:
        embedder, source = await _prepared(job, stack)
        cuts = _cuts(job, embedder, _read(source))
        vectors = await embedder.embed_passages([p.id for cut in cuts for p in cut.passages])
        points = points_of(cuts, vectors)
        if len(points) > MOST:
            return {"rows": len(points), "skipped": f"made for {MOST:,} points at most"}
        local = LocalMode(job.folder, embedder.dimension)
        stack.callback(local.close)
        started = time.perf_counter()
        local.write(points)
        seconds = time.perf_counter() - started
        asked = await _asked(job, embedder)
        ms = _timed(lambda one: local.find(one[0], one[1], DEFAULT_TENANT, _LIMIT), asked)
    return {"rows": len(points), "index_per_second": len(points) / seconds, "ms": ms}


METHODS: Final[Mapping[str, Callable[[Job], Coroutine[Any, Any, dict[str, Any]]]]] = {
    "embedding": _embedding,
    "nightlamp": _nightlamp,
    "recall": _recall,
    "bm25": _keywords,
    "windows": _windows,
    "local": _local,
}


async def _prepared(job: Job, stack: AsyncExitStack) -> tuple[PerturbedEmbedder, CopiesSource]:
    """Return an embedder that perturbs the real vectors, and so many copies as the size needs."""
    inner = await embedder_for(job.settings.embedding, DataFolder(job.data))
    stack.push_async_callback(inner.aclose)
    cuts = _cuts(job, inner, job.documents)
    texts = [passage.embedded for cut in cuts for passage in cut.passages]
    embedder = PerturbedEmbedder(inner, await inner.embed_passages(texts))
    await inner.embed_question("warm")
    count = max(1, round(job.size * len(job.documents) / len(texts)))
    return embedder, CopiesSource(job.documents, count)


def _read(source: CopiesSource) -> list[Document]:
    return [
        load(source.read(path), path, source.settings).document for path in source.listing().files
    ]


def _cuts(job: Job, embedder: Embedder, documents: Sequence[Document]) -> list[CutDocument]:
    def fits(text: str) -> bool:
        return embedder.count_tokens(text) <= embedder.window

    return [split(document, job.settings.splitter, fits) for document in documents]


async def _asked(job: Job, embedder: Embedder) -> list[tuple[Vector, Any]]:
    """Return each question's vector and keywords, weighed as in an index of nothing."""
    vocabulary = read_vocabulary(job.settings.retrieval.vocabulary)
    return [
        (await embedder.embed_question(text), keyword_query(text, Frequencies(), vocabulary))
        for text in job.questions
    ]


def _timed(work: Callable[[Any], object], asked: Sequence[Any]) -> dict[str, float]:
    """Return p50 and p95 of the milliseconds that each takes, after some to warm up."""
    for one in asked[:WARM]:
        work(one)
    taken = []
    for one in asked:
        started = time.perf_counter()
        work(one)
        taken.append(1000 * (time.perf_counter() - started))
    return middle(taken)
