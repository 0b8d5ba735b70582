import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from core.errors import JournalUnavailable
from core.models import Vote
from feedback.database import open_database
from feedback.journal import open_journal
from feedback.migrations import migrations, unknown_steps
from feedback.queries import TABLES
from tests.journals import NOON, minutes
from tests.people import YAN, ZOE

STEPS = ["m001_journal", "m002_gaps", "m003_writings", "m004_parts", "m005_no_events"]

OLD = Path(__file__).parents[1] / "old_journals"


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_database(None, 1.0)
    yield database
    database.close()


def test_a_new_database_has_taken_every_step(db: Database) -> None:
    assert [step.name for step in migrations.applied(db)] == STEPS


def test_migrating_again_changes_nothing(db: Database) -> None:
    before = db.schema
    migrations.apply(db)
    assert db.schema == before


def test_every_table_is_counted(db: Database) -> None:
    own = {name for name in db.table_names() if not name.startswith(("_", "sqlite_"))}
    assert own == set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_ids_and_times_are_text_in_strict_tables(db: Database, table: str) -> None:
    texts = ("_id", "_at", "at")
    columns = db.table(table).columns
    kinds = {column.type for column in columns if column.name.endswith(texts)}
    assert kinds == {"TEXT"}
    assert db.table(table).strict


@pytest.mark.parametrize("table", TABLES)
def test_what_belongs_to_an_exchange_or_a_gap_refers_to_it(db: Database, table: str) -> None:
    columns = {column.name for column in db.table(table).columns}
    references = {(key.column, key.other_table) for key in db.table(table).foreign_keys}
    belongs = {("exchange_id", "exchanges"), ("gap_id", "gaps")}
    assert references == {(column, to) for column, to in belongs if column in columns}


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("exchanges where id = 'x'", "sqlite_autoindex_exchanges_1"),
        (
            "exchanges where platform = 'slack' and event_id = 'e'",
            "idx_exchanges_platform_event_id",
        ),
        ("exchanges where asked_at >= '2026'", "idx_exchanges_asked_at"),
        (
            "exchanges where tenant = 'acme' and asked_at >= '2026'",
            "idx_exchanges_tenant_asked_at",
        ),
        (
            "exchanges where platform = 'slack' and user_id = 'u' order by asked_at desc",
            "idx_exchanges_platform_user_id_asked_at",
        ),
        (
            "messages where platform = 'slack' and channel_id = 'c' and message_id = 'm'",
            "sqlite_autoindex_messages_1",
        ),
        ("messages where exchange_id = 'x'", "idx_messages_exchange_id"),
        ("thumbs where exchange_id = 'x'", "idx_thumbs_exchange_id"),
        (
            "thumbs where platform = 'slack' and user_id = 'u'",
            "idx_thumbs_platform_user_id",
        ),
        (
            "exchanges where user_id not glob 'forgotten-*' and asked_at < '2026'",
            "idx_exchanges_named",
        ),
        ("gaps where id = 'G-7KQ2'", "sqlite_autoindex_gaps_1"),
        ("gaps where tenant = 'acme' order by created_at", "idx_gaps_tenant_created_at"),
        ("gap_exchanges where gap_id = 'G-7KQ2'", "idx_gap_exchanges_gap_id"),
        ("gap_exchanges where exchange_id = 'x'", "sqlite_autoindex_gap_exchanges_1"),
        ("gap_decisions where gap_id = 'G-7KQ2'", "idx_gap_decisions_gap_id"),
        (
            "digests where tenant = 'acme' and schedule = 's' order by period desc",
            "sqlite_autoindex_digests_1",
        ),
        (
            "notices where platform = 'slack' and user_id = 'u'",
            "idx_notices_platform_user_id",
        ),
    ],
)
def test_what_is_looked_up_has_an_index(db: Database, query: str, index: str) -> None:
    plan = next(db.query("explain query plan select * from " + query))  # noqa: S608
    assert f"USING INDEX {index} (" in plan["detail"]


def test_every_commit_is_flushed_to_the_disk(tmp_path: Path) -> None:
    database = open_database(tmp_path / "journal.db", 1.0)
    pragmas = [
        database.execute(f"pragma {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    ]
    database.close()
    full = 2
    assert pragmas == ["wal", full, 1, 1000]


def test_a_step_that_is_not_ours_is_unknown(db: Database) -> None:
    newer = {"migration_set": "nightlamp", "name": "m999_later", "applied_at": "2030"}
    db.table("_sqlite_migrations").insert(newer)
    assert unknown_steps(db) == {"m999_later"}


def test_the_journal_of_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    newer = Database(path)
    newer.table("_sqlite_migrations").insert(
        {"id": 1, "migration_set": "nightlamp", "name": "m999_later", "applied_at": "2030"}, pk="id"
    )
    newer.close()
    before = path.read_bytes()
    with pytest.raises(JournalUnavailable, match=r"newer Nightlamp: install that version"):
        open_database(path, 1.0)
    assert path.read_bytes() == before


def test_a_step_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    other = sqlite3.connect(path)
    other.execute("create table threads (id text)")
    other.close()
    with pytest.raises(JournalUnavailable):
        open_database(path, 1.0)
    left = Database(path)
    names = left.table_names()
    left.close()
    assert set(names) == {"threads"}


# --- journals of earlier versions ---------------------------------------------------------------


@pytest.fixture(params=STEPS[:-1])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a journal as it was left by the version whose last step this was."""
    path = tmp_path / "journal.db"
    other = sqlite3.connect(path)
    other.executescript((OLD / f"{request.param}.sql").read_text(encoding="utf-8"))
    other.close()
    return path


def rows_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    db = Database(path)
    rows = {name: list(db.table(name).rows) for name in db.table_names() if name in TABLES}
    db.close()
    return rows


def test_a_journal_of_every_earlier_version_loses_nothing(old: Path) -> None:
    before = rows_of(old)
    assert all(before.values())
    open_database(old, 1.0).close()
    after = rows_of(old)
    assert after.keys() == set(TABLES)
    kept = {
        table: [
            {name: row[name] for name in old_row}
            for old_row, row in zip(before[table], after[table], strict=True)
        ]
        for table in before
    }
    assert kept == before


def test_a_migrated_journal_has_the_schema_of_a_new_one(old: Path, db: Database) -> None:
    migrated = open_database(old, 1.0)
    schemas = [
        {name: database.table(name).schema for name in TABLES} for database in (migrated, db)
    ]
    indexes = [
        {index.name for name in TABLES for index in database.table(name).indexes}
        for database in (migrated, db)
    ]
    sound = migrated.execute("pragma integrity_check").fetchone()[0]
    migrated.close()
    assert schemas[0] == schemas[1]
    assert indexes[0] == indexes[1]
    assert sound == "ok"


async def test_a_migrated_journal_is_used_like_a_new_one(old: Path) -> None:
    async with open_journal(old) as journal:
        assert await journal.votes("mine") == {ZOE: Vote.UP, YAN: Vote.DOWN}
        asked = (await journal.evidence("acme", NOON, minutes(1))).exchanges
        assert [exchange.id for exchange in asked] == ["mine", "alone", "theirs"]
        await journal.assign("acme", {"G-3333": ["alone"]}, NOON)
        assert await journal.health() == ""


def test_of_two_that_migrate_at_once_both_succeed(old: Path) -> None:
    with ThreadPoolExecutor(max_workers=4) as threads:
        opened = [threads.submit(_opened_and_closed, old) for _ in range(4)]
        assert [one.result() for one in opened] == [STEPS] * 4


def _opened_and_closed(path: Path) -> list[str]:
    database = open_database(path, 30.0)
    steps = [step.name for step in migrations.applied(database)]
    database.close()
    return steps
