"""All that the journal holds of one person, and nothing of others."""

import json
from typing import Any, Final

from sqlite_utils import Database

from core.exchanges import Person
from feedback.person_columns import PARTICIPANTS, PEOPLE
from feedback.rows import Row, person_key

_JSON: Final = {"scope", "results", "section"}
_LEFT_OUT: Final = {"vector"}
"""Figures that are made of the question, which stands beside them."""
_OF_RESOLVER: Final = {"note"}
_OWN: Final = """
    exchange_id in (select id from exchanges where platform = :platform and user_id = :user_id)
"""
_IN_THREAD: Final = """platform = :platform and (
    opened_by = :user_id
    or exists (select 1 from json_each(participants) where value = :user_id)
)"""


def collect(db: Database, person: Person) -> dict[str, list[dict[str, Any]]]:
    """Return the rows that name a person, by table, and the messages that answer them."""
    key = person_key(person)
    found = {table: _named(db, table, key) for table in PEOPLE if table != PARTICIPANTS[0]}
    found["threads"] = _threads(db, key)
    found["messages"] = list(db.table("messages").rows_where(_OWN, key, order_by="rowid"))
    return {table: rows for table, rows in found.items() if rows}


def _named(db: Database, table: str, key: dict[str, str]) -> list[dict[str, Any]]:
    where = " or ".join(
        f"({named.platform} = :platform and {named.user_id} = :user_id)" for named in PEOPLE[table]
    )
    rows = db.table(table).rows_where(where, key, order_by="rowid")
    return [_readable(_own_part(table, row, key)) for row in rows]


def _own_part(table: str, row: Row, key: dict[str, str]) -> dict[str, Any]:
    """Return a row without the other people in it, and without what they wrote."""
    own = dict(row)
    for named in PEOPLE[table]:
        if (row[named.platform], row[named.user_id]) != (key["platform"], key["user_id"]):
            own[named.user_id] = None
            if named.platform != "platform":  # which says where it was, too
                own[named.platform] = None
    if table == "escalations" and own["resolved_user_id"] is None:
        own = {name: value for name, value in own.items() if name not in _OF_RESOLVER}
    return own


def _threads(db: Database, key: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for row in db.table("threads").rows_where(_IN_THREAD, key, order_by="rowid"):
        people = json.loads(row["participants"])
        mine = [one for one in people if one == key["user_id"]]
        own = _own_part("threads", row, key)
        found.append(own | {"participants": mine, "others": len(people) - len(mine)})
    return found


def _readable(row: Row) -> dict[str, Any]:
    return {
        name: json.loads(value) if name in _JSON and value else value
        for name, value in row.items()
        if name not in _LEFT_OUT
    }
