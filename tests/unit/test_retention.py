"""What is older than the retention loses its words and names, a little at a time."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlite_utils import Database

from core.exchanges import Person, Reason, ReasonKind, Thumb
from core.models import Platform, Vote
from feedback import purging
from feedback.forgotten import is_forgotten
from feedback.journal import SqliteJournal, open_journal
from feedback.queries import TABLES
from feedback.retention import purge
from tests.journals import FIRST, NOON
from tests.people import ROOM, WORDS, YAN, ZOE, asked, live

DAY = timedelta(days=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[SqliteJournal]:
    async with open_journal(path) as opened:
        await live(opened, ZOE, YAN, at=NOON)
        yield opened


def dumped(path: Path) -> str:
    db = Database(path)
    rows = [dict(row) for table in TABLES for row in db.table(table).rows]
    db.close()
    return repr(rows)


async def test_nothing_is_touched_on_the_last_day_of_its_retention(
    journal: SqliteJournal, path: Path
) -> None:
    before = dumped(path)
    done = await purge(journal, NOON + 180 * DAY, retention_days=180)
    assert done == {}
    assert dumped(path) == before


async def test_afterwards_no_words_and_no_names_stand_anywhere(
    journal: SqliteJournal, path: Path
) -> None:
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    left = dumped(path)
    assert [word for word in (*WORDS, "by another") if word in left] == []
    files = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert [word for word in WORDS if word.encode() in files] == []


async def test_a_private_question_no_longer_leads_to_whose_it_was(journal: SqliteJournal) -> None:
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    alone = await journal.exchange("alone")
    assert alone
    assert (alone.question.where.channel_id, alone.messages) == ("", ())


async def test_only_who_owns_a_gap_and_who_opted_out_is_still_known(
    journal: SqliteJournal,
) -> None:
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    rows = await journal.rows_of(ZOE)
    assert rows.keys() == {"gaps", "notice_optouts"}
    assert [gap["id"] for gap in rows["gaps"]] == ["G-7KQ2"]


async def test_what_is_counted_stays_with_its_outcome_and_votes(journal: SqliteJournal) -> None:
    before, votes = await journal.exchange("theirs"), await journal.votes("theirs")
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    after = await journal.exchange("theirs")
    assert before
    assert before.recorded
    assert after
    assert after.recorded
    assert after.question.text == ""
    assert after.recorded.vector is None
    assert (after.recorded.kind, after.recorded.results) == (
        before.recorded.kind,
        before.recorded.results,
    )
    kept = await journal.votes("theirs")
    assert sorted(kept.values()) == sorted(votes.values())
    assert all(is_forgotten(person) for person in kept)


async def test_a_person_stays_one_and_two_stay_two(journal: SqliteJournal) -> None:
    await asked(journal, "more", ZOE, ROOM)
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    exchanges = [await journal.exchange(id_) for id_ in ("mine", "more", "theirs")]
    mine, more, theirs = (one.question.asked_by for one in exchanges if one)
    assert mine == more != theirs


async def test_what_is_younger_is_untouched(journal: SqliteJournal) -> None:
    await asked(journal, "young", ZOE, ROOM, "still here?", NOON + 2 * DAY)
    before = await journal.exchange("young")
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    assert await journal.exchange("young") == before


async def test_a_reason_given_late_on_an_old_question_goes_the_next_day(
    journal: SqliteJournal,
) -> None:
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    late = NOON + 181 * DAY
    await journal.record_reason(Reason("mine", YAN, ReasonKind.OUTDATED, "late", late))
    await purge(journal, NOON + 182 * DAY, retention_days=180)
    assert "reasons" not in await journal.rows_of(YAN)


async def test_a_second_run_finds_nothing(journal: SqliteJournal) -> None:
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    assert await purge(journal, NOON + 181 * DAY, retention_days=180) == {}


@pytest.mark.slow
async def test_more_than_fit_one_transaction_are_all_purged(path: Path) -> None:
    async with open_journal(path) as journal:
        many = purging.AT_ONCE + 1
        message = FIRST
        for number in range(many):
            message = await asked(journal, f"x{number}", ZOE, ROOM)
        who = [Person(Platform.SLACK, f"U{number}") for number in range(many)]
        for person in who:
            await journal.record_thumb(Thumb(person, Vote.UP, True, NOON, message))
        done = await purge(journal, NOON + 181 * DAY, retention_days=180)
        assert done == {"thumbs": many, "exchanges": many}
        assert len(await journal.votes(f"x{many - 1}")) == many


async def test_what_a_stop_interrupted_is_finished_by_the_next_run(
    journal: SqliteJournal, path: Path
) -> None:
    running = asyncio.create_task(purge(journal, NOON + 181 * DAY, retention_days=180))
    while "marmalade" in dumped(path):  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await purge(journal, NOON + 181 * DAY, retention_days=180)
    assert [word for word in WORDS if word in dumped(path)] == []
