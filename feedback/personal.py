"""A person and the journal: all that is kept of them as a file, and forgetting it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.exchanges import Person


class PersonalJournal(Protocol):
    """The part of the journal that is about people themselves."""

    async def rows_of(self, person: Person) -> Mapping[str, list[dict[str, Any]]]:
        """Return all rows that a person stands in, by table, without what is others'."""
        ...

    async def forget(self, person: Person, at: datetime) -> Mapping[str, int]:
        """Take a person out of every table; returns the rows, by table."""
        ...


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased or made nameless: rows by table, only those where there were some."""

    rows: Mapping[str, int]

    @property
    def total(self) -> int:
        """Return how many rows that were."""
        return sum(self.rows.values())


class People:
    """What `/my-data`, `/forget-me` and `nightlamp forget` do."""

    def __init__(self, journal: PersonalJournal) -> None:
        self._journal = journal

    async def collect(self, person: Person, now: datetime) -> bytes:
        """Return all that the journal keeps of a person, as JSON to be read.

        Nothing of others is in it: neither who voted on their answers nor who else was in a thread.

        Raises:
            JournalUnavailable: it could not be read.
        """
        rows = await self._journal.rows_of(person)
        told = {
            "person": {"platform": str(person.platform), "user_id": person.user_id},
            "made_at": now.isoformat(timespec="seconds"),
            "rows": rows,
        }
        return (json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")

    async def forget(self, person: Person, now: datetime) -> Forgotten:
        """Erase what a person wrote, and make nameless what must be counted.

        What the platforms keep, what was written to logs before (ids, no words) and older backups
        are out of its reach.

        Raises:
            JournalUnavailable: nothing was forgotten.
        """
        return Forgotten(await self._journal.forget(person, now))
