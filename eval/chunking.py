"""Splitters, breadcrumb, halves of the search, filters, models, rerankers: on one question set.

Each way of cutting is indexed in a folder of its own below the data folder; every passage is
embedded once for all, so that a second run costs no embedding and an interrupted one goes on.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from core.answering import Answered, Answerer
from core.errors import RerankerError, UsageError
from core.models import Document, Scope
from core.ports import Reranker
from core.reports import IndexOptions
from core.retrieval import Retriever
from core.settings import Settings, with_values
from core.settings_groups import NO_RERANKER
from core.vocabulary import Vocabulary, read_vocabulary
from corpus.data_folder import DataFolder
from corpus.library import HASHING, Library, embedder_for, open_library
from corpus.rerankers import reranker_for
from eval.dataset import Record, answerable_of, load_questions
from eval.folders import made
from eval.metrics import Score, score
from eval.remembering import RememberingEmbedder
from eval.run import Plan, Told, ask_all, documents_of, reach_of, without_model
from eval.runfile import RESULTS
from eval.ways import (
    CUTTINGS,
    PAGE_CARDS,
    SEARCHES,
    Cutting,
    Row,
    Way,
    chosen,
    filter_json,
    row_json,
)

FOLDER = "chunking"
PATIENCE = 60.0
"""Seconds that a reranker may take here: what is compared is its order, not this machine's load."""
_FILTER = "mix"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What to compare: models and rerankers, the first of each the default, and splitters."""

    plan: Plan
    models: tuple[str, ...]
    rerankers: tuple[str, ...]
    cuttings: tuple[Cutting, ...] = CUTTINGS

    @property
    def fake(self) -> bool:
        """Return whether no model is asked: the wiring runs, and the figures mean nothing."""
        return self.models == (HASHING,)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The questions of a comparison, and where they are asked."""

    records: tuple[Record, ...]
    services: tuple[str, ...]
    tenant: str
    scope: Scope
    vocabulary: Vocabulary
    rerankers: Mapping[str, Reranker | None]


async def compare(comparison: Comparison, told: Told) -> dict[str, Any]:
    """Ask every answerable question in every way, and return the result as plain values.

    Raises:
        DatasetError: the questions do not fit the documents.
        UsageError: no question has an answer, there are no documents or several tenants, or a
            reranker cannot be loaded.
        EmbedderError: a model cannot be used.
        NightlampError: the documents cannot be read or indexed.
    """
    plan = comparison.plan
    documents = await documents_of(plan)
    async with _opened(comparison) as rerankers:
        asked = await _asked(plan, documents, rerankers)
        await _check_models(comparison)
        rows: list[Row] = []
        for model in comparison.models:
            settings = _embedding_by(model, plan.settings)
            rows += [row async for row in _rows_of(comparison, settings, model, asked, told)]
    return _result(comparison, asked, rows, len(documents))


def _embedding_by(model: str, settings: Settings) -> Settings:
    if model == HASHING:
        return without_model(settings)
    return with_values(settings, {"embedding.model": model})


@asynccontextmanager
async def _opened(comparison: Comparison) -> AsyncIterator[Mapping[str, Reranker | None]]:
    """Load every reranker, before anything is embedded, and yield them by their names.

    Whatever has to be fetched is fetched first: once a model is loaded, no network is asked.
    """
    settings = comparison.plan.settings
    for model in comparison.models:
        embedding = _embedding_by(model, settings).embedding
        await (await embedder_for(embedding, DataFolder(comparison.plan.data))).aclose()
    threads = settings.embedding.threads
    found = {name: await reranker_for(name, threads=threads) for name in comparison.rerankers}
    async with AsyncExitStack() as stack:
        for reranker in filter(None, found.values()):
            stack.push_async_callback(reranker.aclose)
            try:
                await reranker.load()
            except RerankerError as error:
                raise UsageError(str(error)) from error
        yield found


async def _check_models(comparison: Comparison) -> None:
    """Have every model embed a text: else the last may fail when the others have run for hours.

    Raises:
        EmbedderError: one is not there, or fails.
        DataFolderBroken: the folder of the builds cannot be made.
    """
    home = await asyncio.to_thread(made, DataFolder(comparison.plan.data).eval)
    for model in comparison.models:
        embedding = _embedding_by(model, comparison.plan.settings).embedding
        embedder = await embedder_for(embedding, DataFolder(home))
        try:
            await embedder.embed_question("warm")
        finally:
            await embedder.aclose()


async def _asked(
    plan: Plan, documents: Sequence[Document], rerankers: Mapping[str, Reranker | None]
) -> _Asked:
    records = await asyncio.to_thread(load_questions, plan.questions, documents)
    answerable = answerable_of(records)
    services = {(one.source, one.path): one.metadata.service for one in documents}
    tenant, scope = reach_of(documents)
    return _Asked(
        records=answerable,
        services=tuple(
            services[record.relevant[0].source, record.relevant[0].path] for record in answerable
        ),
        tenant=tenant,
        scope=scope,
        vocabulary=await asyncio.to_thread(read_vocabulary, plan.settings.retrieval.vocabulary),
        rerankers=rerankers,
    )


async def _rows_of(
    comparison: Comparison, settings: Settings, model: str, asked: _Asked, told: Told
) -> AsyncIterator[Row]:
    """Yield the rows of one model, each index made once for all ways to search it."""
    home = DataFolder(comparison.plan.data)
    embedder = RememberingEmbedder(await embedder_for(settings.embedding, DataFolder(home.eval)))
    try:
        for cutting in comparison.cuttings:
            for breadcrumb in (True, False):
                values = {**cutting.splitter, "splitter.breadcrumb": str(breadcrumb).lower()}
                # Here the rerankers are opened once for all indexes, not by each.
                cut = with_values(settings, {**values, "retrieval.reranker": NO_RERANKER})
                first = Way(model, "", breadcrumb, "", "")
                async with _indexed(comparison, cut, embedder, first, told) as (library, passages):
                    for way, chosen_values in _ways(first, cutting, comparison.rerankers):
                        told(_named(way), 0, len(asked.records))
                        retrieval = with_values(cut, chosen_values)
                        scores, late = await _scores(library, retrieval, way, asked, told)
                        yield Row(way, passages, scores, late)
    finally:
        await embedder.aclose()


@asynccontextmanager
async def _indexed(
    comparison: Comparison, settings: Settings, embedder: RememberingEmbedder, way: Way, told: Told
) -> AsyncIterator[tuple[Library, int]]:
    """Open an index of the documents as they are cut here; yield it with its passages' number."""
    plan = comparison.plan
    data = DataFolder(plan.data).eval / FOLDER
    opened = open_library(settings, data, sources=plan.folders, embedder=embedder)
    async with opened as library:
        name = f"{settings.splitter.kind} {settings.splitter.piece_chars or ''}".strip()
        bare = "" if way.breadcrumb else ", bare"
        report = await library.indexer.run(
            IndexOptions(force=True),
            lambda step: told(f"{way.model}, {name}{bare}: {step.phase}", step.done, step.total),
        )
        yield library, report.passages


def _ways(
    first: Way, cutting: Cutting, rerankers: Sequence[str]
) -> list[tuple[Way, Mapping[str, str]]]:
    """Return the ways to search one index, each with its settings.

    The filter and the rerankers but for the first are tried once, on cards of the whole mix: to
    rerank takes a hundred times as long as to search.
    """
    ways: list[tuple[Way, Mapping[str, str]]] = []
    for shown, results in cutting.shown.items():
        for search, half in SEARCHES.items():
            values = {**results, **half}
            way = replace(first, shown=shown, search=search, reranker=rerankers[0])
            ways.append((way, values))
            if (shown, search, first.breadcrumb) == (PAGE_CARDS, _FILTER, True):
                ways.append((replace(way, filtered=True), values))
                ways += [(replace(way, reranker=other), values) for other in rerankers[1:]]
    return ways


async def _scores(
    library: Library, settings: Settings, way: Way, asked: _Asked, told: Told
) -> tuple[tuple[Score, ...], int]:
    """Return how the questions went, and for how many a reranker failed or is late for a chat."""
    patient = settings.retrieval.model_copy(update={"reranker_seconds": PATIENCE})
    reranker = asked.rerankers[way.reranker]
    retriever = Retriever(library.index, library.embedder, asked.vocabulary, patient, reranker)
    longest = settings.limits.question_chars
    answerer = Answerer(retriever, library.calibration, longest=longest)
    scopes = _scopes(asked, filtered=way.filtered)

    limit = 1000 * settings.retrieval.reranker_seconds
    late: set[str] = set()

    async def ask(text: str, context: str) -> Answered:
        answered = await answerer.answer(
            text, tenant=asked.tenant, scope=scopes[text], context=context, limit=RESULTS
        )
        found = answered.finding
        if reranker and found and (found.unranked or found.timing.search > limit):
            late.add(text)
        return answered

    def progress(_: str, done: int, total: int) -> None:
        told(_named(way), done, total)

    lines = await ask_all(asked.records, ask, library.link, lambda line: None, progress)
    scores = tuple(map(score, asked.records, lines))
    return scores, sum(record.question in late for record in asked.records)


def _scopes(asked: _Asked, *, filtered: bool) -> dict[str, Scope]:
    """Return the scope of every text: all, or the service of the page that answers."""
    scopes: dict[str, Scope] = {}
    for record, service in zip(asked.records, asked.services, strict=True):
        scope = replace(asked.scope, service=(service,)) if filtered and service else asked.scope
        scopes |= {record.question: scope, record.follows: scope}
    return scopes


def _named(way: Way) -> str:
    extras = ("" if way.breadcrumb else ", bare") + (", by service" if way.filtered else "")
    extras += "" if way.reranker == NO_RERANKER else f", reranked by {way.reranker}"
    return f"{way.model}, {way.shown}{extras}: {way.search}"


def _result(
    comparison: Comparison, asked: _Asked, rows: Sequence[Row], documents: int
) -> dict[str, Any]:
    open_rows = [row for row in rows if not row.way.filtered]
    default = next(row for row in open_rows if row.way == _default(comparison))
    narrowed = next(r for r in rows if r.way == replace(_default(comparison), filtered=True))
    best = chosen(open_rows)
    return {
        "kind": "chunking",
        "fake": comparison.fake,
        "questions": [path.name for path in comparison.plan.questions],
        "documents": documents,
        "models": list(comparison.models),
        "default": open_rows.index(default),
        "chosen": open_rows.index(best),
        "rows": [row_json(row, default) for row in open_rows],
        "filter": filter_json(default, narrowed, asked.services),
    }


def _default(comparison: Comparison) -> Way:
    """Return what the settings do when nothing is set."""
    return Way(comparison.models[0], PAGE_CARDS, True, "mix", comparison.rerankers[0])
