"""Calibration without labels: what a corpus says to its own headings when their page is taken out.

A heading whose document is left out of the results is a question that the corpus nearly answers.
With the shipped weights such headings reach about the confidence of real near misses, so that the
cut-offs can be put where known shares of them lie: on 455 public documents with labelled questions
those that 50 % and 15 % of them reach were reached by half and a sixth of the near misses, and the
lower one refused 5 % of the questions whose answer was in the top three. Another model's cosines
are first brought to the scale that the weights were fitted on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from core.evidence import Calibration
from core.keywords import tokens
from core.models import Scope, Section
from core.outcomes import Cutoffs, Finding
from core.ports import SearchableIndex
from core.retrieval import Retriever
from corpus.calibrating import Search
from corpus.calibrations import SHIPPED
from eval.fitting import at_most_above
from eval.intervals import percentile
from eval.run import Told, whole_scope
from eval.withheld import WithoutDocument

HEADINGS = 300
LEAST = 40
"""Headings below which a corpus says too little."""
SHOWN, STRONG = 0.5, 0.15
"""The shares of left-out headings that reach the lower and the upper cut-off."""
QUARTILES = (0.42, 0.51, 0.60)
"""Of the best cosines of such headings, in the corpus that the shipped weights were fitted on."""
_NARROW = 0.02
_COS = "cos"


def _silent(phase: str, done: int, total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A section whose heading is asked, in its tenant and whatever its visibility."""

    section: Section
    scope: Scope


async def headings_of(index: SearchableIndex) -> list[Heading]:
    """Return up to 300 headings of two words or more that no other page has, evenly spread.

    Raises:
        IndexUnavailable: the index cannot be reached.
    """
    documents = await index.documents()
    scope = whole_scope(documents.values())
    pages: dict[str, set[str]] = {}
    for id_, document in documents.items():
        for heading in document.headings:
            pages.setdefault(heading.casefold(), set()).add(id_)
    own = {heading for heading, ids in pages.items() if len(ids) == 1 and len(tokens(heading)) > 1}
    wanted = _spread(sorted(own), HEADINGS)
    found: dict[str, Section] = {}
    for id_ in sorted({id_ for heading in wanted for id_ in pages[heading]}):
        for section in await index.page(id_):
            found.setdefault(section.heading.casefold(), section)
    return [Heading(found[heading], scope) for heading in wanted]


async def ask_without_page(
    index: SearchableIndex, search: Search, headings: Sequence[Heading], told: Told = _silent
) -> list[Finding]:
    """Ask each heading with its own document taken out of the results."""

    def without(one: Heading) -> Retriever:
        return search(WithoutDocument(index, one.section.document_id))

    return await _asked(headings, without, "asking headings without their page", told)


async def ask_with_page(
    index: SearchableIndex, search: Search, headings: Sequence[Heading], told: Told = _silent
) -> list[Finding]:
    """Ask each heading as it is: the easiest questions that the corpus has an answer to."""
    whole = search(index)
    return await _asked(headings, lambda _: whole, "asking headings", told)


async def fit_without_labels(
    index: SearchableIndex, search: Search, today: date
) -> Calibration | None:
    """Fit a calibration from an index alone; None where it has too few headings.

    Raises:
        IndexUnavailable: the index cannot be reached.
    """
    headings = await headings_of(index)
    return fitted_on(await ask_without_page(index, search, headings), today)


def fitted_on(findings: Sequence[Finding], today: date) -> Calibration | None:
    """Return the shipped weights on these findings' scale, cut where the known shares lie."""
    dense = [finding.signals for finding in findings if finding.gate.dense and finding.results]
    if len(dense) < LEAST:
        return None
    scale, shift = _onto_scale([signals[_COS] for signals in dense])
    weight = SHIPPED.weights[_COS]
    scaled = Calibration(
        weights={**SHIPPED.weights, _COS: round(weight * scale, 4)},
        intercept=round(SHIPPED.intercept + weight * shift, 4),
        cutoffs=SHIPPED.cutoffs,
        source=f"{len(dense)} headings of this corpus, without labels, {today:%F}",
    )
    confidences = [scaled.confidence(signals) for signals in dense]
    weak, answer = (at_most_above(confidences, share) for share in (SHOWN, STRONG))
    return Calibration(scaled.weights, scaled.intercept, Cutoffs(weak, answer), scaled.source)


async def _asked(
    headings: Sequence[Heading], over: Callable[[Heading], Retriever], phase: str, told: Told
) -> list[Finding]:
    findings = []
    for number, one in enumerate(headings, start=1):
        heading, tenant = one.section.heading, one.section.tenant
        findings.append(await over(one).find(heading, tenant=tenant, scope=one.scope))
        told(phase, number, len(headings))
    return findings


def _onto_scale(cosines: Sequence[float]) -> tuple[float, float]:
    """Return factor and summand that bring median and quartile range to the known ones."""
    ascending = sorted(cosines)
    low, middle, high = (percentile(ascending, share) for share in (0.25, 0.5, 0.75))
    wide = high - low
    factor = (QUARTILES[2] - QUARTILES[0]) / wide if wide > _NARROW else 1.0
    return factor, QUARTILES[1] - factor * middle


def _spread(values: Sequence[str], most: int) -> list[str]:
    """Return at most so many of the values, at even distances."""
    step = max(1.0, len(values) / most)
    return [values[int(i * step)] for i in range(min(most, len(values)))]
