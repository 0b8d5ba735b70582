"""The journal's half that is about people themselves: what is kept of one, and erasing it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.exchanges import Person
from feedback.collecting import collect
from feedback.forgetting import forget
from feedback.purging import new_key, some_step, steps
from feedback.rows import instant
from feedback.worker import JournalWorker


class PeopleStore(JournalWorker):
    """Shows and erases what the journal keeps of people."""

    async def rows_of(self, person: Person) -> Mapping[str, list[dict[str, Any]]]:
        """Return all rows that a person stands in, by table, without what is others'."""
        return await self._read_aside(lambda db: collect(db, person))

    async def forget(self, person: Person, at: datetime) -> Mapping[str, int]:
        """Take a person out of every table, and their words out of the files.

        Returns the rows that were changed or erased, by table; a second time there are none.
        """
        done = await self._write(lambda db: forget(db, person, instant(at)))
        await self._scrub(whole=True)
        return done

    async def purge(self, before: datetime) -> Mapping[str, int]:
        """Erase words and names of what was asked before; what is counted remains.

        It is done in many small transactions, between which votes are saved, and begins again
        where it was stopped. Returns the rows that were changed or erased, by table.
        """
        limit, key = instant(before), new_key()
        done: dict[str, int] = {}
        for step in steps():
            while count := await self._write(
                lambda db, step=step: some_step(db, step, limit, key)  # type: ignore[misc]
            ):
                done[step.table] = done.get(step.table, 0) + count
        if done:
            await self._scrub()
        return done
