"""Gaps as CSV, safe to open in a spreadsheet: no cell of it is a formula. Pure."""

import csv
import unicodedata
from collections.abc import Iterable
from io import StringIO

from feedback.models import Gap

COLUMNS = (
    "id",
    "status",
    "kind",
    "count",
    "askers",
    "before",
    "question",
    "nearest",
    "distance",
    "page",
    "owner",
    "last_asked",
)
_FORMULA = ("=", "+", "-", "@", "|", "%")


def gaps_csv(gaps: Iterable[Gap]) -> str:
    """Return gaps as RFC 4180 with a header; `question` is empty where nobody may read it."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([harmless_cell(one) for one in _cells(gap)] for gap in gaps)
    return written.getvalue()


def harmless_cell(text: str) -> str:
    """Return a text in one line that no spreadsheet calculates: `'` stands before what would be.

    Spreadsheets skip blanks and read full-width signs as their plain ones.
    """
    shown = "".join(" " if unicodedata.category(one) in {"Cc", "Zl", "Zp"} else one for one in text)
    line = " ".join(shown.split())
    begins = unicodedata.normalize("NFKC", line.lstrip("\u200b\u200c\u200d\u2060\ufeff")).lstrip()
    return f"'{line}" if begins.startswith(_FORMULA) else line


def _cells(gap: Gap) -> tuple[str, ...]:
    near = gap.nearest
    far = near.distance if near else None
    return (
        gap.record.id,
        gap.record.status,
        gap.kind,
        str(gap.count),
        str(gap.askers),
        str(gap.before),
        gap.sample,
        near.breadcrumb if near else "",
        "" if far is None else f"{far:.3f}",
        gap.suggested_path,
        gap.suggested_owner,
        gap.last_asked.isoformat(),
    )
