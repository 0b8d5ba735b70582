"""What the journal asks its database, beyond one row by its key."""

from sqlite_utils import Database

from core.exchanges import TOLD, Exchange, MessageRef, Person
from core.models import Platform, Vote, Where
from feedback.database import change, unknown_exchange
from feedback.exchange_rows import exchange_from
from feedback.forgotten import PREFIX
from feedback.rows import (
    Row,
    exchange_key,
    message_from,
    message_key,
    person_from,
    person_key,
    where_key,
)

TABLES = (
    "exchanges",
    "messages",
    "thumbs",
    "reasons",
    "choices",
    "logged_gaps",
    "escalations",
    "mutes",
    "threads",
    "gaps",
    "gap_exchanges",
    "gap_decisions",
    "digests",
    "notices",
    "notice_optouts",
    "writings",
)
_IS_MESSAGE = "platform = :platform and channel_id = :channel_id and message_id = :message_id"
_IS_PERSON = "platform = :platform and user_id = :user_id"
_IS_PLACE = "platform = :platform and channel_id = :channel_id and thread_id = :thread_id"
_IN_CHANNEL = "platform = :platform and channel_id = :channel_id and thread_id in (:thread_id, '')"
_UNANSWERED = """asked_at >= :since and deleted_at is null and (
    outcome is null
    or not exists (select 1 from messages where messages.exchange_id = exchanges.id)
    or (
        select more from messages
        where messages.exchange_id = exchanges.id and messages.deleted_at is null
        order by part desc limit 1
    )
)"""
# Of the events about one thumb (a person, a message, up or down) the newest says whether it stands.
_STANDING = """
    select platform, user_id, vote from (
        select *, row_number() over (
            partition by platform, channel_id, message_id, user_id, vote order by at desc, id desc
        ) as age
        from thumbs where exchange_id = :exchange_id
    )
    where age = 1 and added
    order by at, id
"""
_STANDING_ON = _STANDING.replace("exchange_id = :exchange_id", _IS_MESSAGE)
_OPEN_MESSAGES = """
    select messages.* from messages join exchanges on exchanges.id = messages.exchange_id
    where messages.platform = :platform and not private and messages.deleted_at is null
        and asked_at >= :since and coalesce(event_id, '') not like :told
    order by asked_at desc, exchanges.rowid desc, part desc
"""


def exchange(db: Database, exchange_id: str) -> Exchange | None:
    """Return an exchange by its id."""
    found = _exchanges(db, "id = :exchange_id", exchange_key(exchange_id), "id")
    return found[0] if found else None


def exchange_of(db: Database, message: MessageRef) -> Exchange | None:
    """Return the exchange that a message carries or carried."""
    carried = f"id = (select exchange_id from messages where {_IS_MESSAGE})"  # noqa: S608 - ours
    found = _exchanges(db, carried, message_key(message), "id")
    return found[0] if found else None


def unanswered(db: Database, since: str) -> list[Exchange]:
    """Return what still waits for an outcome, a message or a further part, oldest first."""
    return _exchanges(db, _UNANSWERED, {"since": since}, "asked_at, rowid")


def recent(db: Database, person: Person, limit: int) -> list[Exchange]:
    """Return what a person asked last, newest first."""
    return _exchanges(db, _IS_PERSON, person_key(person), "asked_at desc, rowid desc", limit)


def messages(db: Database, exchange_id: str) -> list[Row]:
    """Return the rows of an exchange's messages that were not deleted, in their order."""
    there = "exchange_id = :exchange_id and deleted_at is null"
    key = exchange_key(exchange_id)
    return list(db.table("messages").rows_where(there, key, order_by="part, rowid"))


def change_exchange(db: Database, exchange_id: str, values: Row) -> None:
    """Update an exchange.

    Raises:
        NotFound: there is none with this id.
    """
    key = {"id": exchange_key(exchange_id)["exchange_id"]}
    if not change(db, "exchanges", key, values):
        raise unknown_exchange()


def asker_forgotten(db: Database, exchange_id: str) -> bool:
    """Return whether who asked was forgotten, maybe while the answer was on its way."""
    row = next(
        db.query(
            "select user_id from exchanges where id = :exchange_id", exchange_key(exchange_id)
        ),
        None,
    )
    return row is not None and row["user_id"].startswith(PREFIX)


def standing(db: Database, exchange_id: str) -> dict[Person, Vote]:
    """Return each person's newest thumb that still stands."""
    rows = db.query(_STANDING, exchange_key(exchange_id))
    return {person_from(row): Vote(row["vote"]) for row in rows}


def thumbs_on(db: Database, message: MessageRef) -> set[tuple[Person, Vote]]:
    """Return the thumbs that stand on one message."""
    rows = db.query(_STANDING_ON, message_key(message))
    return {(person_from(row), Vote(row["vote"])) for row in rows}


def open_messages(db: Database, platform: Platform, since: str) -> list[MessageRef]:
    """Return the messages that all can see of what was asked since then, newest first.

    Not those by which somebody was told of an answer: votes on them come by buttons.
    """
    wanted = {"platform": str(platform), "since": since, "told": f"{TOLD}%"}
    rows = db.query(_OPEN_MESSAGES, wanted)
    return [message_from(row) for row in rows]


def keep_newest_reason(db: Database, row: Row) -> None:
    """Store a reason unless a newer one of the same person stands."""
    newer = f"exchange_id = :exchange_id and {_IS_PERSON} and at > :at"
    if not db.table("reasons").count_where(newer, dict(row)):
        db.table("reasons").upsert(dict(row))


def escalation_row(db: Database, exchange_id: str) -> Row | None:
    """Return the row of an exchange's escalation."""
    key = exchange_key(exchange_id)
    return next(db.table("escalations").rows_where("exchange_id = :exchange_id", key), None)


def thread_row(db: Database, where: Where) -> Row | None:
    """Return the row of the thread at a place."""
    return next(db.table("threads").rows_where(_IS_PLACE, where_key(where)), None)


def muted(db: Database, where: Where) -> bool:
    """Return whether a place is silenced; a thread's own row outranks its channel's."""
    words = db.table("mutes").rows_where(
        _IN_CHANNEL, where_key(where), order_by="thread_id desc", limit=1
    )
    return any(row["muted"] for row in words)


def _exchanges(
    db: Database, where: str, values: Row, order: str, limit: int | None = None
) -> list[Exchange]:
    rows = list(db.table("exchanges").rows_where(where, dict(values), order_by=order, limit=limit))
    return [exchange_from(row, messages(db, row["id"])) for row in rows]
