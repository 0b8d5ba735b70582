"""Erasing what is older than the retention, a few rows at a time, so that no vote waits long."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from feedback.forgotten import PREFIX, pseudonyms
from feedback.person_columns import NAMELESS_EVENT, PEOPLE, TEXTS

AT_ONCE: Final = 300
"""Rows in one transaction: some tens of milliseconds."""

_OLD: Final = "exists (select 1 from exchanges where id = exchange_id and asked_at < :before)"
_NAMED: Final = f"not glob '{PREFIX}*'"


@dataclass(frozen=True, slots=True)
class Step:
    """One statement that changes up to `:most` rows of a table and is run until it finds none."""

    table: str
    sql: str


def steps() -> Iterator[Step]:
    """Yield what erases everything of questions that were asked before `:before`.

    Words and vectors go, and who asked or voted becomes somebody made up, the same one throughout,
    so that what is counted stays what it was.
    """
    for table in ("reasons", "thumbs", "choices", "logged_gaps", "escalations"):
        for index, named in enumerate(PEOPLE[table]):
            texts = TEXTS.get(table, ()) if index == 0 else ()
            yield _some(table, _made_up(named.platform, named.user_id, *texts), _OLD, named.user_id)
    # Notes written later than their escalation, and private places.
    yield _some("escalations", "note = ''", f"{_OLD} and note <> ''")
    private = f"select id from exchanges where private and asked_at < :before and user_id {_NAMED}"  # noqa: S608 - ours
    yield Step("messages", _deleted("messages", f"exchange_id in ({private})"))
    yield Step("threads", _deleted("threads", _OLD))
    yield Step("notices", _deleted("notices", "at < :before"))
    yield _some(
        "gap_decisions",
        "platform = null, user_id = null",
        "at < :before and user_id is not null",
    )
    yield _some(
        "gaps",
        "changed_platform = null, changed_user_id = null",
        "changed_at < :before and changed_user_id is not null",
    )
    yield _some("mutes", _made_up("user_platform", "user_id"), "at < :before", "user_id")
    # The exchanges last: what belongs to them is found by their age, and what was not reached
    # because of a stop is found the next time.
    yield _some(
        "exchanges",
        f"{_made_up('platform', 'user_id', *TEXTS['exchanges'])}, vector = null, "
        f"event_id = {NAMELESS_EVENT}, "
        "channel_id = iif(private, '', channel_id), thread_id = iif(private, '', thread_id)",
        "asked_at < :before",
        "user_id",
    )


def some_step(db: Database, step: Step, before: str, key: bytes) -> int:
    """Run a step once; returns how many rows it changed."""
    db.conn.create_function("pseudonym", 2, _for_sql(pseudonyms(key)), deterministic=True)
    count: int = db.execute(step.sql, {"before": before, "most": AT_ONCE}).rowcount
    return count


def new_key() -> bytes:
    """Return what made-up ids are made with, to be thrown away afterwards."""
    return secrets.token_bytes(32)


def _for_sql(pseudonym: Callable[[str, str], str]) -> Callable[[str, str], str]:
    return lambda platform, user_id: pseudonym(platform, user_id)


def _made_up(platform: str, user_id: str, *texts: str) -> str:
    blank = "".join(f", {text} = ''" for text in texts)
    return f"{user_id} = pseudonym({platform}, {user_id}){blank}"


def _some(table: str, change: str, which: str, user_id: str = "") -> Step:
    if user_id:
        which = f"{user_id} is not null and {user_id} {_NAMED} and {which}"
    some = f"select rowid from {table} where {which} limit :most"  # noqa: S608 - ours
    return Step(table, f"update {table} set {change} where rowid in ({some})")  # noqa: S608 - ours


def _deleted(table: str, which: str) -> str:
    some = f"select rowid from {table} where {which} limit :most"  # noqa: S608 - ours
    return f"delete from {table} where rowid in ({some})"  # noqa: S608 - ours
