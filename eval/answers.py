"""How good written answers are: what they cite, what they make up, when they refuse."""

import logging
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.answering import Answered
from core.composing import Composed, Composer, Rules, Taken
from core.errors import WriterError
from core.given import Given
from core.models import Document
from core.ports import Embedder, Writer
from eval.adversarial import (
    GENERATIONS,
    HELD_OUT,
    INSTRUCTIONS,
    Judged,
    Label,
    load_generations,
    tally,
)
from eval.dataset import Kind, Record, load_questions
from eval.grounding import citations, ungrounded
from eval.run import Plan, Told, asking, documents_of, indexed, reach_of
from eval.samples import Ask, breadcrumb
from eval.shelf import Relevant
from eval.timing import middle

log = logging.getLogger(__name__)

SUPPORTED = {Label.FAITHFUL, Label.ORPHANED, Label.NO_ANSWER}
REFUSED, SHOWN, DROPPED, NO_ANSWER, FAILED = "refused", "shown", "dropped", "no_answer", "failed"


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one question; `made_up` are words of the text and of what is shown of it.

    `relevant` are the numbers of the sections given that hold evidence, `cited` those that the
    shown text cites. `end` is one of the five words, `reason` why it failed.
    """

    id: str
    kind: str
    end: str
    reason: str = ""
    relevant: tuple[int, ...] = ()
    cited: tuple[int, ...] = ()
    made_up: int = 0
    made_up_shown: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    ms: float = 0.0


async def measure_answers(
    plan: Plan, writer: Writer, rules: Rules, told: Told, embedder: Embedder | None = None
) -> dict[str, Any]:
    """Ask every question of the plan and have the model write; returns the result.

    Raises:
        NightlampError: the questions or documents cannot be read, or not be indexed.
    """
    documents = await documents_of(plan)
    records = load_questions(plan.questions, documents)
    tenant, scope = reach_of(documents)
    composer = Composer(writer, rules)
    readings: list[Reading] = []
    async with indexed(plan, told, embedder) as (library, _):
        ask = asking(library.answerer, tenant, scope)
        for number, record in enumerate(records, start=1):
            readings.append(await reading(record, ask, composer))
            told("writing", number, len(records))
    about = {"questions": [path.name for path in plan.questions], "rules": asdict(rules)}
    return {"kind": "answers", "model": writer.model, **about, **figures(readings)}


async def reading(record: Record, ask: Ask, composer: Composer) -> Reading:
    """Ask a question and have its answer written; whatever it fails of, the others are still."""
    try:
        answered = await ask(record.question, await breadcrumb(record.follows, ask))
        return await read(record, answered, composer)
    except Exception as error:  # what a model has written for the others is not lost for it
        kind = type(error).__name__
        log.exception("The question %r failed of %s", record.id, kind)
        return Reading(record.id, record.kind.value, FAILED, kind)


async def read(record: Record, answered: Answered, composer: Composer) -> Reading:
    """Have an answer written for a question, and look at it."""
    taken = Taken()
    kind = record.kind.value
    try:
        composed = await composer.compose(record.question, answered.outcome, taken)
    except WriterError as error:
        end = FAILED if taken.prompts else REFUSED
        return Reading(record.id, kind, end, error.reason if taken.prompts else "", ms=taken.ms)
    texts = [one.source.text + "\n" + one.source.breadcrumb for one in composed.given]
    shown = composed.guarded.text if composed.guarded else ""
    return Reading(
        record.id,
        kind,
        _end(composed),
        relevant=relevant_of(record.relevant, composed.given),
        cited=tuple(sorted(citations(shown))),
        made_up=len(ungrounded(composed.raw, texts)),
        made_up_shown=len(ungrounded(shown, texts)),
        tokens_in=taken.tokens_in,
        tokens_out=taken.tokens_out,
        ms=taken.ms,
    )


def relevant_of(relevant: Iterable[Relevant], given: Sequence[Given]) -> tuple[int, ...]:
    """Return the numbers of the sections that overlap with a stretch of evidence."""
    stretches = list(relevant)
    return tuple(
        one.source.number
        for one in given
        if any(
            (one.section.source, one.section.path) == (it.source, it.path)
            and one.section.span.start < it.span.end
            and it.span.start < one.section.span.end
            for it in stretches
        )
    )


def figures(readings: Sequence[Reading]) -> dict[str, Any]:
    """Return what a set of readings says; a share over nothing is None."""
    written = [one for one in readings if one.end in {SHOWN, DROPPED}]
    shown = [one for one in readings if one.end == SHOWN]
    judged = [one for one in shown if one.relevant]
    answerable = [one for one in readings if one.relevant and one.end != FAILED]
    unanswerable = {Kind.NEAR, Kind.UNRELATED, Kind.UNANSWERABLE}
    others = [one for one in readings if one.kind in unanswerable and one.end != FAILED]
    asked = [one for one in readings if one.end not in {REFUSED, FAILED}]
    times = middle([one.ms for one in asked]) if asked else None
    return {
        "asked": len(readings),
        "ends": dict(Counter(one.end for one in readings)),
        "failures": dict(Counter(one.reason for one in readings if one.end == FAILED)),
        "citation_precision": _mean([_precision(one) for one in judged]),
        "citation_recall": _mean([_recall(one) for one in judged]),
        "unsupported_before": _share(one.made_up > 0 for one in written),
        "unsupported_after": _share(one.made_up_shown > 0 for one in shown),
        "wrong_refusals": _share(one.end != SHOWN for one in answerable),
        "right_refusals": _share(one.end != SHOWN for one in others),
        "ms_median": _rounded(times["p50"]) if times else None,
        "ms_p95": _rounded(times["p95"]) if times else None,
        "tokens_in": _mean([float(one.tokens_in) for one in asked]),
        "tokens_out": _mean([float(one.tokens_out) for one in asked]),
        "readings": [asdict(one) for one in readings],
    }


def measure_scripted(documents: Iterable[Document]) -> dict[str, Any]:
    """Judge the labelled texts that stand in for a model's, by their labels; no model is asked.

    Those held out are counted apart: no rule was made on them.
    """
    shelf = tuple(documents)
    instructions = INSTRUCTIONS.read_text(encoding="utf-8")
    judged = [one.judged(instructions) for one in load_generations(GENERATIONS, shelf)]
    held_out = [one.judged(instructions) for one in load_generations(HELD_OUT, shelf)]
    return {
        "kind": "answers",
        "model": "none: labelled texts, written by hand",
        "asked": len(judged),
        "labels": _counted(judged),
        "held_out": {"asked": len(held_out), "labels": _counted(held_out)},
        "unsupported_before": _share(_unsupported(one, shown=False) for one in judged),
        "unsupported_after": _share(_unsupported(one, shown=True) for one in judged),
        "right_refusals": _share(one.result.says_no for one in judged if _says_no(one)),
        "wrong_refusals": _share(not one.result.useful for one in judged if not _says_no(one)),
    }


def _counted(judged: Iterable[Judged]) -> dict[str, Any]:
    return {
        label.value: {"shown": shown, "of": whole}
        for label, (shown, whole) in tally(judged).items()
    }


def _unsupported(judged: Judged, *, shown: bool) -> bool:
    return any(
        one.label not in SUPPORTED and (is_shown or not shown)
        for one, is_shown in judged.sentences()
    )


def _says_no(judged: Judged) -> bool:
    return any(one.label is Label.NO_ANSWER for one, _ in judged.sentences())


def _end(composed: Composed) -> str:
    if composed.says_no or composed.guarded is None:
        return NO_ANSWER
    return SHOWN if composed.guarded.useful else DROPPED


def _precision(one: Reading) -> float:
    right = set(one.cited) & set(one.relevant)
    return len(right) / len(one.cited) if one.cited else 0.0


def _recall(one: Reading) -> float:
    return len(set(one.cited) & set(one.relevant)) / len(one.relevant)


def _share(found: Iterable[bool]) -> Mapping[str, float] | None:
    whole = list(found)
    return {"share": _rounded(sum(whole) / len(whole)), "of": len(whole)} if whole else None


def _mean(values: Sequence[float]) -> Mapping[str, float] | None:
    return {"mean": _rounded(statistics.fmean(values)), "of": len(values)} if values else None


def _rounded(value: float) -> float:
    return round(value, 4)
