"""`calibrate`: when to answer and when to refuse, fitted for one model over one corpus.

From labelled questions, or from the corpus alone (eval/headings.py). Either way what is reported
was decided by a calibration that had not seen the question. It goes to the data folder, under the
fingerprint of the index, and is used from the next build or start on.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.errors import UsageError
from core.evidence import Calibration, decide
from core.outcomes import Finding
from core.ports import Embedder
from core.recording import kind_of
from corpus.build import fingerprint
from corpus.calibrating import write_calibration
from corpus.calibrations import SHIPPED
from corpus.data_folder import DataFolder
from eval.dataset import Kind, load_questions
from eval.fitting import Fitting, Judged, check_enough, held_out
from eval.headings import ask_with_page, ask_without_page, fitted_on, headings_of
from eval.run import Plan, Told, asking, documents_of, indexed, reach_of
from eval.samples import Sample, sampled
from eval.summary import auroc


@dataclass(frozen=True, slots=True)
class Labelled:
    """A calibration from questions.

    `outcomes` and `confidences` are of the samples in their order, each by what was fitted without
    it; `others` is what the other choice of questions for the lower cut-off would have given.
    """

    calibration: Calibration
    judged: Judged
    samples: tuple[Sample, ...]
    outcomes: tuple[str, ...]
    confidences: tuple[float, ...]
    others: Mapping[Judged, tuple[Calibration, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """A calibration from headings: outcomes of headings without their page, and with it."""

    calibration: Calibration
    without_page: tuple[str, ...]
    with_page: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Separation:
    """How well answerable questions are told from others (AUROC; 0.5 is by chance).

    By the confidence of what was fitted without the question, and by the best cosine alone.
    """

    confidence: float
    cosine: float


async def calibrate(
    plan: Plan,
    told: Told,
    today: date,
    *,
    judged: Judged = "top3",
    embedder: Embedder | None = None,
) -> Labelled | Unlabelled:
    """Fit a calibration from the plan's questions, or without any from its corpus, and write it.

    Raises:
        DatasetError: the questions do not fit the documents.
        UsageError: there are too few questions or headings.
        NightlampError: the documents cannot be indexed, or the file cannot be written.
    """
    documents = await documents_of(plan)
    records = await asyncio.to_thread(load_questions, plan.questions, documents)
    tenant, scope = reach_of(documents)
    async with indexed(plan, told, embedder) as (library, _):
        found: Labelled | Unlabelled
        if records:
            ask = asking(library.answerer, tenant, scope)
            samples = await sampled(records, ask, told)
            source = _source(len(samples), len(documents), plan.questions, today)
            found = await asyncio.to_thread(labelled, samples, judged, source)
        else:
            headings = await headings_of(library.index)
            without = await ask_without_page(library.index, library.search, headings, told)
            within = await ask_with_page(library.index, library.search, headings, told)
            found = unlabelled(without, within, today)
        print_ = fingerprint(library.embedder, plan.settings.splitter)
        file = DataFolder(plan.data).calibration
        await asyncio.to_thread(write_calibration, file, print_, found.calibration)
    return found


def labelled(samples: Sequence[Sample], judged: Judged, source: str) -> Labelled:
    """Fit on samples, and judge each by what was fitted without it.

    Raises:
        UsageError: there are too few, or dense search did not count for them.
    """
    if not all(sample.finding.gate.dense for sample in samples):
        raise UsageError("Dense search does not count here, so there is nothing to calibrate.")
    check_enough(samples)
    kinds: tuple[Judged, ...] = ("top3", "all")
    fits = {kind: Fitting(tuple(SHIPPED.weights), kind, source) for kind in kinds}
    apart = {kind: held_out(samples, fit) for kind, fit in fits.items()}
    outcomes = {
        kind: tuple(outcome(s.finding, c) for s, c in zip(samples, fitted, strict=True))
        for kind, fitted in apart.items()
    }
    confidences = tuple(
        fitted.confidence(sample.finding.signals)
        for fitted, sample in zip(apart[judged], samples, strict=True)
    )
    chosen = {kind: fit(samples) for kind, fit in fits.items()}
    return Labelled(
        calibration=chosen[judged],
        judged=judged,
        samples=tuple(samples),
        outcomes=outcomes[judged],
        confidences=confidences,
        others={kind: (chosen[kind], outcomes[kind]) for kind in fits},
    )


def told_apart(found: Labelled) -> dict[Kind, Separation]:
    """Return how well each kind of other questions that there are is told from answerable ones."""
    cosines = [sample.finding.signals["cos"] for sample in found.samples]

    def area(values: Sequence[float], kind: Kind) -> float:
        rows = list(zip(found.samples, values, strict=True))
        answerable = [value for sample, value in rows if sample.answerable]
        return auroc(answerable, [value for sample, value in rows if sample.kind is kind])

    others = {sample.kind for sample in found.samples if not sample.answerable}
    return {
        kind: Separation(area(found.confidences, kind), area(cosines, kind))
        for kind in Kind
        if kind in others
    }


def unlabelled(
    without_page: Sequence[Finding], with_page: Sequence[Finding], today: date
) -> Unlabelled:
    """Fit on headings without their page, and judge each half by what was fitted on the other.

    Raises:
        UsageError: there are too few.
    """
    whole = fitted_on(without_page, today)
    if whole is None:
        raise UsageError(
            "The corpus has too few headings to be calibrated without labels: "
            "name a file of questions with --questions."
        )
    even = fitted_on(without_page[0::2], today) or whole
    odd = fitted_on(without_page[1::2], today) or whole
    return Unlabelled(
        calibration=whole,
        without_page=tuple(
            outcome(finding, odd if place % 2 == 0 else even)
            for place, finding in enumerate(without_page)
        ),
        with_page=tuple(outcome(finding, whole) for finding in with_page),
    )


def outcome(finding: Finding, calibration: Calibration) -> str:
    """Return what a finding would become by a calibration: answer, weak or refusal."""
    return kind_of(decide(finding, calibration)).value


def _source(questions: int, documents: int, files: Sequence[Path], today: date) -> str:
    names = ", ".join(file.name for file in files)
    return f"{questions} questions of {names} over {documents} documents, {today:%F}"
