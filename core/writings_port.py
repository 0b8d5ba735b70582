"""What written answers need from whoever remembers: a part of the journal, as a Protocol."""

from datetime import datetime
from typing import Protocol

from core.exchanges import Person
from core.written import Spent, Writing


class Writings(Protocol):
    """Remembers what was asked of the language model, and what came of it: figures, no text.

    Every method raises JournalUnavailable when nothing could be saved or read, and NotFound when it
    was to record something about an exchange that is not there.
    """

    async def claim_writing(self, exchange_id: str, at: datetime) -> bool:
        """Begin the one writing that an exchange has; False if it was begun before."""
        ...

    async def record_writing(self, writing: Writing) -> None:
        """Record how a writing ended, in the place of what was known of it."""
        ...

    async def writing(self, exchange_id: str) -> Writing | None:
        """Return the writing of an exchange."""
        ...

    async def last_writings(self, limit: int) -> list[Writing]:
        """Return what was begun last, newest first."""
        ...

    async def spent(self, since: datetime, person: Person | None = None) -> Spent:
        """Return what was spent on writings begun since then, of one person or of all.

        What never reached the model (no budget, breaker open) is not counted.
        """
        ...

    async def chosen(self, exchange_id: str) -> bool:
        """Return whether somebody has picked another result of an exchange."""
        ...
