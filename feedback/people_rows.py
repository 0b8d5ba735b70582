"""What people do with an answer, to rows of the journal and back. Pure."""

import json
from datetime import datetime
from typing import Any

from core.exchanges import (
    Choice,
    Escalation,
    LoggedGap,
    Person,
    Reason,
    ReasonKind,
    Thread,
    Thumb,
)
from core.models import Where
from feedback.rows import (
    Row,
    as_json,
    exchange_key,
    instant,
    message_key,
    moment,
    person_from,
    person_key,
    storable,
    where_from,
    where_key,
)


def thumb_row(thumb: Thumb, exchange_id: str) -> dict[str, Any]:
    """Return the row of a thumb's event."""
    event = {"vote": thumb.vote, "added": int(thumb.added), "at": instant(thumb.at)}
    return person_key(thumb.person) | message_key(thumb.message) | exchange_key(exchange_id) | event


def reason_row(reason: Reason) -> dict[str, Any]:
    """Return the row of a reason."""
    return person_key(reason.person) | storable(
        {
            "exchange_id": reason.exchange_id,
            "kind": reason.kind,
            "text": reason.text,
            "right_section": reason.right_section,
            "at": instant(reason.at),
        }
    )


def reason_from(row: Row) -> Reason:
    """Read a reason."""
    return Reason(
        exchange_id=row["exchange_id"],
        person=person_from(row),
        kind=ReasonKind(row["kind"]),
        text=row["text"],
        at=moment(row["at"]),
        right_section=row["right_section"],
    )


def choice_row(choice: Choice) -> dict[str, Any]:
    """Return the row of a choice."""
    return person_key(choice.person) | storable(
        {
            "exchange_id": choice.exchange_id,
            "position": choice.index,
            "section_id": choice.section_id,
            "at": instant(choice.at),
        }
    )


def choice_from(row: Row) -> Choice:
    """Read a choice."""
    return Choice(
        exchange_id=row["exchange_id"],
        person=person_from(row),
        index=row["position"],
        section_id=row["section_id"],
        at=moment(row["at"]),
    )


def logged_from(row: Row) -> LoggedGap:
    """Read a gap that was logged by hand."""
    return LoggedGap(row["exchange_id"], person_from(row), moment(row["at"]))


def gap_row(gap: LoggedGap) -> dict[str, Any]:
    """Return the row of a gap that was logged by hand."""
    what = storable({"exchange_id": gap.exchange_id, "at": instant(gap.at)})
    return person_key(gap.person) | what


def escalation_row(escalation: Escalation) -> dict[str, Any]:
    """Return the row of an escalation."""
    what = {"exchange_id": escalation.exchange_id, "at": instant(escalation.at), "note": ""}
    row = person_key(escalation.person) | storable(what)
    if escalation.resolved_by and escalation.resolved_at:
        row |= resolution_row(escalation.resolved_by, escalation.note, escalation.resolved_at)
    return row


def resolution_row(person: Person, note: str, at: datetime) -> dict[str, Any]:
    """Return the columns that say who resolved an escalation, when and how."""
    return storable(
        {
            "resolved_platform": person.platform,
            "resolved_user_id": person.user_id,
            "resolved_at": instant(at),
            "note": note,
        }
    )


def escalation_from(row: Row) -> Escalation:
    """Read an escalation."""
    resolved = row["resolved_at"] is not None
    return Escalation(
        exchange_id=row["exchange_id"],
        person=person_from(row),
        at=moment(row["at"]),
        resolved_by=person_from(row, "resolved_") if resolved else None,
        resolved_at=moment(row["resolved_at"]) if resolved else None,
        note=row["note"],
    )


def mute_row(where: Where, muted: bool, person: Person, at: datetime) -> dict[str, Any]:
    """Return the row of a place where the bot was silenced or woken, and by whom."""
    who = {"user_platform": person.platform, "user_id": person.user_id, "at": instant(at)}
    return where_key(where) | storable(who) | {"muted": int(muted)}


def thread_row(thread: Thread) -> dict[str, Any]:
    """Return the row of a thread."""
    return where_key(thread.where) | storable(
        {
            "private": int(thread.where.private),
            "opened_by": thread.opened_by,
            "exchange_id": thread.exchange_id,
            "participants": as_json(sorted(thread.participants)),
        }
    )


def thread_from(row: Row) -> Thread:
    """Read a thread."""
    participants = frozenset(json.loads(row["participants"]))
    return Thread(where_from(row), row["opened_by"], row["exchange_id"], participants)
