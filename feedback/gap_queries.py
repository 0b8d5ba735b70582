"""What gaps ask the journal's database: a window's evidence, names and members, vectors."""

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from sys import intern
from typing import Any, Final

from sqlite_utils import Database

from core.errors import NotFound
from core.exchanges import TOLD, Exchange, OutcomeKind, Person, Recorded, ShownHit
from core.models import Platform, Question, Scope, Span, Vector, Vote, Where
from feedback.exchange_rows import unpacked_compactly
from feedback.gap_ids import canonical
from feedback.gap_rows import record_from
from feedback.models import Evidence, GapRecord
from feedback.people_rows import choice_from, logged_from, reason_from
from feedback.rows import Row, moment, person_from

_AT_ONCE: Final = 500
"""Ids in one statement: SQLite's limit is 32,766 parameters, older ones had 999."""

_Section = tuple[tuple[str, ...], str, str, str, str, tuple[str, ...]]

_WINDOW = """
    tenant = :tenant and asked_at >= :since and asked_at < :until
    and outcome in ('answer', 'weak', 'refusal')
"""
# All results only where they are few or somebody picked among them: for 100,000 answers, reading
# all ten of each takes most of the time and memory.
_EXCHANGES = f"""
    select id, platform, channel_id, thread_id, private, user_id, question, scope, follows,
        asked_at, outcome, confidence, distance, dense, ms, model,
        iif(event_id glob '{TOLD}*', event_id, '') as event_id,
        case when outcome = 'answer' and not exists
            (select 1 from choices where choices.exchange_id = exchanges.id)
            then json_array(json_extract(results, '$[0]')) else results end as results
    from exchanges where {_WINDOW} order by asked_at, rowid
"""  # noqa: S608 - ours
_IN_WINDOW = f"exchange_id in (select id from exchanges where {_WINDOW})"  # noqa: S608 - ours
# Row by row, for tables with few: the window's ids need not be gathered first.
_OF_WINDOW = f"exists (select 1 from exchanges where id = exchange_id and {_WINDOW})"  # noqa: S608 - ours
_STANDING = f"""
    select exchange_id, platform, user_id, vote from (
        select *, row_number() over (
            partition by exchange_id, platform, channel_id, message_id, user_id, vote
            order by at desc, id desc
        ) as age
        from thumbs where {_IN_WINDOW}
    )
    where age = 1 and added
    order by at, id
"""  # noqa: S608 - ours


def evidence(db: Database, window: Row) -> Evidence:
    """Read a window (`tenant`, `since`, `until`) of one tenant."""
    return Evidence(
        exchanges=tuple(_exchanges(db, window)),
        votes=_votes(db, window),
        reasons=tuple(reason_from(row) for row in _of_window(db, "reasons", window)),
        choices=tuple(choice_from(row) for row in _of_window(db, "choices", window)),
        logged=tuple(logged_from(row) for row in _of_window(db, "logged_gaps", window)),
        notes={
            row["exchange_id"]: row["note"]
            for row in _of_window(db, "escalations", window)
            if row["note"]
        },
    )


def _exchanges(db: Database, window: Row) -> Iterator[Exchange]:
    # Most share their place, scope and sections with many others: each is made and kept once.
    place, scope = lru_cache(maxsize=4096)(_place), lru_cache(maxsize=4096)(_scope)
    shown = _Shown()
    tenant = window["tenant"]
    for (
        id_, platform, channel_id, thread_id, private, user_id, text, narrowed, follows, asked_at,
        kind, confidence, distance, dense, ms, model, event_id, results,
    ) in db.execute(_EXCHANGES, dict(window)):  # fmt: skip
        where = place(platform, channel_id, thread_id, private)
        question = Question(
            text,
            tenant,
            intern(user_id),
            moment(asked_at),
            where,
            scope(narrowed),
            follows,
            event_id,
        )
        recorded = Recorded(
            OutcomeKind(kind),
            confidence,
            distance,
            tuple(shown.hit(hit) for hit in json.loads(results) if hit),
            bool(dense),
            ms,
            model=intern(model),
        )
        yield Exchange(id_, question, recorded)


class _Shown:
    """Reads results; of the few sections that most of them show, names and path are kept once."""

    def __init__(self) -> None:
        self._sections: dict[tuple[str, ...], _Section] = {}

    def hit(self, hit: dict[str, Any]) -> ShownHit:
        """Return a result, with the texts of the first that shows the same."""
        ids, visibility = hit["section_ids"], hit["visibility"]
        key = (*ids, hit["path"], hit["breadcrumb"], *visibility)
        if (known := self._sections.get(key)) is None:
            names = hit["document_id"], hit["source"], hit["path"], hit["breadcrumb"]
            known = self._sections[key] = (tuple(ids), *names, tuple(visibility))
        ids, document_id, source, path, breadcrumb, visibility = known
        return ShownHit(
            ids,
            document_id,
            source,
            path,
            breadcrumb,
            hit["distance"],
            hit["keyword_score"],
            Span(*hit["passage"]),
            visibility,
        )


def _place(platform: str, channel_id: str, thread_id: str, private: int) -> Where:
    return Where(Platform(platform), channel_id, thread_id, bool(private))


def _scope(text: str) -> Scope:
    stored = json.loads(text)
    return Scope(tuple(stored["service"]), tuple(stored["type"]), tuple(stored["visibility"]))


def _votes(db: Database, window: Row) -> dict[str, dict[Person, Vote]]:
    votes: dict[str, dict[Person, Vote]] = {}
    for row in db.query(_STANDING, dict(window)):
        votes.setdefault(row["exchange_id"], {})[person_from(row)] = Vote(row["vote"])
    return votes


def _of_window(db: Database, table: str, window: Row) -> Iterable[Row]:
    rows: Iterable[Row] = db.table(table).rows_where(_OF_WINDOW, dict(window), order_by="at, rowid")
    return rows


def records(db: Database, tenant: str) -> list[GapRecord]:
    """Return a tenant's gaps, oldest first, each with its members in the order they came."""
    key = {"tenant": tenant}
    members: dict[str, list[str]] = {}
    sql = """
        select gap_id, exchange_id from gap_exchanges
        where gap_id in (select id from gaps where tenant = :tenant) order by gap_exchanges.rowid
    """
    for gap_id, exchange_id in db.execute(sql, key):
        members.setdefault(gap_id, []).append(exchange_id)
    rows = db.table("gaps").rows_where("tenant = :tenant", key, order_by="created_at, rowid")
    return [record_from(row, members.get(row["id"], ())) for row in rows]


def record(db: Database, gap_id: str) -> GapRecord | None:
    """Return one gap, however its name was typed."""
    row = gap_row(db, gap_id)
    if row is None:
        return None
    of_gap = db.table("gap_exchanges").rows_where(
        "gap_id = :id", {"id": row["id"]}, order_by="rowid"
    )
    return record_from(row, [member["exchange_id"] for member in of_gap])


def gap_row(db: Database, gap_id: str) -> Row | None:
    """Return the row of a gap, however its name was typed."""
    names = {"id": gap_id, "meant": canonical(gap_id)}
    rows = db.table("gaps").rows_where("id in (:id, :meant)", names, order_by="id = :id desc")
    return next(rows, None)


def known_gap(db: Database, gap_id: str) -> Row:
    """Return the row of a gap.

    Raises:
        NotFound: there is none of this name.
    """
    if (row := gap_row(db, gap_id)) is None:
        raise NotFound("There is no gap of this name: look it up in the list of gaps.")
    return row


def vectors(db: Database, exchange_ids: Sequence[str]) -> Mapping[str, Vector]:
    """Return the questions' vectors that there are, each in four bytes a figure."""
    found: dict[str, array[float]] = {}
    for some in _batches(dict.fromkeys(exchange_ids)):
        marks = ", ".join("?" * len(some))
        sql = f"select id, vector from exchanges where vector is not null and id in ({marks})"  # noqa: S608 - question marks
        found |= {id_: unpacked_compactly(vector) for id_, vector in db.execute(sql, some)}
    return found


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    waiting = iter(ids)
    while some := list(islice(waiting, _AT_ONCE)):
        yield some
