"""The shape of the journal's database, one function a step, never edited once released.

Ids of platforms are TEXT, since a Slack timestamp such as `1700000000.000100` is not a number.
Times are ISO-8601 in UTC, all of one width, so that they sort as text. Flags are 0 or 1.
"""

from sqlite_utils import Database, Migrations

from feedback.migrations_gaps import create_gap_tables
from feedback.migrations_writings import create_writings

migrations = Migrations("nightlamp")

_EXCHANGE = [("exchange_id", "exchanges", "id")]


@migrations()
def m001_journal(db: Database) -> None:
    """What was asked and answered, and everything that people do with an answer."""
    _create_exchanges(db)
    _create_messages(db)
    _create_opinions(db)
    _create_calls_for_people(db)
    _create_places(db)


@migrations()
def m002_gaps(db: Database) -> None:
    """Gaps with their questions and what was decided on them; digests; who was told."""
    create_gap_tables(db)


@migrations()
def m003_writings(db: Database) -> None:
    """What was asked of the language model, and what came of it: figures, no text."""
    create_writings(db)


@migrations()
def m004_parts(db: Database) -> None:
    """Whether more parts of an answer were to follow a message: a stop in between shows."""
    db.execute("alter table messages add column more integer not null default 0")


@migrations()
def m005_no_events(db: Database) -> None:
    """No table of events: an exchange knows the event that it came by, and nothing filled it."""
    db.execute("drop table events")


def unknown_steps(db: Database) -> set[str]:
    """Return the steps that this database has taken and this program does not know."""
    empty = Database(memory=True, execute_plugins=False)
    known = {step.name for step in migrations.pending(empty)}
    empty.close()
    return {step.name for step in migrations.applied(db)} - known


def _create_exchanges(db: Database) -> None:
    question = {
        "id": str,
        "tenant": str,
        "platform": str,
        "channel_id": str,
        "thread_id": str,
        "private": int,
        "user_id": str,
        "event_id": str,
        "question": str,
        "scope": str,  # JSON
        "follows": str,
        "asked_at": str,
    }
    outcome = {
        "outcome": str,
        "confidence": float,
        "distance": float,
        "dense": int,
        "ms": float,
        "model": str,
        "vector": bytes,  # of the question: float32, little endian
        "results": str,  # JSON
        "answered_at": str,
        "deleted_at": str,
    }
    table = db.table("exchanges").create(
        question | outcome,
        pk="id",
        not_null=question.keys() - {"follows", "event_id"},
        strict=True,
    )
    # NULL stands for "no event", and NULLs do not collide.
    table.create_index(["platform", "event_id"], unique=True)
    table.create_index(["asked_at"])
    table.create_index(["tenant", "asked_at"])
    table.create_index(["platform", "user_id", "asked_at"])


def _create_messages(db: Database) -> None:
    name = {"platform": str, "channel_id": str, "message_id": str}
    table = db.table("messages").create(
        name | {"exchange_id": str, "part": int, "deleted_at": str},
        pk=tuple(name),
        foreign_keys=_EXCHANGE,
        not_null={"exchange_id", "part"},
        strict=True,
    )
    table.create_index(["exchange_id"])


def _create_opinions(db: Database) -> None:
    who = {"exchange_id": str, "platform": str, "user_id": str}

    # Every event, not only what stands: events come twice and out of order. `id` is the order of
    # arrival, which decides between two of the same instant.
    thumb = {"channel_id": str, "message_id": str, "vote": str, "added": int, "at": str}
    thumbs = db.table("thumbs").create(
        {"id": int} | who | thumb,
        pk="id",
        foreign_keys=_EXCHANGE,
        not_null=who.keys() | thumb.keys(),
        strict=True,
    )
    thumbs.create_index(
        ["platform", "channel_id", "message_id", "user_id", "vote", "added", "at"], unique=True
    )
    thumbs.create_index(["exchange_id"])
    thumbs.create_index(["platform", "user_id"])

    reason = {"kind": str, "text": str, "right_section": str, "at": str}
    db.table("reasons").create(
        who | reason,
        pk=("exchange_id", "platform", "user_id"),
        foreign_keys=_EXCHANGE,
        not_null=reason.keys(),
        strict=True,
    )

    choice = {"position": int, "section_id": str, "at": str}
    choices = db.table("choices").create(
        {"id": int} | who | choice,
        pk="id",
        foreign_keys=_EXCHANGE,
        not_null=who.keys() | choice.keys(),
        strict=True,
    )
    choices.create_index(
        ["exchange_id", "platform", "user_id", "position", "section_id", "at"], unique=True
    )


def _create_calls_for_people(db: Database) -> None:
    who = {"exchange_id": str, "platform": str, "user_id": str, "at": str}
    db.table("logged_gaps").create(
        who,
        pk=("exchange_id", "platform", "user_id"),
        foreign_keys=_EXCHANGE,
        not_null={"at"},
        strict=True,
    )
    resolved = {"resolved_platform": str, "resolved_user_id": str, "resolved_at": str, "note": str}
    db.table("escalations").create(
        who | resolved,
        pk="exchange_id",
        foreign_keys=_EXCHANGE,
        not_null={"platform", "user_id", "at", "note"},
        strict=True,
    )


def _create_places(db: Database) -> None:
    place = {"platform": str, "channel_id": str, "thread_id": str}
    db.table("mutes").create(
        place | {"muted": int, "user_platform": str, "user_id": str, "at": str},
        pk=tuple(place),
        not_null={"muted", "user_platform", "user_id", "at"},
        strict=True,
    )
    thread = {"private": int, "opened_by": str, "exchange_id": str}
    threads = db.table("threads").create(
        place | thread | {"participants": str},  # JSON
        pk=tuple(place),
        foreign_keys=_EXCHANGE,
        not_null=thread.keys() | {"participants"},
        strict=True,
    )
    threads.create_index(["exchange_id"])
    events = db.table("events").create(
        {"platform": str, "event_id": str, "at": str},
        pk=("platform", "event_id"),
        not_null={"at"},
        strict=True,
    )
    events.create_index(["at"])
