"""What the journal lets go of by itself, once a day."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol


class Purgeable(Protocol):
    """The part of the journal that can let go."""

    async def purge(self, before: datetime) -> Mapping[str, int]:
        """Erase words and names of what was asked before; returns the rows, by table."""
        ...


async def purge(journal: Purgeable, now: datetime, *, retention_days: int) -> Mapping[str, int]:
    """Erase what is older than the retention; return the rows, by table.

    Run it daily. Stopped in the midst, it goes on with the rest the next time.

    Raises:
        JournalUnavailable: it could not be written.
    """
    return await journal.purge(now - timedelta(days=retention_days))
