"""The tables of gaps and digests. Called by one step of the migrations, and never edited again."""

from sqlite_utils import Database

_GAP = [("gap_id", "gaps", "id")]
_DECISION = {"status": str, "section": str, "build": str}  # section: JSON
_PERSON = {"platform": str, "user_id": str}


def create_gap_tables(db: Database) -> None:
    """Create what is remembered of gaps, of digests and of who was told."""
    _create_gaps(db)
    _create_digests(db)
    _create_notices(db)
    # Most of what is old has lost its name already: the daily purge sees only what has not.
    db.execute(
        "create index idx_exchanges_named on exchanges (asked_at) "
        "where user_id not glob 'forgotten-*'"
    )


def _create_gaps(db: Database) -> None:
    known = {"id": str, "tenant": str, "created_at": str}
    owner = {"owner_platform": str, "owner_user_id": str, "snoozed_until": str}
    changed = {"changed_at": str, "changed_platform": str, "changed_user_id": str}
    gaps = db.table("gaps").create(
        known | _DECISION | owner | changed,
        pk="id",
        not_null=known.keys() | {"status", "build"},
        strict=True,
    )
    gaps.create_index(["tenant", "created_at"])

    # An exchange belongs to one gap for good: hence the key.
    members = db.table("gap_exchanges").create(
        {"exchange_id": str, "gap_id": str},
        pk="exchange_id",
        foreign_keys=[("exchange_id", "exchanges", "id"), *_GAP],
        not_null={"gap_id"},
        strict=True,
    )
    members.create_index(["gap_id"])

    decisions = db.table("gap_decisions").create(
        {"id": int, "gap_id": str} | _PERSON | _DECISION | {"snoozed_until": str, "at": str},
        pk="id",
        foreign_keys=_GAP,
        not_null={"gap_id", "status", "build", "at"},
        strict=True,
    )
    decisions.create_index(["gap_id"])


def _create_digests(db: Database) -> None:
    posting = {"tenant": str, "schedule": str, "period": str}
    db.table("digests").create(
        posting | {"claimed_at": str, "outcome": str, "done_at": str},
        pk=tuple(posting),
        not_null={"claimed_at", "outcome"},
        strict=True,
    )


def _create_notices(db: Database) -> None:
    notice = {"gap_id": str} | _PERSON | {"build": str}
    notices = db.table("notices").create(
        notice | {"at": str},
        pk=tuple(notice),
        foreign_keys=_GAP,
        not_null={"at"},
        strict=True,
    )
    notices.create_index(["platform", "user_id"])
    db.table("notice_optouts").create(
        _PERSON | {"at": str}, pk=tuple(_PERSON), not_null={"at"}, strict=True
    )
