"""The one thread that owns the journal's connection, and how work gets onto it and beside it."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from core.errors import JournalUnavailable
from feedback.database import (
    closed,
    explaining,
    file_at,
    gone,
    open_for_reading,
    scrub,
    writing,
)

log = logging.getLogger(__name__)

T = TypeVar("T")


class JournalWorker:
    """Runs work over the journal's database, so that the event loop never waits for it."""

    def __init__(
        self,
        db: Database,
        worker: ThreadPoolExecutor,
        path: Path | None,
        now: Callable[[], datetime],
    ) -> None:
        self._db = db
        self._worker = worker
        self._path = path
        self._file = file_at(path)
        self._now = now

    async def _write(self, work: Callable[[Database], T]) -> T:
        """Run work in one transaction of its own, all of it or nothing.

        Nothing is written to a file that was removed or replaced: it would be lost with this
        process, though SQLite says that it was saved.
        """

        def whole(db: Database) -> T:
            if self._path is not None and file_at(self._path) != self._file:
                raise gone(self._path)
            with writing(db):
                return work(db)

        return await self._run(whole)

    async def _run(self, work: Callable[[Database], T]) -> T:
        """Run work on the connection, after all that was asked for before."""

        def job() -> T:
            with explaining(self._path):
                return work(self._db)

        try:
            future = asyncio.get_running_loop().run_in_executor(self._worker, job)
        except RuntimeError:  # the executor's word for being shut down
            raise closed(self._path) from None
        return await future

    async def _read_aside(self, work: Callable[[Database], T]) -> T:
        """Run long reading on a connection of its own: no vote waits for it.

        A journal in memory has one connection only, so there it waits its turn.
        """
        if self._path is None:
            return await self._run(work)
        path = self._path

        def job() -> T:
            with open_for_reading(path) as db:
                return work(db)

        return await asyncio.to_thread(job)

    async def _scrub(self, *, whole: bool = False) -> None:
        """Take what was erased out of the files, too; where that fails it is erased all the same.

        See `feedback.database.scrub`.
        """
        try:
            await self._run(lambda db: scrub(db, self._path, whole=whole))
        except JournalUnavailable as error:
            log.warning("Erased rows may still stand in the journal's files. %s", error)
