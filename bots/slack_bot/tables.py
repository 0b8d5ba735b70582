"""Tables as aligned monospace. Pure."""

from collections.abc import Sequence

from rich.cells import cell_len

WIDEST = 40
"""Columns that a cell is padded to at most: one long cell must not widen every row."""


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows of a table, its head first, with their cells below one another."""
    widths = [
        min(max(cell_len(row[at]) for row in rows if at < len(row)), WIDEST)
        for at in range(max(map(len, rows)))
    ]
    head, *body = rows
    rule = ["─" * width for width in widths]
    return "\n".join(_line(row, widths) for row in (head, rule, *body))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=False)
    ]
    return "  ".join(padded).rstrip(" ")
