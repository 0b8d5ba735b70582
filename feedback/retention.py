"""What the journal lets go of by itself, once a day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

EVENTS_KEPT: Final = timedelta(days=2)
"""How long a platform's event is known to have been seen. Slack delivers an event again within
minutes, with delayed events switched on for a day."""


class Purgeable(Protocol):
    """The part of the journal that can let go."""

    async def purge(self, before: datetime) -> Mapping[str, int]:
        """Erase words and names of what was asked before; returns the rows, by table."""
        ...

    async def forget_events(self, older_than: timedelta, now: datetime) -> int:
        """Drop the memory of old events; returns how many."""
        ...


@dataclass(frozen=True, slots=True)
class Purge:
    """What one run let go: rows by table, and events."""

    rows: Mapping[str, int]
    events: int


async def purge(journal: Purgeable, now: datetime, *, retention_days: int) -> Purge:
    """Erase what is older than the retention, and forget old events.

    Run it daily. Stopped in the midst, it goes on with the rest the next time.

    Raises:
        JournalUnavailable: it could not be written.
    """
    rows = await journal.purge(now - timedelta(days=retention_days))
    return Purge(rows, await journal.forget_events(EVENTS_KEPT, now))
