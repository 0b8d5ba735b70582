import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from core.errors import JournalUnavailable
from feedback.database import open_database
from feedback.migrations import migrations, unknown_steps
from feedback.queries import TABLES

STEPS = ["m001_journal"]


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


@pytest.mark.parametrize("table", sorted(set(TABLES) - {"exchanges", "mutes", "events"}))
def test_what_belongs_to_an_exchange_refers_to_it(db: Database, table: str) -> None:
    references = [(key.column, key.other_table) for key in db.table(table).foreign_keys]
    assert references == [("exchange_id", "exchanges")]


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
        ("events where at < '2026'", "idx_events_at"),
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
    assert set(names) == {"threads", "_sqlite_migrations"}
