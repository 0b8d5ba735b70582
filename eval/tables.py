"""A run's figures and failures for a terminal of 80 columns, plain when piped."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eval.dataset import Record
from eval.intervals import Interval
from eval.metrics import Score, ranks
from eval.one_line import printable_line
from eval.runfile import RESULTS, RunLine, Shown
from eval.summary import OUTCOMES, Summary, outcome_of

QUESTION_SHOWN = 70
NEEDED_WITHIN = 5
"""The places among which every part of an answer must be where all are needed (Recall@5)."""

LABELS = {
    "mrr10": "MRR@10",
    "hit1": "Hit@1",
    "recall1": "Recall@1",
    "recall3": "Recall@3",
    "recall5": "Recall@5",
    "recall10": "Recall@10",
    "precision5": "Precision@5",
    "doc_mrr10": "document MRR@10",
    "read2500": "read within 2,500 characters",
    "read6000": "read within 6,000 characters",
    "chars1": "characters in the first result",
    "chars5": "characters in the top five",
    "strong_hit1": "Hit@1 of strong answers",
    "refused_top3": "refused, with the answer in the top 3",
}


def print_summary(console: Console, summary: Summary) -> None:
    """Print the means, the same by category, the outcomes by kind, and the latency."""
    shares = {name: one for name, one in summary.shares.items() if name in LABELS}
    if summary.figures:
        console.print(_means("answerable questions", {**summary.figures, **shares}), "")
    if summary.mined:
        console.print(_means("mined questions, which nobody asked", summary.mined), "")
    if summary.categories:
        console.print(_categories(summary), "")
    console.print(_outcomes(summary), "")
    console.print(*_closing(summary), *_warnings(summary), sep="\n", highlight=False)


def print_failures(
    console: Console,
    records: Sequence[Record],
    scores: Sequence[Score],
    lines: Sequence[RunLine],
) -> None:
    """Print each question that went wrong, the rank of its answer and what came first instead.

    Of one whose parts are all needed, the parts that are not among the first five.
    """
    wrong = [
        (record, score, line)
        for record, score, line in zip(records, scores, lines, strict=True)
        if _went_wrong(score) or _missing(record, line)
    ]
    if not wrong:
        return
    console.print(f"\n{len(wrong)} of {len(records)} questions went wrong:", highlight=False)
    for record, score, line in wrong:
        console.print(_failure(record, score, line), soft_wrap=True)


def table(first: str, *others: str, title: str | None = None) -> Table:
    """Return a table without rows: the first column is words, the others are figures."""
    made = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    made.add_column(first, overflow="fold")
    for name in others:
        made.add_column(name, justify="right", no_wrap=True)
    return made


def number(figure: str, value: float) -> str:
    """Return a figure's value: characters as a whole number, all others with three digits."""
    return f"{value:,.0f}" if figure.startswith("chars") else f"{value:.3f}"


def signed(figure: str, difference: float) -> str:
    """Return a difference of a figure, with its sign."""
    return f"{difference:+,.0f}" if figure.startswith("chars") else f"{difference:+.3f}"


def bounds(figure: str, low: float, high: float) -> str:
    """Return the ends of a figure's interval."""
    return f"{number(figure, low)} – {number(figure, high)}"


def outcome_cells(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return how many questions of a kind there are, and how many and how much had each outcome."""
    total = sum(counts.values())
    return str(total), *(f"{counts[name]} ({counts[name] / total:.0%})" for name in OUTCOMES)


def _means(what: str, figures: Mapping[str, Interval]) -> Table:
    n = next(iter(figures.values())).n
    made = table(counted(n, what), "mean", "95 % interval")
    for name, one in figures.items():
        label = of_some(LABELS[name], one.n, n)
        made.add_row(label, number(name, one.mean), _ends(name, one))
    return made


def counted(n: int, what: str) -> str:
    """Return how many there are of what is named in the plural, a kind of questions."""
    return f"{n} {what.replace('questions', 'question', 1) if n == 1 else what}"


def of_some(label: str, some: int, n: int) -> str:
    """Return a figure's label, with the number of its questions where it is not of all `n`."""
    return label if some == n else f"{label} (n = {some})"


def _categories(summary: Summary) -> Table:
    names = ("mrr10", "hit1", "recall5", "recall10", "read2500")
    heads = ("MRR@10", "95 % interval", "Hit@1", "R@5", "R@10", "read 2,500")
    made = table("category", "n", *heads)
    for category, means in summary.categories.items():
        mrr, *others = (means[name] for name in names)
        rest = (f"{one.mean:.3f}" for one in others)
        made.add_row(category, str(mrr.n), f"{mrr.mean:.3f}", _ends("mrr10", mrr), *rest)
    return made


def _outcomes(summary: Summary) -> Table:
    made = table("questions", "n", *OUTCOMES)
    for kind, counts in summary.outcomes.items():
        made.add_row(str(kind), *outcome_cells(counts))
    return made


def _closing(summary: Summary) -> list[str]:
    lines = [
        f"AUROC of confidence, answerable against {kind}: {value:.3f}"
        for kind, value in summary.auroc.items()
    ]
    if summary.ms:
        lines.append(
            f"milliseconds a question: p50 {summary.ms['p50']:.1f}, p95 {summary.ms['p95']:.1f}"
        )
    return lines


def _warnings(summary: Summary) -> list[str]:
    return [
        f"{count} of {summary.questions} questions {what}"
        for count, what in (
            (summary.failed, "got no outcome; they count as failed"),
            (summary.keywords_only, "were searched for by keywords alone"),
        )
        if count
    ]


def _ends(name: str, one: Interval) -> str:
    return bounds(name, one.low, one.high)


def _went_wrong(score: Score) -> bool:
    """Return whether a question's outcome was not the right one, or its answer not first."""
    if score.kind.answerable:
        return score.failed or score.rank != 1 or score.outcome == "refusal"
    return score.failed or score.outcome == "answer"


def _missing(record: Record, line: RunLine) -> list[str]:
    """Return the parts that are needed and not among the first five, and where they are."""
    if not record.needs_all:
        return []
    found = ranks(record.relevant, line.results[:RESULTS])
    return [
        f"part {number} of {len(found)}, {part.path}, "
        + (f"at rank {rank}" if rank else "not in the ten")
        for number, (part, rank) in enumerate(zip(record.relevant, found, strict=True), start=1)
        if rank is None or rank > NEEDED_WITHIN
    ]


def _failure(record: Record, score: Score, line: RunLine) -> Text:
    if record.relevant:
        place = f"right one at rank {score.rank}" if score.rank else "right one not in the ten"
    else:
        place = "nothing to be found"
    head = f"{record.id}  {record.category}  {outcome_of(score)}, {place}"
    question = printable_line(record.question, QUESTION_SHOWN)
    missing = "; ".join(_missing(record, line))
    came = line.error or _place(line.results[:1])
    texts = [Text(head, "bold"), Text(f"  {question}")]
    texts += [Text(f"  missing: {missing}")] if missing else []
    return Text("\n").join((*texts, Text(f"  → {came}")))


def _place(results: Sequence[Shown]) -> str:
    if not results:
        return "nothing"
    return f"{results[0].path}#{results[0].anchor}" if results[0].anchor else results[0].path
