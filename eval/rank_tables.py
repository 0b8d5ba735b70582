"""What moved between two builds, for a terminal of 80 columns."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from eval.one_line import printable_line
from eval.rank_rows import PLACES, RankRow, depth_of

QUESTION_SHOWN = 56
NONE = (
    "There are no known questions: find some with python -m eval mine, or review those of "
    "nightlamp golden export."
)


def print_ranks(console: Console, rows: Sequence[RankRow]) -> None:
    """Print how many are where, who left, slipped and rose, and how deep one must look."""
    if not rows:
        console.print(NONE, soft_wrap=True, highlight=False)
        return
    there = [row for row in rows if row.state != "gone"]
    firsts = sum(row.rank == 1 for row in there)
    places = sum(row.rank is not None and row.rank <= PLACES for row in there)
    compared = sum(row.state == "known" for row in there)
    console.print(
        f"{len(there)} known question{'s' * (len(there) != 1)}: {firsts} first, {places} in the "
        f"top five; {compared} were asked of the build before.",
        soft_wrap=True,
        highlight=False,
    )
    left = [row for row in there if row.left]
    slipped = sorted((row for row in there if row.rise < 0 and not row.left), key=_by_rise)
    rose = sorted((row for row in there if row.rise > 0), key=lambda row: -row.rise)
    for name, moved in (("left the top five", left), ("slipped", slipped), ("rose", rose)):
        _print_moved(console, name, moved)
    _print_depth(console, rows)


def _print_moved(console: Console, name: str, rows: Sequence[RankRow]) -> None:
    if not rows:
        return
    console.print(f"\n{len(rows)} {name}:", highlight=False)
    for row in rows:
        shown = printable_line(row.question, QUESTION_SHOWN)
        line = f"  {_rank(row.before):>4} → {_rank(row.rank):<4} {shown}  {row.expected}"
        console.print(Text(line), soft_wrap=True)


def _print_depth(console: Console, rows: Sequence[RankRow]) -> None:
    depth = depth_of(rows)
    gone = sum(row.state == "gone" for row in rows)
    lines = []
    if depth is not None:
        results = "the first result" if depth.k == 1 else f"the first {depth.k} results"
        lines.append(
            f"The largest rank is {depth.k}: every answer that was found is within {results}, "
            f"{depth.chars:,.0f} characters on average; the first five are {depth.chars5:,.0f}."
        )
        if depth.missing:
            lines.append(f"{depth.missing} were not found at all.")
    if gone:
        lines.append(f"{gone} have lost their evidence: their pages were changed or removed.")
    for line in lines:
        console.print(f"\n{line}", soft_wrap=True, highlight=False)


def _rank(rank: int | None) -> str:
    return "none" if rank is None else str(rank)


def _by_rise(row: RankRow) -> int:
    return row.rise
