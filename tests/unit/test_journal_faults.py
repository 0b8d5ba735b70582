"""Every way in which SQLite fails is one JournalUnavailable that says what to do."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlite_utils import Database

from core.errors import JournalUnavailable, NotFound
from core.exchanges import LoggedGap, MessageRef, Person
from core.models import Platform, Question, Where
from feedback.database import open_database
from feedback.journal import SqliteJournal, open_journal

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
QUESTION = Question("why?", "acme", "U1", NOON, Where(Platform.SLACK, "C1"))
MESSAGE = MessageRef(Platform.SLACK, "C1", "1700000000.000100")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def remove(path: Path) -> None:
    path.unlink()


def replace_with(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def damage(path: Path) -> None:
    """Spoil every page but the first."""
    sound, page = path.read_bytes(), 4096
    path.write_bytes(sound[:page] + b"\xff" * (len(sound) - page))


@contextmanager
def locked(path: Path) -> Iterator[sqlite3.Connection]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    yield other
    other.close()


@pytest.fixture
async def broken() -> AsyncIterator[tuple[SqliteJournal, Callable[[str], object]]]:
    """Yield a journal in memory, and a way to set a pragma on its own connection."""
    with ThreadPoolExecutor(max_workers=1) as worker:
        db: Database = worker.submit(open_database, None, 0.1).result()
        yield (
            SqliteJournal(db, worker, None, lambda: NOON),
            lambda pragma: worker.submit(
                lambda: db.execute(f"pragma {pragma}").fetchall()
            ).result(),
        )
        worker.submit(db.close).result()


async def test_a_locked_journal_is_unavailable_after_its_busy_timeout(path: Path) -> None:
    async with open_journal(path, busy_timeout=0.05) as journal:
        with locked(path), pytest.raises(JournalUnavailable) as failure:
            await journal.receive("x1", QUESTION)
    assert str(failure.value) == (
        f"The journal {path} is locked by another program: close what has it open and try again."
    )


async def test_a_locked_journal_does_not_stop_the_loop(path: Path) -> None:
    async with open_journal(path, busy_timeout=60) as journal:
        with locked(path) as other:
            receiving = asyncio.create_task(journal.receive("x1", QUESTION))
            for _ in range(1000):
                await asyncio.sleep(0)
            assert not receiving.done()
            other.rollback()
            assert await receiving


async def test_a_locked_journal_can_still_be_read(path: Path) -> None:
    async with open_journal(path, busy_timeout=0.05) as journal:
        await journal.receive("x1", QUESTION)
        with locked(path):
            assert await journal.exchange("x1")


async def test_a_journal_works_again_once_the_lock_is_gone(path: Path) -> None:
    async with open_journal(path, busy_timeout=0.05) as journal:
        with locked(path), pytest.raises(JournalUnavailable):
            await journal.receive("x1", QUESTION)
        assert await journal.receive("x1", QUESTION)


async def test_health_tells_of_a_lock(path: Path) -> None:
    async with open_journal(path, busy_timeout=0.05) as journal:
        with locked(path):
            assert "is locked by another program" in await journal.health()


async def test_health_tells_that_the_file_was_removed(path: Path) -> None:
    async with open_journal(path) as journal:
        remove(path)
        assert await journal.health() == (
            f"The journal {path} is no longer there: restart Nightlamp, "
            "then restore a backup of it."
        )


async def test_nothing_is_acknowledged_that_a_removed_file_takes_along(path: Path) -> None:
    async with open_journal(path) as journal:
        remove(path)
        with pytest.raises(JournalUnavailable, match="is no longer there"):
            await journal.receive("x1", QUESTION)
        await asyncio.to_thread(path.write_bytes, b"")  # another one in its place
        with pytest.raises(JournalUnavailable, match="is no longer there"):
            await journal.receive("x1", QUESTION)


async def test_a_full_disk_saves_nothing_and_says_so(
    broken: tuple[SqliteJournal, Callable[[str], object]],
) -> None:
    journal, pragma = broken
    pragma("max_page_count = 1")
    long = Question("x" * 1_000_000, "acme", "U1", NOON, QUESTION.where)
    with pytest.raises(JournalUnavailable, match="has no room left: free some space on its disk"):
        await journal.receive("x1", long)
    assert await journal.exchange("x1") is None
    pragma("max_page_count = 100000")
    assert await journal.receive("x1", long)


async def test_a_read_only_journal_says_so(
    broken: tuple[SqliteJournal, Callable[[str], object]],
) -> None:
    journal, pragma = broken
    pragma("query_only = 1")
    with pytest.raises(JournalUnavailable, match="is read-only: check that its folder exists"):
        await journal.receive("x1", QUESTION)


async def test_a_failed_verb_leaves_no_transaction_open(
    broken: tuple[SqliteJournal, Callable[[str], object]],
) -> None:
    journal, _ = broken
    with pytest.raises(NotFound):
        await journal.record_gap(LoggedGap("nope", Person(Platform.SLACK, "U1"), NOON))
    assert await journal.receive("x1", QUESTION)


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    replace_with(path, b"# Payments\n" * 1000)
    with pytest.raises(JournalUnavailable, match="is no journal or is damaged"):
        async with open_journal(path):
            pass


async def test_a_damaged_journal_says_so(path: Path) -> None:
    async with open_journal(path) as journal:
        for number in range(50):
            await journal.receive(f"x{number}", QUESTION)
    damage(path)
    with pytest.raises(JournalUnavailable, match="is damaged: stop Nightlamp and restore a backup"):
        async with open_journal(path) as journal:
            await journal.exchange("x1")


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "journal.db"
    with pytest.raises(JournalUnavailable) as failure:
        async with open_journal(path):
            pass
    assert str(failure.value) == (
        f"The journal {path} cannot be opened (No such file or directory): "
        "check that its folder exists and that this user may write there."
    )


async def test_a_folder_in_its_place_is_left_alone(tmp_path: Path) -> None:
    before = mode(tmp_path)
    with pytest.raises(JournalUnavailable, match="cannot be opened"):
        async with open_journal(tmp_path):
            pass
    assert mode(tmp_path) == before


async def test_a_closed_journal_says_so() -> None:
    async with open_journal(None) as journal:
        pass
    with pytest.raises(JournalUnavailable) as failure:
        await journal.receive("x1", QUESTION)
    assert str(failure.value) == (
        "The journal in memory is closed: Nightlamp is stopping, ask again when it is back."
    )


async def test_closing_waits_for_what_was_begun(path: Path) -> None:
    async with open_journal(path) as journal:
        writing = [
            asyncio.create_task(journal.receive(f"x{number}", QUESTION)) for number in range(20)
        ]
        await asyncio.sleep(0)
    assert await asyncio.gather(*writing) == [True] * 20


async def test_a_verb_cancelled_while_it_waits_is_never_carried_out(path: Path) -> None:
    async with open_journal(path, busy_timeout=60) as journal:
        with locked(path) as other:
            first = asyncio.create_task(journal.receive("x1", QUESTION))
            second = asyncio.create_task(journal.receive("x2", QUESTION))
            for _ in range(1000):
                await asyncio.sleep(0)
            second.cancel()
            await asyncio.gather(second, return_exceptions=True)
            other.rollback()
            await first
        assert await journal.exchange("x2") is None


async def test_a_failure_of_sqlite_is_chained_for_the_log(path: Path) -> None:
    async with open_journal(path, busy_timeout=0.05) as journal:
        with locked(path), pytest.raises(JournalUnavailable) as failure:
            await journal.record_message("x1", MESSAGE, 0)
    assert isinstance(failure.value.__cause__, sqlite3.OperationalError)
