"""Taking one person out of every table of the journal, in one transaction."""

import json
import secrets

from sqlite_utils import Database

from core.exchanges import Person
from feedback.forgotten import pseudonyms
from feedback.person_columns import NAMELESS_EVENT, PEOPLE, TEXTS
from feedback.rows import Row, as_json, person_key

_MINE = "platform = :platform and user_id = :user_id"
_OWN = f"exchange_id in (select id from exchanges where {_MINE})"  # noqa: S608 - ours
# A place where nobody else ever asked, and nothing for all to see: a direct message.
_OWN_PLACE = f"""
    (platform, channel_id) in (select platform, channel_id from exchanges where {_MINE})
    and not exists (
        select 1 from exchanges as other
        where other.platform = {{table}}.platform and other.channel_id = {{table}}.channel_id
            and (other.user_id <> :user_id or not other.private)
    )
"""  # noqa: S608 - ours


def forget(db: Database, person: Person, at: str) -> dict[str, int]:
    """Erase what a person wrote, and put a made-up id in their place where something is counted.

    That a question was asked, how it was answered and that somebody voted remain; the words, the
    vectors made of them, the messages and places that lead to the person do not. Returns the rows
    that were changed or erased, by table.
    """
    key = person_key(person)
    nobody = pseudonyms(secrets.token_bytes(32))(key["platform"], key["user_id"])
    values = key | {"nobody": nobody, "at": at}
    done = {
        # In this order: later ones are found by what the exchanges' own row still says.
        "mutes": _mutes(db, values),
        "threads": _threads(db, values),
        "messages": _run(db, f"delete from messages where {_OWN}", values),  # noqa: S608 - ours
        "thumbs": _thumbs(db, values),
        "gaps": _gaps(db, values),
    }
    for table in ("reasons", "choices", "logged_gaps"):
        done[table] = _run(
            db,
            f"update {table} set user_id = :nobody{_blanked(table)} where {_MINE}",  # noqa: S608 - ours
            values,
        )
    done["escalations"] = _escalations(db, values)
    nameless = "update gap_decisions set platform = null, user_id = null"
    done["gap_decisions"] = _run(db, f"{nameless} where {_MINE}", values)
    for table in ("notices", "notice_optouts"):
        done[table] = _run(db, f"delete from {table} where {_MINE}", values)  # noqa: S608 - ours
    done["exchanges"] = _exchanges(db, values)
    return {table: done[table] for table in ("exchanges", "messages", *PEOPLE) if done.get(table)}


def _exchanges(db: Database, values: Row) -> int:
    # Marked deleted, else what was asked just now would be answered after a restart.
    return _run(
        db,
        f"""
        update exchanges set user_id = :nobody, channel_id = '', thread_id = '',
            event_id = {NAMELESS_EVENT}, vector = null,
            deleted_at = coalesce(deleted_at, :at){_blanked("exchanges")}
        where {_MINE}
        """,  # noqa: S608 - ours
        values,
    )


def _thumbs(db: Database, values: Row) -> int:
    # Also others' thumbs lead by their message to who asked.
    placeless = f"update or replace thumbs set channel_id = '' where {_OWN}"  # noqa: S608 - ours
    _run(db, placeless, values)
    return _run(db, f"update thumbs set user_id = :nobody where {_MINE}", values)  # noqa: S608 - ours


def _escalations(db: Database, values: Row) -> int:
    asked = f"update escalations set user_id = :nobody where {_MINE}"  # noqa: S608 - ours
    resolved = f"""
        update escalations set resolved_user_id = :nobody{_blanked("escalations")}
        where resolved_platform = :platform and resolved_user_id = :user_id
    """  # noqa: S608 - ours
    return _run(db, asked, values) + _run(db, resolved, values)


def _gaps(db: Database, values: Row) -> int:
    """Take ownership back, so that somebody else may take the gap."""
    owned = """
        update gaps set owner_platform = null, owner_user_id = null,
            status = case status when 'owned' then 'open' else status end
        where owner_platform = :platform and owner_user_id = :user_id
    """
    changed = """
        update gaps set changed_platform = null, changed_user_id = null
        where changed_platform = :platform and changed_user_id = :user_id
    """
    return _run(db, owned, values) + _run(db, changed, values)


def _mutes(db: Database, values: Row) -> int:
    mine = "user_platform = :platform and user_id = :user_id"
    place = _OWN_PLACE.format(table="mutes")
    gone = _run(db, f"delete from mutes where {mine} and {place}", values)  # noqa: S608 - ours
    # Elsewhere the silence is the channel's: only who asked for it is forgotten.
    return gone + _run(db, f"update mutes set user_id = :nobody where {mine}", values)  # noqa: S608 - ours


def _threads(db: Database, values: Row) -> int:
    """Keep the talk of others, in which the person still counts as somebody."""
    mine = """
        select rowid, opened_by, participants from threads where platform = :platform and (
            opened_by = :user_id
            or exists (select 1 from json_each(participants) where value = :user_id)
        )
    """
    me, nobody = values["user_id"], values["nobody"]
    found = list(db.execute(mine, dict(values)))
    for rowid, opened_by, participants in found:
        people = json.loads(participants)
        if set(people) <= {me}:
            db.execute("delete from threads where rowid = ?", [rowid])
            continue
        db.execute(
            "update threads set opened_by = ?, participants = ? where rowid = ?",
            [
                nobody if opened_by == me else opened_by,
                as_json(sorted(nobody if one == me else one for one in people)),
                rowid,
            ],
        )
    return len(found)


def _blanked(table: str) -> str:
    return "".join(f", {column} = ''" for column in TEXTS.get(table, ()))


def _run(db: Database, sql: str, values: Row) -> int:
    # SQLite's driver takes a mapping with names that the statement does not use.
    count: int = db.execute(sql, dict(values)).rowcount
    return count
