"""Parts of the journal's rows: texts, times, and the columns that name a thing. Pure.

Text goes in as it is, NUL characters included, but for lone surrogates: UTF-8 has no form for
them, so each becomes U+FFFD, in what is looked up as in what is stored.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from core.exchanges import MessageRef, Person
from core.models import Platform, Where

Row = Mapping[str, Any]

_SURROGATES = re.compile("[\ud800-\udfff]")


def storable(row: Row) -> dict[str, Any]:
    """Return the row with each lone surrogate of its texts replaced by U+FFFD."""
    return {
        name: _SURROGATES.sub("\ufffd", value) if isinstance(value, str) else value
        for name, value in row.items()
    }


def instant(at: datetime) -> str:
    """Return an aware time as UTC text of one width, which sorts as the times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """Read a time back, aware, in UTC."""
    return datetime.fromisoformat(text)


def as_json(value: object) -> str:
    """Return a value as JSON that a person can read in the database."""
    return json.dumps(value, ensure_ascii=False)


def exchange_key(exchange_id: str) -> dict[str, str]:
    """Return the column that names an exchange in the other tables."""
    return _texts(exchange_id=exchange_id)


def where_key(where: Where) -> dict[str, str]:
    """Return the columns that name a thread, or a channel where there is no thread."""
    return _texts(platform=where.platform, channel_id=where.channel_id, thread_id=where.thread_id)


def message_key(message: MessageRef) -> dict[str, str]:
    """Return the columns that name a message."""
    return _texts(
        platform=message.platform, channel_id=message.channel_id, message_id=message.message_id
    )


def message_from(row: Row) -> MessageRef:
    """Read a message's name."""
    return MessageRef(Platform(row["platform"]), row["channel_id"], row["message_id"])


def person_key(person: Person) -> dict[str, str]:
    """Return the columns that name a person."""
    return _texts(platform=person.platform, user_id=person.user_id)


def person_from(row: Row, prefix: str = "") -> Person:
    """Read a person from the columns `platform` and `user_id` behind a prefix."""
    return Person(Platform(row[f"{prefix}platform"]), row[f"{prefix}user_id"])


def where_from(row: Row) -> Where:
    """Read a place."""
    return Where(
        Platform(row["platform"]), row["channel_id"], row["thread_id"], bool(row["private"])
    )


def _texts(**columns: str) -> dict[str, str]:
    return storable(columns)
