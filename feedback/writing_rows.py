"""Writings to rows of the journal and back. Pure."""

from dataclasses import asdict
from typing import Any

from core.written import Spent, Writing, WritingOutcome
from feedback.rows import Row, instant, moment, storable


def writing_row(writing: Writing) -> dict[str, Any]:
    """Return the row of a writing."""
    return storable(asdict(writing) | {"at": instant(writing.at)})


def writing_from(row: Row) -> Writing:
    """Read a writing."""
    kept = {"at": moment(row["at"]), "outcome": WritingOutcome(row["outcome"])}
    return Writing(**{**row, **kept})


def spent_from(row: Row) -> Spent:
    """Read the sums over writings; those over none are NULL."""
    return Spent(**{name: value or 0 for name, value in row.items()})
