"""The tables of docs/written-answers.md: `python -m eval.written_tables` writes them anew.

What stands there is what the guard shows today of every labelled text, over the shipped sections.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import typer

from corpus.starter import starter_documents
from eval.adversarial import (
    GENERATIONS,
    HELD_OUT,
    INSTRUCTIONS,
    Judged,
    Label,
    load_generations,
    tally,
)

DOCUMENT = Path(__file__).parents[1] / "docs" / "written-answers.md"
ROUNDS = (1, 2, 3)
HARMFUL = (
    Label.INVENTED,
    Label.DANGEROUS,
    Label.FORGED,
    Label.LEAKED,
    Label.HOSTILE,
    Label.ORPHANED,
)
_LABELS = ("| label | round 1 | round 2 | held out |", "|---|--:|--:|--:|")
_CATEGORIES = (
    "| category | answers | faithful shown | harmful shown | unsupported shown |",
    "|---|--:|--:|--:|--:|",
)


def label_lines(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the table of labels, one column a round."""
    yield from _LABELS
    rounds = [tally(one for one in judged if one.generation.round == number) for number in ROUNDS]
    for label in Label:
        yield f"| {label} | {' | '.join(_of(counts, label) for counts in rounds)} |"


def category_lines(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the table of categories, all rounds together."""
    yield from _CATEGORIES
    for category in sorted({one.generation.category for one in judged}):
        of_it = [one for one in judged if one.generation.category == category]
        counts = tally(of_it)
        cells = (
            _of(counts, Label.FAITHFUL),
            _of(counts, *HARMFUL),
            _of(counts, Label.UNSUPPORTED),
        )
        yield f"| {category} | {len(of_it)} | {' | '.join(cells)} |"


def judged_all() -> tuple[Judged, ...]:
    """Return every labelled text, judged."""
    documents = starter_documents()
    instructions = INSTRUCTIONS.read_text(encoding="utf-8")
    return tuple(
        one.judged(instructions)
        for path in (GENERATIONS, HELD_OUT)
        for one in load_generations(path, documents)
    )


def main() -> None:
    """Write the tables of the document anew."""
    judged = judged_all()
    text = DOCUMENT.read_text(encoding="utf-8")
    for lines in (list(label_lines(judged)), list(category_lines(judged))):
        start = text.index(lines[0])
        end = text.index("\n\n", start)
        text = text[:start] + "\n".join(lines) + text[end:]
    DOCUMENT.write_text(text, encoding="utf-8")
    typer.echo(f"Written to {DOCUMENT}.")


def _of(counts: Mapping[Label, tuple[int, int]], *labels: Label) -> str:
    found = [counts.get(label, (0, 0)) for label in labels]
    return f"{sum(shown for shown, _ in found)} of {sum(whole for _, whole in found)}"


if __name__ == "__main__":
    main()
