"""Speed and memory at several sizes, and what a plain tool takes and finds beside it.

Every measurement has a process of its own, and a folder that is gone afterwards. The baselines run
in the same run on the same machine, so that what is claimed of speed is a ratio.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from core.errors import UsageError
from core.models import Document
from core.settings_groups import SplitterSettings
from corpus.data_folder import DataFolder
from corpus.library import HASHING, embedder_for
from corpus.splitters import split
from eval.dataset import Kind, Record, answerable_of, load_questions
from eval.machine import machine
from eval.measures import Measures
from eval.measuring import COMMAND
from eval.metrics import Score, score
from eval.plain import (
    WINDOW,
    PlainKeywords,
    PlainVectors,
    asked_text,
    plain_line,
    read_text,
    sections_of,
)
from eval.recall import SIZE
from eval.run import Plan, Told, documents_of, evaluate
from eval.summary import differences, means_of

SIZES: Final = (1_000, 10_000, 100_000)
NO_SIZES: Final = "none"
BASELINES: Final = ("bm25", "windows", "local")
ASKED: Final = 100
"""Questions that are timed."""
COMPARED: Final = ("mrr10", "recall5", "read2500", "chars5")


@dataclass(frozen=True, slots=True)
class Bench:
    """What to measure: how many passages, and whether the baselines too.

    Without sizes nothing is timed: what is found is compared with what the baselines find.
    """

    plan: Plan
    sizes: tuple[int, ...]
    baseline: bool


def sizes_from(typed: str) -> tuple[int, ...]:
    """Read sizes as they are typed: `1000,10000`, or `1k,10k`; empty gives the usual three.

    `none` gives none.

    Raises:
        UsageError: one is no number above zero.
    """
    if typed.strip().lower() == NO_SIZES:
        return ()
    sizes = []
    for word in filter(None, (word.strip().lower() for word in typed.split(","))):
        number = word.removesuffix("k")
        if not number.isdecimal() or not int(number):
            raise UsageError(f"--sizes wants numbers of passages, not {word!r}.")
        sizes.append(int(number) * (1000 if word.endswith("k") else 1))
    return tuple(sizes) or SIZES


async def run_bench(
    bench: Bench, told: Told, *, command: Sequence[str] = COMMAND
) -> dict[str, Any]:
    """Measure, and return the result as plain values; `command` starts a measurement's process.

    Memory is in MB (10^6 bytes), `ms` are p50 and p95. `sizes` has what indexing takes and, of a
    process that only answers, `ms` and `serving_mb` (`serving_memory`: resident now, or the peak).
    Over the plan's own documents: `serving` the same, `ask` the seconds of `nightlamp ask` as a
    command, and `stall` the longest gap of the event loop (`gap_ms`) and the questions asked
    meanwhile: while all is embedded (`embedding`: the first minute of it), while a build of
    remembered vectors is made and takes over (`build`), while one page is brought in (`update`).
    `backends` are passages a second of onnxruntime and of torch and their `ratio`; None where not
    both run the model. Without sizes there is only `quality`.

    Raises:
        DatasetError: the questions do not fit the documents.
        NightlampError: the documents cannot be read, or the model cannot be used.
    """
    plan = bench.plan
    documents = await documents_of(plan)
    records = await asyncio.to_thread(load_questions, plan.questions, documents)
    quality = await compare_plain(plan, documents, records, told) if bench.baseline else None
    fake = plan.settings.embedding.model == HASHING
    if not bench.sizes:
        return {"kind": "bench", "fake": fake, "sizes": [], "quality": quality}
    questions = tuple(record.question for record in records[:ASKED])
    baselines = BASELINES if bench.baseline else ()
    measures = Measures(
        plan, bench.sizes, baselines, tuple(documents), questions, told, command=command
    )
    embedding, backends = await measures.embedding()
    return {
        "kind": "bench",
        "fake": fake,
        "machine": machine(),
        "questions": len(questions),
        "embedding": embedding,
        "backends": backends,
        "recall": await measures.alone("recall", min(SIZE, max(bench.sizes))),
        "sizes": [await measures.of_size(size) for size in bench.sizes],
        **await measures.of_documents(),
        "quality": quality,
    }


async def compare_plain(
    plan: Plan, documents: Sequence[Document], records: Sequence[Record], told: Told
) -> dict[str, Any]:
    """Ask the same questions of the default, of plain BM25 and of plain dense search."""
    run = await evaluate(plan, lambda line: None, told)
    ours = [one for one in run.scores if one.kind is Kind.ANSWERABLE]
    answerable = answerable_of(records)
    words = await asyncio.to_thread(_by_words, plan, documents, answerable)
    windows = await _by_windows(plan, documents, answerable)
    return {
        "questions": len(answerable),
        "failed": sum(one.failed for one in ours),
        "nightlamp": _means(ours),
        "bm25": _means(words) | {"ours_minus_theirs": _ahead(ours, words)},
        "windows": _means(windows) | {"ours_minus_theirs": _ahead(ours, windows)},
    }


def _by_words(plan: Plan, documents: Sequence[Document], records: Sequence[Record]) -> list[Score]:
    splitter = plan.settings.splitter
    sections = sections_of([split(one, splitter, lambda _: True) for one in documents])
    plain = PlainKeywords([read_text(section) for section in sections])
    return [
        score(record, plain_line(record, [sections[at] for at in plain.find(asked_text(record))]))
        for record in records
    ]


async def _by_windows(
    plan: Plan, documents: Sequence[Document], records: Sequence[Record]
) -> list[Score]:
    splitter = SplitterSettings.model_validate(WINDOW)
    windows = sections_of([split(one, splitter, lambda _: True) for one in documents])
    embedder = await embedder_for(plan.settings.embedding, DataFolder(DataFolder(plan.data).eval))
    try:
        plain = PlainVectors(await embedder.embed_passages([read_text(one) for one in windows]))
        scores = []
        for record in records:
            vector = await embedder.embed_question(asked_text(record))
            found = [windows[at] for at in plain.find(vector)]
            scores.append(score(record, plain_line(record, found)))
    finally:
        await embedder.aclose()
    return scores


def _means(scores: Sequence[Score]) -> dict[str, Any]:
    return {name: asdict(one) for name, one in means_of(COMPARED, scores).items()}


def _ahead(ours: Sequence[Score], theirs: Sequence[Score]) -> dict[str, Any]:
    """Return ours − theirs, question by question."""
    return {name: asdict(one) for name, one in differences(COMPARED, ours, theirs).items()}
