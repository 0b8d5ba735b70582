"""Measurements of a process that answers, as one that serves does: what it holds and how it waits.

Whoever measures these imports no plain tool and cuts no documents: what it has in memory, and what
Python's collections of garbage look at, is what answering takes.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from core.engines.edge_index import EdgeIndex
from core.heap import settled
from core.models import Scope
from core.outcomes import Timing
from core.reports import IndexOptions
from core.retrieval import Retriever
from core.settings_lists import DEFAULT_TENANT
from core.vocabulary import read_vocabulary
from corpus.data_folder import DataFolder
from corpus.library import Library, embedder_for, open_library
from eval.copies import PerturbedEmbedder
from eval.judges import judges_for
from eval.living import data_of
from eval.measuring import Job
from eval.memory import serving_memory
from eval.timing import middle
from eval.watching import Watched, watched

WARM: Final = 5
"""Questions asked before the clock is read."""
UPDATES: Final = 5
"""Times that one page is changed while it is watched whether the loop stands still."""
EMBEDDING_SECONDS: Final = 60.0
"""Seconds that are watched of a build that embeds everything; it would take as long as it does."""


async def _asking(job: Job) -> dict[str, Any]:
    """Measure questions of the index that another process left in the job's folder."""
    async with AsyncExitStack() as stack:
        inner = await embedder_for(job.settings.embedding, DataFolder(job.data))
        stack.push_async_callback(inner.aclose)
        embedder = PerturbedEmbedder(inner, ())  # by its name the index knows its model
        index = await EdgeIndex.open(job.folder, embedder.dimension)
        stack.push_async_callback(index.aclose)
        vocabulary = read_vocabulary(job.settings.retrieval.vocabulary)
        retriever = Retriever(index, embedder, vocabulary, job.settings.retrieval)
        stack.enter_context(settled())
        return await _asked(retriever, job.questions) | serving_memory()


async def _index(job: Job) -> dict[str, Any]:
    """Index a home's runbooks."""
    opened = open_library(job.settings, data_of(job.folder), sources=job.corpus)
    async with opened as library:
        report = await library.indexer.run(IndexOptions(force=True))
        documents = len(await library.index.documents())
    return {"documents": documents, "sections": report.sections, "passages": report.passages}


async def _serving(job: Job) -> dict[str, Any]:
    """Measure what a process holds that has a home's library open and answers."""
    async with _served(job) as library:
        return await _asked(library.retriever, job.questions) | serving_memory()


async def _embedding_anew(job: Job) -> dict[str, Any]:
    """Measure stalls while a build embeds all passages, which is broken off after a minute."""
    embedding = job.settings.embedding.model_copy(update={"cache": False})
    forgetful = job.settings.model_copy(update={"embedding": embedding})
    async with _served(replace(job, settings=forgetful)) as library:

        async def build() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(EMBEDDING_SECONDS):
                    await library.indexer.run(IndexOptions(rebuild=True))

        return {"embedding": _noticed([await _watched(library, build, job.questions)])}


async def _building(job: Job) -> dict[str, Any]:
    """Measure stalls while a whole build of remembered vectors takes over, and pages change."""
    async with _served(job) as library:

        async def build() -> None:
            await library.indexer.run(IndexOptions(rebuild=True))

        async def update() -> None:
            await library.indexer.run(IndexOptions())

        built = await _watched(library, build, job.questions)
        updates = []
        for place in _pages(library)[:UPDATES]:
            _lengthen(place)
            updates.append(await _watched(library, update, job.questions))
    return {"build": _noticed([built]), "update": _noticed(updates)}


METHODS: Final[Mapping[str, Callable[[Job], Coroutine[Any, Any, dict[str, Any]]]]] = {
    "asking": _asking,
    "index": _index,
    "serving": _serving,
    "embedding anew": _embedding_anew,
    "building": _building,
}


@asynccontextmanager
async def _served(job: Job) -> AsyncIterator[Library]:
    """Open a home's library as one that serves does."""
    async with open_library(
        job.settings,
        data_of(job.folder),
        sources=job.corpus,
        judges=judges_for(job.settings),
    ) as library:
        with settled():
            yield library


async def _asked(retriever: Retriever, questions: Sequence[str]) -> dict[str, Any]:
    """Return the median and 95th percentile of what questions take.

    Each is asked once before: a process that serves has read the pages of its index long since.
    """

    async def timing(text: str) -> Timing:
        return (await retriever.find(text, tenant=DEFAULT_TENANT, scope=Scope())).timing

    for text in questions:
        await timing(text)
    timings = [await timing(text) for text in questions]
    return {
        "ms": {
            name: middle([getattr(one, name) for one in timings])
            for name in ("embed", "search", "total")
        }
    }


async def _watched(
    library: Library, work: Callable[[], Awaitable[None]], questions: Sequence[str]
) -> Watched:
    """Return what those notice who ask the library while the work goes on; it is warm by then."""

    async def ask(text: str) -> None:
        await library.answerer.answer(text, tenant=DEFAULT_TENANT, scope=Scope())

    for text in questions[:WARM]:
        await ask(text)
    return await watched(work, ask, questions)


def _pages(library: Library) -> list[Path]:
    """Return the files of the sources that are folders."""
    return [
        source.root / path
        for source in library.sources
        if source.root is not None
        for path in source.listing().files
    ]


def _lengthen(place: Path) -> None:
    with place.open("ab") as file:
        file.write(b"\n\nOne line more.\n")


def _noticed(runs: Sequence[Watched]) -> dict[str, Any]:
    """Return the longest gap of all runs, their median time, and the times of the questions."""
    ms = [one for run in runs for one in run.ms]
    return {
        "runs": len(runs),
        "seconds": median(run.seconds for run in runs),
        "gap_ms": max(run.gap_ms for run in runs),
        "questions": len(ms),
        "ms": middle(ms),
    }
