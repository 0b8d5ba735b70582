"""Everything that answers from runbooks, put together over one data folder."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from core.answering import Answerer
from core.clock import SystemClock
from core.engines.absent import AbsentEmbedder
from core.engines.edge_index import EdgeIndex
from core.engines.hashing import HashingEmbedder
from core.engines.model_folder import ModelFolder
from core.engines.onnx import OnnxEmbedder
from core.engines.onnx_folder import OnnxFolder
from core.engines.sentence import SentenceEmbedder, find_sentence_model
from core.engines.vector_cache import CachedEmbedder
from core.errors import EmbedderMissing
from core.evidence import Calibration
from core.models import Section
from core.ports import (
    Admission,
    Clock,
    Embedder,
    Indexer,
    Linker,
    Reranker,
    SearchableIndex,
    VectorIndex,
)
from core.retrieval import Retriever
from core.settings import Settings
from core.settings_groups import EmbeddingSettings, QdrantSettings
from core.vocabulary import read_vocabulary
from corpus.build import fingerprint
from corpus.building import ChildBuilds, Children
from corpus.calibrating import BuildCalibrator, Fit, Search
from corpus.calibrations import calibration_for
from corpus.data_folder import DataFolder
from corpus.indexer import SourceIndexer
from corpus.lagging import Lagging
from corpus.links import commit_of, link_to
from corpus.remembered_builds import RememberedBuilds
from corpus.removed_clones import ClearingIndexer
from corpus.rerankers import loaded, reranker_for
from corpus.sources import Source
from corpus.starter import sources_of

HASHING = "hashing"
"""The name, in the settings, of the embedder that needs no model."""


@dataclass(frozen=True, slots=True)
class Judges:
    """What judges a new build: whether it may answer, and how its calibration is fitted."""

    admission: Admission
    fit: Fit


MakeJudges = Callable[[Search, DataFolder], Judges]
"""Makes the judges of one data folder's builds, given how a build is searched."""


@dataclass(frozen=True, slots=True)
class Library:
    """What answers from runbooks, and what keeps it up to date."""

    folder: DataFolder
    index: VectorIndex
    embedder: Embedder
    retriever: Retriever
    answerer: Answerer
    indexer: Indexer
    search: Search
    link: Linker
    sources: tuple[Source, ...]
    reranker: Reranker | None
    lagging: Lagging

    async def ready(self) -> None:
        """Load the reranker, where one is set: what is asked before is answered without it."""
        await loaded(self.reranker)

    @property
    def calibration(self) -> Calibration:
        """Return what outcomes are decided by; a new build may change it."""
        return self.answerer.calibration

    @property
    def stale(self) -> bool:
        """Return whether nothing is indexed, or other sources than those at hand."""
        info = self.index.info
        names = {source.settings.name for source in self.sources}
        return info is None or info.sources.keys() != names


@asynccontextmanager
async def open_library(
    settings: Settings,
    data: Path,
    *,
    sources: Sequence[Path] | None = None,
    embedder: Embedder | None = None,
    calibration: Calibration | None = None,
    clock: Clock | None = None,
    wait: float = 0.0,
    judges: MakeJudges | None = None,
) -> AsyncIterator[Library]:
    """Open the data folder, hold its lock, and put index, embedder and retriever together.

    `sources` are folders in place of the configured sources; without either it is the starter
    corpus. `wait` is how many seconds another process may take to leave the folder; without
    `judges` every build is admitted, and none calibrated. A `calibration` that is given stays. No
    model is loaded before something is embedded; one that is missing leaves the search by keywords.
    A reranker orders what the `retriever` finds, and nothing that `search` does for the judges:
    those compare indexes, and a reranker that is late now and then would be taken for a change.
    An embedder that is given stays open, everything else is closed; and with it every build is made
    in this process, while those of more than a few pages are otherwise made, or for a server at
    least embedded, in another.

    Raises:
        DataFolderBusy: another process holds the folder.
        DataFolderBroken: the folder cannot be used.
        SettingsError: a vocabulary or the calibration cannot be read.
        SourceError: a configured source is of a kind that cannot be read.
    """
    clock = clock or SystemClock()
    folder = DataFolder(data)
    opened = sources_of(
        settings.sources,
        sources,
        settings.limits.file_bytes,
        clones=folder.sources,
        git_seconds=settings.limits.git_seconds,
        tenant=settings.only_tenant,
    )
    vocabulary = await asyncio.to_thread(read_vocabulary, settings.retrieval.vocabulary)
    async with AsyncExitStack() as stack:
        await folder.hold(clock, wait=wait)
        stack.callback(folder.release)
        ours = embedder is None
        if embedder is None:
            embedder = await embedder_for(settings.embedding, folder)
            stack.push_async_callback(embedder.aclose)
        index = await _open_index(settings.qdrant, folder.index, embedder.dimension)
        stack.push_async_callback(index.aclose)
        print_ = fingerprint(embedder, settings.splitter)
        known = await asyncio.to_thread(calibration_for, print_, folder.calibration)

        def search(over: SearchableIndex, reranker: Reranker | None = None) -> Retriever:
            return Retriever(over, embedder, vocabulary, settings.retrieval, reranker)

        threads = min(settings.embedding.threads, _cores())
        reranker = await reranker_for(settings.retrieval.reranker, threads=threads)
        if reranker is not None:
            stack.push_async_callback(reranker.aclose)
        retriever = search(index, reranker)
        answerer = Answerer(retriever, calibration or known, longest=settings.limits.question_chars)
        judged = judges(search, folder) if judges else None
        fit = judged.fit if judged else None
        lagging = Lagging(folder.lagging)
        calibrator = BuildCalibrator(folder.calibration, fit, answerer.recalibrate)
        indexer: Indexer = SourceIndexer(
            index,
            embedder,
            opened,
            settings.splitter,
            clock,
            admission=judged.admission if judged else None,
            calibrator=None if calibration else calibrator,
            children=_children(settings, index, embedder, data) if ours else None,
            memory=embedder if isinstance(embedder, CachedEmbedder) else None,
            lagging=lagging,
        )
        if sources is None and settings.sources:  # none: it may be the settings that are elsewhere
            fetched = [source.name for source in settings.sources if source.git is not None]
            indexer = ClearingIndexer(indexer, folder.sources, fetched)
        yield Library(
            folder=folder,
            index=index,
            embedder=embedder,
            retriever=retriever,
            answerer=answerer,
            indexer=indexer,
            search=search,
            link=_linker(opened, index),
            sources=opened,
            reranker=reranker,
            lagging=lagging,
        )


async def _open_index(settings: QdrantSettings, root: Path, dimension: int) -> VectorIndex:
    """Open the index on the server that is named, or else in the data folder."""
    if settings.url is None:
        return await EdgeIndex.open(root, dimension)
    from core.engines.server_index import ServerIndex  # takes its time to load; most need none

    return await ServerIndex.open(root, dimension, settings)


async def embedder_for(settings: EmbeddingSettings, folder: DataFolder) -> Embedder:
    """Return the embedder that the settings name, its vectors kept in this data folder.

    No model is loaded yet. One that is missing is stood in for by one that always fails.
    """
    if settings.base_url is not None:
        from core.engines.openai_embed import OpenAIEmbedder  # takes its time to load

        return _cached(OpenAIEmbedder(settings), settings, folder)
    if settings.model == HASHING:
        return HashingEmbedder()
    try:
        model = await asyncio.to_thread(find_sentence_model, settings.model)
    except EmbedderMissing as missing:
        return AbsentEmbedder(missing)
    return _cached(_by_backend(settings, model, folder.models), settings, folder)


def _cached(inner: Embedder, settings: EmbeddingSettings, folder: DataFolder) -> Embedder:
    return CachedEmbedder(inner, folder.vectors) if settings.cache else inner


def _by_backend(settings: EmbeddingSettings, model: ModelFolder, models: Path) -> Embedder:
    """Return the embedder of a model; what the model is exported to is put into `models`."""
    model = model.prompted(settings.query_prefix, settings.passage_prefix)
    threads = min(settings.threads, _cores())
    torch = SentenceEmbedder(
        model,
        threads=threads,
        bulk_threads=_cores(),
        batch_size=settings.batch_size,
    )
    if settings.backend == "torch":
        return torch
    return OnnxEmbedder(
        model,
        OnnxFolder(models, model),
        otherwise=torch if settings.backend == "auto" else None,
        threads=threads,
        bulk_threads=_cores(),
        batch_size=settings.batch_size,
    )


def _children(
    settings: Settings, index: VectorIndex, embedder: Embedder, data: Path
) -> Children | None:
    """Return what makes builds in another process, or at least embeds there.

    With a server that goes through the cache; what is not remembered is embedded in this process.
    """
    embedding, splitter = settings.embedding, settings.splitter
    if isinstance(index, EdgeIndex):
        return ChildBuilds(index, embedding, splitter, data)
    if isinstance(embedder, CachedEmbedder):
        return RememberedBuilds(index, embedder, embedding, splitter, data)
    return None


def _cores() -> int:
    """Return the cores that this process may use, where the system can tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _linker(sources: Sequence[Source], index: VectorIndex) -> Linker:
    by_name = {source.settings.name: source for source in sources}

    def link(section: Section) -> str:
        source = by_name.get(section.source)
        if source is None:
            return ""
        commit = commit_of(section, source.settings, index.info)
        return link_to(section, source.settings, commit, source.root)

    return link
