"""Asking every question of a set, one after the other, and keeping what came."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.answering import Answered, Answerer
from core.errors import NightlampError, UsageError
from core.models import Document, Scope
from core.points import IndexedDocument
from core.ports import Embedder, Linker
from core.reports import IndexOptions, IndexReport
from core.settings import Settings
from core.settings_groups import EmbeddingSettings, QdrantSettings
from corpus.build import fingerprint
from corpus.calibrations import calibration_for
from corpus.data_folder import DataFolder
from corpus.library import HASHING, Library, open_library
from corpus.reading import read_sources
from corpus.starter import sources_of
from eval.dataset import Record, load_questions
from eval.metrics import Score, score
from eval.runfile import RESULTS, RunLine, answered_line, failed_line, line_from
from eval.samples import Ask, breadcrumb
from eval.samples import Told as Told

log = logging.getLogger(__name__)

Keep = Callable[[Mapping[str, Any]], None]
"""Is given each line when its question is finished."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask over which documents: folders, or without any the sources of the settings."""

    settings: Settings
    data: Path
    corpus: tuple[Path, ...]
    questions: tuple[Path, ...]

    @property
    def folders(self) -> tuple[Path, ...] | None:
        """Return the folders, None where the sources of the settings are read."""
        return self.corpus or None


@dataclass(frozen=True, slots=True)
class Run:
    """Every question with its line and score, and what was measured, by name."""

    records: tuple[Record, ...]
    lines: tuple[RunLine, ...]
    scores: tuple[Score, ...]
    measured: Mapping[str, Any]
    failed_files: int


def embedded(settings: Settings) -> Settings:
    """Return settings whose experiments lie in the data folder: a server holds the live index."""
    return settings.model_copy(update={"qdrant": QdrantSettings()})


def without_model(settings: Settings) -> Settings:
    """Return settings that embed by hashing words: no model is loaded, and no server asked."""
    return settings.model_copy(update={"embedding": EmbeddingSettings(model=HASHING)})


async def evaluate(plan: Plan, keep: Keep, told: Told, embedder: Embedder | None = None) -> Run:
    """Bring the evaluation's own build up to date and ask every question of the plan.

    The questions are read first: a broken one is told before anything is embedded. The calibration
    is the data folder's, as it is for whoever asks there.

    Raises:
        DatasetError: the questions do not fit the documents.
        UsageError: there are no documents, or they are of several tenants.
        NightlampError: the documents cannot be read or indexed.
    """
    documents = await documents_of(plan)
    records = await asyncio.to_thread(load_questions, plan.questions, documents)
    tenant, scope = reach_of(documents)
    async with indexed(plan, told, embedder) as (library, report):
        print_ = fingerprint(library.embedder, plan.settings.splitter)
        calibration = library.calibration
        with suppress(Exception):  # loading is no part of a question's time; they tell what fails
            await library.embedder.embed_question("warm")
        await library.ready()
        ask = asking(library.answerer, tenant, scope)
        lines = await ask_all(records, ask, library.link, keep, told)
    return Run(
        records=records,
        lines=tuple(lines),
        scores=tuple(map(score, records, lines)),
        measured={
            "questions": [path.name for path in plan.questions],
            "fingerprint": print_,
            "calibration": calibration.source,
            "calibration_fitted": calibration.fitted,
            "documents": len(documents),
            "sections": report.sections,
            "passages": report.passages,
        },
        failed_files=len(report.failed),
    )


@asynccontextmanager
async def indexed(
    plan: Plan, told: Told, embedder: Embedder | None = None
) -> AsyncIterator[tuple[Library, IndexReport]]:
    """Open the evaluation's own build, brought up to date with the plan's documents.

    It is asked with the calibration of the data folder, as it is for whoever asks there.

    Raises:
        NightlampError: the documents cannot be read or indexed.
    """
    settings, home = plan.settings, DataFolder(plan.data)
    opened = open_library(settings, home.eval, sources=plan.folders, embedder=embedder)
    async with opened as library:
        report = await library.indexer.run(
            IndexOptions(force=True), lambda step: told(step.phase, step.done, step.total)
        )
        print_ = fingerprint(library.embedder, settings.splitter)
        known = await asyncio.to_thread(calibration_for, print_, home.calibration)
        library.answerer.recalibrate(known)
        yield library, report


def asking(answerer: Answerer, tenant: str, scope: Scope, limit: int = RESULTS) -> Ask:
    """Return what asks in one tenant and scope."""

    async def ask(text: str, context: str) -> Answered:
        return await answerer.answer(text, tenant=tenant, scope=scope, context=context, limit=limit)

    return ask


async def documents_of(plan: Plan) -> list[Document]:
    """Return every document of the plan; repositories are fetched into the data folder.

    Raises:
        SourceError: a source cannot be read.
    """
    settings = plan.settings
    sources = sources_of(
        settings.sources,
        plan.folders,
        settings.limits.file_bytes,
        clones=DataFolder(plan.data).sources,
        git_seconds=settings.limits.git_seconds,
        tenant=settings.only_tenant,
    )
    corpus = await read_sources(sources)
    for error in corpus.unread.values():
        raise error
    return list(corpus.documents.values())


def reach_of(documents: Sequence[Document]) -> tuple[str, Scope]:
    """Return the documents' tenant, and the scope that sees all of them.

    Raises:
        UsageError: there are no documents, or they are of several tenants.
    """
    tenants = sorted({document.tenant for document in documents})
    if not tenants:
        raise UsageError("The sources hold no documents: name a folder that does with --corpus.")
    if len(tenants) > 1:
        names = ", ".join(tenants)
        raise UsageError(f"The sources are of several tenants ({names}): name one by --corpus.")
    return tenants[0], whole_scope(documents)


def whole_scope(documents: Iterable[Document | IndexedDocument]) -> Scope:
    """Return the scope that sees all of these documents."""
    labels = {label for one in documents for label in one.metadata.visibility}
    return Scope(visibility=tuple(sorted(labels)))


async def ask_all(
    records: Sequence[Record],
    ask: Ask,
    link: Linker,
    keep: Keep,
    told: Told,
    seconds: Callable[[], float] = time.perf_counter,
) -> list[RunLine]:
    """Ask the questions in their order.

    A question that fails, whatever of, is a line like any other: it counts, and the others are
    still asked. What cannot be kept ends the run, and so do Ctrl-C and being cancelled.
    """
    lines = []
    for number, record in enumerate(records, start=1):
        line = await _line(record, ask, link, seconds)
        keep(line)
        lines.append(line_from(line))
        told("asking", number, len(records))
    return lines


async def _line(
    record: Record, ask: Ask, link: Linker, seconds: Callable[[], float]
) -> Mapping[str, Any]:
    started = seconds()
    try:
        context = await breadcrumb(record.follows, ask)
        started = seconds()
        answered = await ask(record.question, context)
        ms = 1000 * (seconds() - started)
        return answered_line(record.id, record.question, answered, ms, link)
    except NightlampError as error:
        return failed_line(record.id, error, 1000 * (seconds() - started))
    except Exception as error:  # a fault of ours in one question hides no figure of the others
        log.exception("The question %r failed of %s", record.id, type(error).__name__)
        return failed_line(record.id, error, 1000 * (seconds() - started))
