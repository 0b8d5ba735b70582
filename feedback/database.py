"""The journal's SQLite file: opening it, one transaction, and what each failure means."""

import logging
import os
import sqlite3
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from core.errors import JournalUnavailable, NightlampError, NotFound
from feedback.migrations import migrations, unknown_steps

_UNREADABLE = (ValueError, KeyError, TypeError, struct.error)
"""What a row raises in which bytes were changed: no UTF-8, no JSON, no time, no outcome's name."""

log = logging.getLogger(__name__)

_OWNER_ONLY = 0o600
WHOLE = 200_000_000
"""Bytes of a journal (about 40,000 questions) that are written anew in two or three seconds."""
_CHECK_FOLDER = "check that its folder exists and that this user may write there"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: "is locked by another program: close what has it open and try again",
    sqlite3.SQLITE_LOCKED: "is locked by another program: close what has it open and try again",
    sqlite3.SQLITE_READONLY: f"is read-only: {_CHECK_FOLDER}",
    sqlite3.SQLITE_PERM: f"may not be used: {_CHECK_FOLDER}",
    sqlite3.SQLITE_CANTOPEN: f"cannot be opened: {_CHECK_FOLDER}",
    sqlite3.SQLITE_FULL: "has no room left: free some space on its disk and try again",
    sqlite3.SQLITE_IOERR: "met a failing disk: check the disk and its free space",
    sqlite3.SQLITE_CORRUPT: "is damaged: stop Nightlamp and restore a backup of it",
    sqlite3.SQLITE_NOTADB: "is no journal or is damaged: stop Nightlamp and restore a backup of it",
    sqlite3.SQLITE_TOOBIG: "cannot hold a text of that size: send less",
}


def open_database(path: Path | None, busy_timeout: float) -> Database:
    """Open and migrate the journal's database; it belongs to the calling thread from then on.

    `busy_timeout` is how many seconds a statement waits for another program's lock. With
    `synchronous=full` each commit is on the disk before it is acknowledged.

    Raises:
        JournalUnavailable: it cannot be opened, or was written by a newer Nightlamp.
    """
    try:
        with explaining(path):
            if path is not None:
                _make_private(path)
            return _connect(path, busy_timeout)
    except OSError as error:
        reason = f"cannot be opened ({error.strerror}): {_CHECK_FOLDER}"
        raise _unavailable(path, reason) from error


@contextmanager
def open_for_reading(path: Path, busy_timeout: float = 5.0) -> Iterator[Database]:
    """Open a second connection that reads one state of the journal, whatever is written meanwhile.

    It belongs to the calling thread. The journal is neither made nor migrated.

    Raises:
        JournalUnavailable: it cannot be opened or read.
    """
    with explaining(path), closing(connect_existing(path, busy_timeout)) as connection:
        connection.execute("begin")
        yield Database(connection, execute_plugins=False)


def connect_existing(path: Path, busy_timeout: float = 5.0) -> sqlite3.Connection:
    """Connect to a journal that is there, for reading alone.

    Not by `mode=ro`: such a connection leaves the files of the log behind when it was the last.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None)
    connection.execute("pragma query_only = on")
    return connection


def scrub(db: Database, path: Path | None, *, whole: bool) -> None:
    """Take what was erased out of the files, too: the write-ahead log and, if `whole`, every page.

    Erased rows are overwritten at once (`secure_delete`), but a page that was rearranged before may
    hold an older copy of some in its unused part: in many trials of ids in indexes, never of words.
    Writing the file anew ends that; over WHOLE bytes, where it would hold votes up for long, only
    its indexes are. A reader in the midst of an older state holds the log up until the next time.
    """
    if whole:
        pages, size = (db.execute(f"pragma page_{of}").fetchone()[0] for of in ("count", "size"))
        db.execute("vacuum" if pages * size <= WHOLE else "reindex")
    busy, _, _ = db.execute("pragma wal_checkpoint(truncate)").fetchone()
    if busy:
        log.warning("%s: erased words stay in its log until it is erased from again", path)


@contextmanager
def writing(db: Database) -> Iterator[Database]:
    """Hold the write lock for one transaction, all of it or nothing.

    The lock is taken at once: a transaction that first reads and then writes would fail without
    waiting where another program wrote in between.
    """
    db.execute("begin immediate")
    try:
        yield db
        db.commit()
    except BaseException:
        db.rollback()
        raise


def insert_new(db: Database, table: str, row: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is taken; return whether it was inserted."""
    columns, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    sql = f"insert into {table} ({columns}) values ({values}) on conflict do nothing"  # noqa: S608 - our names
    return db.execute(sql, dict(row)).rowcount == 1


def change(db: Database, table: str, key: Mapping[str, Any], values: Mapping[str, Any]) -> int:
    """Update the rows that have these values in their key columns; return how many."""
    columns = ", ".join(f"{name} = :{name}" for name in values)
    same = " and ".join(f"{name} is :key_{name}" for name in key)
    named = dict(values) | {f"key_{name}": value for name, value in key.items()}
    sql = f"update {table} set {columns} where {same}"  # noqa: S608 - our names
    return db.execute(sql, named).rowcount


@contextmanager
def explaining(path: Path | None) -> Iterator[None]:
    """Turn what SQLite raises, and what reading its rows raises, into an error of ours.

    Raises:
        JournalUnavailable: nothing was saved or read.
        NotFound: a row was to refer to an exchange that is not there.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise explained(error, path) from error
    except _UNREADABLE as error:
        raise damaged(path) from error


def explained(error: sqlite3.Error, path: Path | None) -> NightlampError:
    """Return the error of ours for one of SQLite's, with a sentence that says what to do."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
        return unknown_exchange()
    if code is None and "closed" in str(error):
        return closed(path)
    # The low byte is the kind of failure; the rest of an extended code only refines it.
    remedy = _REMEDIES.get((code or 0) & 0xFF, f"failed ({error}): see the log")
    return _unavailable(path, remedy)


def unknown_exchange() -> NotFound:
    """Return the error for an exchange that the journal does not have, or no longer has."""
    return NotFound("The journal has no such exchange: ask the question again.")


def file_at(path: Path | None) -> tuple[int, int] | None:
    """Return what tells a file from another one that took its place; None where none is."""
    try:
        found = path.stat() if path else None
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None


def gone(path: Path) -> JournalUnavailable:
    """Return the error for a journal whose file was removed under it."""
    return _unavailable(path, "is no longer there: restart Nightlamp, then restore a backup of it")


def damaged(path: Path | None) -> JournalUnavailable:
    """Return the error for a journal whose file was spoilt."""
    return _unavailable(path, _REMEDIES[sqlite3.SQLITE_CORRUPT])


def closed(path: Path | None) -> JournalUnavailable:
    """Return the error for a journal that is asked something after it was closed."""
    return _unavailable(path, "is closed: Nightlamp is stopping, ask again when it is back")


def _unavailable(path: Path | None, remedy: str) -> JournalUnavailable:
    return JournalUnavailable(f"The journal {path or 'in memory'} {remedy}.")


def _make_private(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))
    except FileExistsError:
        # By name, not by descriptor: closing one would drop the locks of this process's others.
        if path.is_file() and path.stat().st_mode & 0o777 != _OWNER_ONLY:
            path.chmod(_OWNER_ONLY)


def _connect(path: Path | None, busy_timeout: float) -> Database:
    connection = sqlite3.connect(path or ":memory:", timeout=busy_timeout, isolation_level=None)
    try:
        db = Database(connection, execute_plugins=False)
        db.execute("pragma foreign_keys = on")
        db.execute("pragma synchronous = full")
        db.execute("pragma secure_delete = on")
        _migrate(db, path)
    except BaseException:
        connection.close()
        raise
    return db


def _migrate(db: Database, path: Path | None) -> None:
    if unknown_steps(db):
        remedy = "was written by a newer Nightlamp: install that version or use another data folder"
        raise _unavailable(path, remedy)
    db.enable_wal()
    if migrations.pending(db):
        # Under the write lock: of two programs that start at once, the second finds it done.
        with writing(db):
            migrations.apply(db)
