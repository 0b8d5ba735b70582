"""Questions that were searched: what was found for each, and whether that is right."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from core.answering import Answered
from core.outcomes import Finding, Result, shown
from eval.dataset import Kind, Record
from eval.metrics import first, ranks
from eval.runfile import Shown

TOP = 3

Told = Callable[[str, int, int], None]
"""Is told the phase, how much of it is done, and of how much."""

Ask = Callable[[str, str], Awaitable[Answered]]
"""Answers a question's text, together with the breadcrumb that it follows (empty: none)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A question's finding; `rank`, from 1, is that of the first result that counts."""

    kind: Kind
    finding: Finding
    rank: int | None = None

    @property
    def answerable(self) -> bool:
        """Return whether the corpus has an answer."""
        return self.kind.answerable

    @property
    def in_top(self) -> bool:
        """Return whether the answer is among the first three results."""
        return self.rank is not None and self.rank <= TOP


async def sampled(records: Sequence[Record], ask: Ask, told: Told) -> list[Sample]:
    """Ask every question; one that gets help, because nothing is asked in it, is left out.

    Raises:
        NightlampError: a question could not be asked.
    """
    samples = []
    for number, record in enumerate(records, start=1):
        answered = await ask(record.question, await breadcrumb(record.follows, ask))
        if answered.finding is not None:
            found = ranks(record.relevant, [seen(one) for one in answered.finding.results])
            samples.append(Sample(record.kind, answered.finding, first(found)))
        told("asking", number, len(records))
    return samples


async def breadcrumb(question: str, ask: Ask) -> str:
    """Return the breadcrumb of the first thing shown for a question; empty without a question."""
    if not question:
        return ""
    results = shown((await ask(question, "")).outcome)
    return results[0].best.section.breadcrumb if results else ""


def seen(result: Result) -> Shown:
    """Return what a result shows, as the metrics judge it."""
    section = result.best.section
    spans = tuple(hit.section.span for hit in result.hits)
    return Shown(section.source, section.path, section.anchor, spans, len(result.text))
