"""The file of the vector cache: what was embedded, when it was used last, what is let go.

Every method runs in one worker thread, and none of them fails: a file that is broken is begun anew,
one that is locked, full or unreadable is done without.
"""

import logging
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

UNUSED_DAYS: Final = 90
"""Days after which a vector that no build has used is let go."""
MOST_BYTES: Final = 8_000_000_000
"""What vectors take at most; then those go that were used longest ago, whoever needs them."""
_SHARE_FREED = 0.1
_SHARE_EMPTY = 0.5
"""Share of the file with nothing in it from which it is made smaller."""
_ROWS_AT_ONCE = 1_000
"""Rows in one transaction: another process waits no longer than these take."""
_LOCK_SECONDS = 0.2
_log = logging.getLogger(__name__)

T = TypeVar("T")


class VectorRows:
    """Vectors of `size` bytes by key. `today` is the number of the day."""

    def __init__(
        self, path: Path, size: int, today: Callable[[], int], most_bytes: int = MOST_BYTES
    ) -> None:
        self._path = path
        self._size = size
        self._today = today
        self._most_bytes = most_bytes
        self._database: sqlite3.Connection | None = None
        self._usable = True
        self._untold: set[bytes] = set()  # read, and not yet written down as used

    @property
    def usable(self) -> bool:
        """Return whether the file is opened again: it has not failed and is not closed."""
        return self._usable

    def read(self, keys: Iterable[bytes]) -> "dict[bytes, array[float]]":
        """Return the vectors that there are, and take down that they were used."""
        return self._attempt(lambda database: self._found(database, keys), {})

    def write(self, vectors: "Mapping[bytes, array[float]]") -> None:
        """Keep vectors, and make room where they have grown too many."""
        rows = [(key, vector.tobytes(), self._today()) for key, vector in vectors.items()]
        self._attempt(lambda database: self._save(database, rows), None)

    def forget_unused(self) -> int:
        """Let go of what was not used for 90 days; return how many vectors that were.

        Nothing goes while what was read cannot be written down as used.
        """
        return self._attempt(self._forget_unused, 0)

    def close(self) -> None:
        """Close the file; it is not opened again."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._take_down(self._database)
            with suppress(sqlite3.Error):
                self._database.close()
        self._database, self._usable = None, False

    def _found(
        self, database: sqlite3.Connection, keys: Iterable[bytes]
    ) -> "dict[bytes, array[float]]":
        found = {}
        for key in keys:
            row = database.execute(
                "select vector, used from vectors where key = ?", (key,)
            ).fetchone()
            if row is not None and len(row[0]) == self._size:
                found[key] = array("f", row[0])
                if row[1] != self._today():
                    self._untold.add(key)
        self._take_down(database)
        return found

    def _take_down(self, database: sqlite3.Connection) -> None:
        """Write down what was read as used today; what a lock keeps from it, the next time."""
        with suppress(sqlite3.OperationalError):
            while some := list(islice(self._untold, _ROWS_AT_ONCE)):
                with database:
                    database.executemany(
                        "update vectors set used = ? where key = ?",
                        [(self._today(), key) for key in some],
                    )
                self._untold.difference_update(some)

    def _save(self, database: sqlite3.Connection, rows: Sequence[tuple[bytes, bytes, int]]) -> None:
        with database:
            database.executemany(
                "insert or replace into vectors (key, vector, used) values (?, ?, ?)", rows
            )
        if _bytes(database) > self._most_bytes:
            [count] = database.execute("select count(*) from vectors").fetchone()
            self._let_go(database, "1", (), at_most=max(1, int(count * _SHARE_FREED)))

    def _forget_unused(self, database: sqlite3.Connection) -> int:
        self._take_down(database)
        if self._untold:
            return 0
        gone = self._let_go(database, "used < ?", (self._today() - UNUSED_DAYS,))
        if _free(database) > _SHARE_EMPTY:
            with suppress(sqlite3.OperationalError):  # no room for the copy: used again by and by
                database.execute("vacuum")
        if gone:
            _log.info("%d vectors that no build has used for long were let go", gone)
        return gone

    def _let_go(
        self,
        database: sqlite3.Connection,
        which: str,
        values: tuple[int, ...],
        at_most: int | None = None,
    ) -> int:
        """Delete rows, those that were used longest ago first; return how many."""
        gone, left = 0, at_most
        while left is None or left > 0:
            rows = _ROWS_AT_ONCE if left is None else min(left, _ROWS_AT_ONCE)
            with database:
                deleted = database.execute(
                    "delete from vectors where rowid in (select rowid from vectors "  # noqa: S608
                    f"where {which} order by used limit ?)",
                    (*values, rows),
                ).rowcount
            gone += deleted
            left = None if left is None else left - deleted
            if deleted < rows:
                break
        return gone

    def _attempt(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Do the work; drop a file that is broken and try once more; else go without a cache."""
        for _ in range(2):
            if not self._usable:
                break
            try:
                return work(self._opened())
            except sqlite3.OperationalError as error:
                _log.warning("The vector cache is not used from here on: %s.", error)
                self.close()
            except sqlite3.DatabaseError as error:
                _log.warning("The vector cache was broken and is begun anew: %s.", error)
                self._remove()
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            with suppress(OSError):  # which the database says better
                self._path.touch(mode=0o600)
            self._database = sqlite3.connect(self._path, timeout=_LOCK_SECONDS)
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = normal")
            _prepare(self._database, self._today())
        return self._database

    def _remove(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._usable = True


def _prepare(database: sqlite3.Connection, today: int) -> None:
    """Make the table; in one of an older version all was used today."""
    database.execute(
        "create table if not exists vectors (key blob primary key, vector blob not null, "
        "used integer not null default 0)"
    )
    columns = {row[1] for row in database.execute("pragma table_info(vectors)")}
    if "used" not in columns:
        database.execute(f"alter table vectors add column used integer not null default {today:d}")
    database.execute("create index if not exists vectors_by_use on vectors (used)")


def _bytes(database: sqlite3.Connection) -> int:
    """Return the bytes that are in use, without those that were freed."""
    [size] = database.execute("pragma page_size").fetchone()
    [pages] = database.execute("pragma page_count").fetchone()
    [free] = database.execute("pragma freelist_count").fetchone()
    return int(size * (pages - free))


def _free(database: sqlite3.Connection) -> float:
    """Return the share (0 to 1) of the file that nothing is in."""
    [pages] = database.execute("pragma page_count").fetchone()
    [free] = database.execute("pragma freelist_count").fetchone()
    return float(free / pages) if pages else 0.0
