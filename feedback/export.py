"""Exchanges and votes as JSONL or CSV, for other programs: people are counted, never named.

What was asked in private, or where more may be seen than the reader of the export sees, is a row
without words. A formula in a question stays text in a spreadsheet.
"""

import asyncio
import csv
import io
import json
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from core.exchanges import Person
from core.models import EVERYONE
from core.redaction import redact
from feedback.database import open_for_reading
from feedback.export_format import ExportFormat
from feedback.queries import standing
from feedback.rows import Row, person_from

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the beginning of a formula (OWASP, CSV injection)."""

_AT_ONCE: Final = 500

_EXCHANGES: Final = """
    select id, tenant, platform, private, user_id, question, scope, follows, asked_at, outcome,
        confidence, distance, dense, ms, model, results, answered_at, deleted_at
    from exchanges order by asked_at, rowid
"""


async def export(
    journal: Path,
    form: ExportFormat,
    write: Callable[[str], object],
    *,
    visibility: Collection[str] = (EVERYONE,),
) -> int:
    """Write every exchange with its votes, oldest first; returns how many there are.

    It is one state of the journal, which may be written meanwhile. `write` is called in a thread.

    Raises:
        JournalUnavailable: the journal cannot be read.
    """
    seen = frozenset(visibility) | {EVERYONE}
    return await asyncio.to_thread(_export, journal, form, write, seen)


def _export(
    journal: Path, form: ExportFormat, write: Callable[[str], object], seen: frozenset[str]
) -> int:
    count = 0
    with open_for_reading(journal) as db:
        exchanges = _exchanges(db, seen)
        while some := list(islice(exchanges, _AT_ONCE)):
            head = form is ExportFormat.CSV and not count
            write("".join(_lines(form, some, head=head)))
            count += len(some)
    return count


def _lines(form: ExportFormat, some: list[dict[str, Any]], *, head: bool) -> Iterator[str]:
    if head:
        yield _csv_line(list(_flat(some[0])))
    for exchange in some:
        if form is ExportFormat.JSONL:
            yield json.dumps(exchange, ensure_ascii=False) + "\n"
        else:
            yield _csv_line(list(_flat(exchange).values()))


def _exchanges(db: Database, seen: frozenset[str]) -> Iterator[dict[str, Any]]:
    numbers: dict[Person, str] = {}

    def number(person: Person) -> str:
        return numbers.setdefault(person, f"p{len(numbers) + 1}")

    for row in db.query(_EXCHANGES):
        scope = json.loads(row["scope"])
        quoted = not row["private"] and seen.issuperset(scope["visibility"])
        votes = standing(db, row["id"])
        yield {
            "id": row["id"],
            "asked_at": row["asked_at"],
            "tenant": row["tenant"],
            "platform": row["platform"],
            "private": bool(row["private"]),
            "person": number(person_from(row)),
            "question": redact(row["question"])[0] if quoted else "",
            "service": scope["service"],
            "type": scope["type"],
            "visibility": scope["visibility"],
            "follows": row["follows"],
            "outcome": row["outcome"],
            "confidence": row["confidence"],
            "distance": row["distance"],
            "dense": None if row["dense"] is None else bool(row["dense"]),
            "ms": row["ms"],
            "model": row["model"],
            "answered_at": row["answered_at"],
            "deleted": row["deleted_at"] is not None,
            "results": _results(row) if quoted else [],
            "votes": {number(person): str(vote) for person, vote in votes.items()},
        }


def _results(row: Row) -> list[dict[str, Any]]:
    names = ("source", "path", "breadcrumb", "distance", "keyword_score")
    return [{name: shown[name] for name in names} for shown in json.loads(row["results"] or "[]")]


def _flat(exchange: dict[str, Any]) -> dict[str, Any]:
    """Return an exchange in one row: its first result, and its votes counted."""
    flat = {
        name: " ".join(value) if isinstance(value, list) else value
        for name, value in exchange.items()
        if name not in {"results", "votes"}
    }
    first = exchange["results"][0] if exchange["results"] else {}
    votes = list(exchange["votes"].values())
    return flat | {
        "source": first.get("source", ""),
        "path": first.get("path", ""),
        "section": first.get("breadcrumb", ""),
        "up": votes.count("up"),
        "down": votes.count("down"),
    }


def _csv_line(values: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([_harmless(value) for value in values])
    return line.getvalue()


def _harmless(value: Any) -> Any:
    """Return a text that no spreadsheet runs: `'` in front is what says that it is text."""
    if isinstance(value, str) and value.lstrip(" \ufeff\u00a0").startswith(_FORMULA):
        return f"'{value}"
    return value
