"""What a calibration promises, for a terminal of 80 columns."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from core.evidence import Calibration
from eval.calibrate import Labelled, Unlabelled, told_apart
from eval.dataset import Kind
from eval.tables import table

LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
OUTCOMES = ("answer", "weak", "refusal")
CHOICES = {"top3": "found in the top three", "all": "answerable at all"}


def print_labelled(console: Console, found: Labelled) -> None:
    """Print weights, outcomes by kind, the lower cut-offs' cost, the curve, and the separation."""
    _print_weights(console, found.calibration)
    console.print("", _by_kind(found), "", _choices(found), "", _curve(found), "")
    console.print(_separations(found), "")
    console.print(
        "Every outcome and confidence above is by weights and cut-offs fitted without its "
        "question.",
        soft_wrap=True,
    )


def print_unlabelled(console: Console, found: Unlabelled) -> None:
    """Print weights, and how often headings are answered without their page and with it."""
    _print_weights(console, found.calibration)
    made = table("headings asked", "n", *OUTCOMES)
    for name, outcomes in (
        ("without their page, as near misses", found.without_page),
        ("with their page, the easiest there are", found.with_page),
    ):
        made.add_row(name, str(len(outcomes)), *_shares(outcomes))
    console.print("", made, "")
    console.print(
        "The first row estimates how often what no page answers is answered; of the second, real "
        "questions are refused more often. With --questions both are measured.",
        soft_wrap=True,
    )


def _print_weights(console: Console, calibration: Calibration) -> None:
    terms = [f"{weight:+.2f} {name}" for name, weight in calibration.weights.items()]
    console.print(f"From {calibration.source}", soft_wrap=True, highlight=False)
    console.print(f"z = {calibration.intercept:.2f} {' '.join(terms)}", highlight=False)
    cutoffs = calibration.cutoffs
    console.print(
        f"refused below {cutoffs.weak:.3f}, not sure below {cutoffs.answer:.3f}", highlight=False
    )


def _by_kind(found: Labelled) -> Table:
    made = table("questions", "n", *OUTCOMES)
    for kind in Kind:
        said = [o for s, o in zip(found.samples, found.outcomes, strict=True) if s.kind is kind]
        if said:
            made.add_row(str(kind), str(len(said)), *_shares(said))
    said = [o for s, o in zip(found.samples, found.outcomes, strict=True) if s.in_top]
    if said:
        made.add_row("found in the top three", str(len(said)), *_shares(said))
    return made


def _choices(found: Labelled) -> Table:
    heads = ("cut-off", "answerable", "in the top 3", "others shown")
    made = table("refusing 5 % of those", *heads)
    for judged, (calibration, outcomes) in found.others.items():
        rows = list(zip(found.samples, outcomes, strict=True))
        groups = (
            [outcome == "refusal" for sample, outcome in rows if sample.answerable],
            [outcome == "refusal" for sample, outcome in rows if sample.in_top],
            [outcome != "refusal" for sample, outcome in rows if not sample.answerable],
        )
        mark = " (in use)" if judged == found.judged else ""
        cells = (_share(sum(group), len(group)) for group in groups)
        made.add_row(CHOICES[judged] + mark, f"{calibration.cutoffs.weak:.3f}", *cells)
    return made


def _curve(found: Labelled) -> Table:
    asked = {sample.kind for sample in found.samples}
    kinds = [kind for kind in Kind if kind in asked and not kind.answerable]
    made = table("confidence at least", "answerable", *map(str, kinds), "Hit@1 of those")
    rows = list(zip(found.samples, found.confidences, strict=True))
    for level in LEVELS:
        above = [s for s, c in rows if c >= level]
        right = [s for s in above if s.answerable]
        cells = [_share(len(right), sum(s.answerable for s, _ in rows))]
        for kind in kinds:
            total = sum(s.kind is kind for s, _ in rows)
            cells.append(_share(sum(s.kind is kind for s in above), total))
        hit = _share(sum(s.rank == 1 for s in right), len(right))
        made.add_row(f"{level:.1f}", *cells, hit)
    return made


def _separations(found: Labelled) -> Table:
    made = table("AUROC, answerable against", "regression", "best cosine alone")
    for kind, one in told_apart(found).items():
        made.add_row(str(kind), f"{one.confidence:.3f}", f"{one.cosine:.3f}")
    return made


def _shares(outcomes: Sequence[str]) -> list[str]:
    counted = Counter(outcomes)
    return [f"{counted[name]} ({_share(counted[name], len(outcomes))})" for name in OUTCOMES]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "–"
