"""The rank of each known question in one build and in the one before: rows, and what moved.

`ranks.jsonl` lies beside each build. Its first line, `{"of"}`, tells the files of questions that it
is of from all others; then one JSON object a question: `{"id", "category", "question", "expected",
"rank", "before", "chars", "state"}`. `rank` is that of the expected section, null where it is not
among the first results; `chars` is how much the first k results show, for each k.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Literal

from core.engines.durable import disk_errors, write_durably
from core.reports import RankMove, Verdict
from eval.lines import lines_from
from eval.one_line import one_line

PLACES = 5
"""The results that people look at: leaving them is being lost."""
EXAMPLES = 3
_SHOWN = 60

State = Literal["known", "new", "gone"]
"""Ranked in both builds, in this one only, or its evidence is in no document any more."""


@dataclass(frozen=True, slots=True)
class RankRow:
    """One known question in one build."""

    id: str
    category: str
    question: str
    expected: str
    rank: int | None
    before: int | None = None
    chars: tuple[int, ...] = ()
    state: State = "new"

    @property
    def left(self) -> bool:
        """Return whether it was in the top five and is not any more, though its page is there."""
        return self.state == "known" and _in_places(self.before) and not _in_places(self.rank)

    @property
    def rise(self) -> int:
        """Return by how many ranks it rose (above 0) or slipped; off the list is one below it."""
        if self.state != "known":
            return 0
        off = len(self.chars) + 1
        return (self.before or max(off, self.rank or 0)) - (self.rank or max(off, self.before or 0))


@dataclass(frozen=True, slots=True)
class Depth:
    """How deep one must look: the largest rank, its cost in characters, and how many are below."""

    k: int
    chars: float
    chars5: float
    missing: int


def joined(now: Sequence[RankRow], before: Mapping[str, RankRow]) -> list[RankRow]:
    """Return this build's rows with the ranks of the one before, by id and question."""
    rows = []
    for row in now:
        old = before.get(row.id)
        if row.state == "gone" or old is None or old.question != row.question:
            rows.append(row)
        else:
            rows.append(replace(row, before=old.rank, state="known"))
    return rows


def carried(now: Sequence[RankRow], stored: Mapping[str, RankRow]) -> list[RankRow]:
    """Return rows that were made anew for a build, with what its stored ones say of the one before.

    The same build ranks the same evidence alike: with another rank it is other evidence, which the
    build before was never asked for.
    """
    rows = []
    for row in now:
        old = stored.get(row.id)
        if old is not None and old.state == "known" and _place(old) == _place(row):
            rows.append(replace(row, before=old.before, state="known"))
        else:
            rows.append(row)
    return rows


def depth_of(rows: Iterable[RankRow]) -> Depth | None:
    """Return the k by which every question that is found at all would be; None if none is."""
    there = [row for row in rows if row.state != "gone"]
    found = [row.rank for row in there if row.rank is not None]
    if not found:
        return None
    k = max(found)
    return Depth(k, _cost(there, k), _cost(there, PLACES), len(there) - len(found))


def verdict_on(rows: Sequence[RankRow], most_lost: float) -> Verdict:
    """Return whether a build may answer: it loses at most this share of the top-five places.

    What is won is set off against what is lost. Questions whose page was changed under them, or
    that were not asked before, do not count.
    """
    known = [row for row in rows if row.state == "known"]
    had = sum(_in_places(row.before) for row in known)
    lost = had - sum(_in_places(row.rank) for row in known)
    if not had or lost <= most_lost * had:
        return Verdict(admitted=True, moved=moves(known))
    left = [row for row in known if row.left]
    examples = "; ".join(_moved(row) for row in left[:EXAMPLES])
    return Verdict(
        admitted=False,
        reason=(
            f"The new build was not activated: of {had} known questions in the top five it loses "
            f"{lost}, more than {most_lost:.0%} ({examples}). The old one goes on answering; "
            "nightlamp index --force activates a build all the same."
        ),
        moved=moves(known),
    )


def moves(rows: Iterable[RankRow]) -> tuple[RankMove, ...]:
    """Return the questions that rose or slipped, those that slipped furthest first."""
    moved = sorted((row for row in rows if row.rise), key=lambda row: (row.rise, row.id))
    return tuple(RankMove(row.question, row.expected, row.before, row.rank) for row in moved)


def write_ranks(path: Path, rows: Iterable[RankRow], of: str) -> None:
    """Write the rows beside their build, all or nothing; `of` tells their questions. Blocks.

    Raises:
        DataFolderBroken: the disk is full or not writable.
    """
    with disk_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path, lines_from(({"of": of}, *map(asdict, rows))))


def read_ranks(path: Path) -> dict[str, RankRow]:
    """Return a build's rows by id; none where there is no such file, or not a whole one. Blocks."""
    return _read(path)[1]


def ranked_of(path: Path) -> str:
    """Return of which questions a build's rows are; empty where that is not known. Blocks."""
    return _read(path)[0]


def _read(path: Path) -> tuple[str, dict[str, RankRow]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        raw = [json.loads(line) for line in lines if line.strip()]
        of = raw.pop(0)["of"] if raw and "of" in raw[0] else ""  # earlier versions did not say
        rows = [RankRow(**{**one, "chars": tuple(one["chars"])}) for one in raw]
    except (OSError, ValueError, TypeError, KeyError):
        return "", {}
    return of, {row.id: row for row in rows}


def _place(row: RankRow) -> tuple[str, str, int | None]:
    return row.question, row.expected, row.rank


def _cost(rows: Sequence[RankRow], k: int) -> float:
    read = [row.chars[min(k, len(row.chars)) - 1] for row in rows if row.chars]
    return fmean(read) if read else 0.0


def _in_places(rank: int | None) -> bool:
    return rank is not None and rank <= PLACES


def _moved(row: RankRow) -> str:
    return f"“{one_line(row.question, _SHOWN)}” from {row.before} to {row.rank or 'none'}"
