"""A person is forgotten in every table, in the files' bytes, and shown before what is kept."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from core.exchanges import Exchange, MessageRef, Person, Thread
from core.models import Platform, Question, Vote, Where
from feedback.database import open_database
from feedback.forgotten import PREFIX, is_forgotten
from feedback.journal import SqliteJournal, open_journal
from feedback.models import GapStatus
from feedback.person_columns import PARTICIPANTS, PEOPLE, TEXTS
from feedback.personal import People
from feedback.queries import TABLES
from tests.journals import NOON, RECORDED, minutes
from tests.people import ROOM, WORDS, YAN, ZOE, asked, live, own_place

NAMELESS = {
    "exchanges": "id tenant platform channel_id thread_id event_id scope follows asked_at outcome "
    "model results answered_at deleted_at",
    "messages": "platform channel_id message_id exchange_id deleted_at",
    "thumbs": "exchange_id platform channel_id message_id vote at",
    "reasons": "exchange_id platform kind at",
    "choices": "exchange_id platform section_id at",
    "logged_gaps": "exchange_id platform at",
    "escalations": "exchange_id platform at resolved_platform resolved_at",
    "mutes": "platform channel_id thread_id user_platform at",
    "threads": "platform channel_id thread_id exchange_id",
    "gaps": "id tenant created_at status section build owner_platform snoozed_until changed_at "
    "changed_platform",
    "gap_exchanges": "exchange_id gap_id",
    "gap_decisions": "gap_id platform status section build snoozed_until at",
    "digests": "tenant schedule period claimed_at outcome done_at",
    "notices": "gap_id platform build at",
    "notice_optouts": "platform at",
    "writings": "exchange_id at outcome prompt model reason",
}
"""Columns of text in which neither a person nor what they wrote stands."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[SqliteJournal]:
    async with open_journal(path) as opened:
        await live(opened, ZOE, YAN)
        yield opened


@pytest.fixture
def empty() -> Iterator[Database]:
    db = open_database(None, 1.0)
    yield db
    db.close()


def dumped(path: Path) -> str:
    db = Database(path)
    rows = [dict(row) for table in TABLES for row in db.table(table).rows]
    db.close()
    return repr(rows)


def in_bytes(path: Path, *words: str) -> set[str]:
    files = [file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name)]
    return {word for word in words if any(word.encode() in data for data in files)}


# --- the schema ---------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_every_column_of_text_is_a_persons_or_known_to_be_nameless(
    empty: Database, table: str
) -> None:
    people = {named.user_id for named in PEOPLE.get(table, ())}
    people |= {PARTICIPANTS[1]} if table == PARTICIPANTS[0] else set()
    texts = {column.name for column in empty.table(table).columns if column.type == "TEXT"}
    assert texts == people | set(TEXTS.get(table, ())) | set(NAMELESS[table].split())


def test_no_column_that_is_called_nameless_is_named_like_a_persons() -> None:
    names = {name for names in NAMELESS.values() for name in names.split()}
    assert not [name for name in names if name.endswith(("user_id", "_by", "participants"))]


async def test_the_test_puts_its_person_into_every_table_that_names_people(
    journal: SqliteJournal, path: Path
) -> None:
    db = Database(path)
    found = {
        (table, named.user_id)
        for table, columns in PEOPLE.items()
        for named in columns
        if db.table(table).count_where(f"{named.user_id} = ?", [ZOE.user_id])
    }
    every = {table: db.table(table).count for table in TABLES}
    db.close()
    assert found == {(table, named.user_id) for table, many in PEOPLE.items() for named in many}
    assert all(every.values())


# --- forgetting ---------------------------------------------------------------------------------


async def test_neither_name_nor_words_nor_own_places_stand_in_any_table(
    journal: SqliteJournal, path: Path
) -> None:
    assert all(word in dumped(path) for word in (*WORDS, ZOE.user_id))
    await journal.forget(ZOE, minutes(1))
    left = dumped(path)
    assert [word for word in (*WORDS, ZOE.user_id, own_place(ZOE).channel_id) if word in left] == []


@pytest.mark.parametrize("where", [replace(ROOM, channel_id="CNEW"), own_place(ZOE)])
async def test_an_answer_that_was_on_its_way_brings_nobody_back(
    journal: SqliteJournal, path: Path, where: Where
) -> None:
    question = Question(WORDS[0], "acme", ZOE.user_id, NOON, where, event_id="event late")
    await journal.receive("late", question)
    await journal.forget(ZOE, minutes(1))
    await journal.record_outcome("late", replace(RECORDED, vector=(0.25, 0.5)))
    message = MessageRef(where.platform, where.channel_id, f"answer to {ZOE.user_id}")
    await journal.record_message("late", message, 0)
    thread = replace(where, thread_id="T9")
    await journal.record_thread(Thread(thread, ZOE.user_id, "late", frozenset({ZOE.user_id})))
    left = dumped(path)
    assert [word for word in (*WORDS, ZOE.user_id, own_place(ZOE).channel_id) if word in left] == []
    found = await journal.exchange("late")
    assert found is not None
    assert found.recorded is not None
    assert (found.recorded.vector, found.messages) == (None, ())


async def test_neither_name_nor_words_stand_in_the_bytes_of_any_file(
    journal: SqliteJournal, path: Path
) -> None:
    assert in_bytes(path, *WORDS, ZOE.user_id) == {*WORDS, ZOE.user_id}
    await journal.forget(ZOE, minutes(1))
    assert in_bytes(path, *WORDS, ZOE.user_id) == set()


async def test_words_that_moved_from_page_to_page_are_gone_from_the_bytes_too(path: Path) -> None:
    async with open_journal(path) as journal:
        for number in range(400):
            who, word = (ZOE, WORDS[0]) if number % 3 else (YAN, "vacuum")
            text = f"{word} {'x' * (number * 37 % 900)}"
            await asked(journal, f"{number * 7919 % 1000:03}{number}", who, ROOM, text)
        await journal.forget(ZOE, minutes(1))
        assert in_bytes(path, WORDS[0], ZOE.user_id, "vacuum") == {"vacuum"}


async def test_it_says_what_it_did_by_table(journal: SqliteJournal) -> None:
    forgotten = await People(journal).forget(ZOE, minutes(1))
    assert forgotten.rows == {
        "exchanges": 2,
        "messages": 2,
        "thumbs": 2,
        "reasons": 2,
        "choices": 2,
        "logged_gaps": 2,
        "escalations": 2,
        "mutes": 2,
        "threads": 3,
        "gaps": 3,
        "gap_decisions": 2,
        "notices": 1,
        "notice_optouts": 1,
    }
    assert forgotten.total == 26


async def test_a_second_time_there_is_nothing_to_forget(journal: SqliteJournal) -> None:
    await journal.forget(ZOE, minutes(1))
    assert await journal.forget(ZOE, minutes(2)) == {}


async def test_what_is_counted_stays(journal: SqliteJournal) -> None:
    before = await journal.counts()
    await journal.forget(ZOE, minutes(1))
    after = await journal.counts()
    gone = {table: before[table] - after[table] for table in before if after[table] < before[table]}
    assert gone == {"messages": 2, "threads": 1, "mutes": 1, "notices": 1, "notice_optouts": 1}


async def test_the_votes_on_an_answer_stay_one_each(journal: SqliteJournal) -> None:
    await journal.forget(ZOE, minutes(1))
    votes = await journal.votes("theirs")
    assert votes.pop(YAN) is Vote.DOWN
    ((somebody, vote),) = votes.items()
    assert (is_forgotten(somebody), vote) == (True, Vote.UP)


async def test_a_forgotten_question_has_an_outcome_and_no_words(journal: SqliteJournal) -> None:
    before = await journal.exchange("mine")
    await journal.forget(ZOE, minutes(1))
    after = await journal.exchange("mine")
    assert before
    assert before.recorded
    assert after
    nowhere = replace(ROOM, channel_id="", thread_id="")
    question = replace(
        before.question,
        text="",
        where=nowhere,
        event_id="",
        asked_by=after.question.asked_by,
    )
    assert after == Exchange("mine", question, replace(before.recorded, vector=None))
    assert is_forgotten(Person(Platform.SLACK, after.question.asked_by))


async def test_what_was_asked_just_now_is_not_answered_after_a_restart(path: Path) -> None:
    async with open_journal(path) as journal:
        await live(journal, ZOE, YAN)
        await journal.forget(ZOE, minutes(1))
        assert await journal.unanswered(NOON) == []


async def test_another_persons_things_are_untouched(journal: SqliteJournal) -> None:
    before = await journal.rows_of(YAN)
    exchange = await journal.exchange("theirs")
    await journal.forget(ZOE, minutes(1))
    after = await journal.rows_of(YAN)
    thumbs = [before["thumbs"], after["thumbs"]]
    assert {**before, "thumbs": ()} == {**after, "thumbs": ()}
    # A vote on a forgotten question keeps all but the place that leads there.
    assert [{**thumb, "channel_id": ""} for thumb in thumbs[0]] == [
        {**thumb, "channel_id": ""} for thumb in thumbs[1]
    ]
    assert await journal.exchange("theirs") == exchange


async def test_a_namesake_on_another_platform_is_untouched(journal: SqliteJournal) -> None:
    namesake = Person(Platform.DISCORD, ZOE.user_id)
    await asked(journal, "namesake", namesake, replace(ROOM, platform=Platform.DISCORD))
    before = await journal.rows_of(namesake)
    await journal.forget(ZOE, minutes(1))
    assert await journal.rows_of(namesake) == before


async def test_a_talk_of_two_stays_one_of_two(journal: SqliteJournal) -> None:
    await journal.forget(ZOE, minutes(1))
    thread = await journal.thread(replace(ROOM, thread_id="joined"))
    assert isinstance(thread, Thread)
    (somebody,) = thread.participants - {YAN.user_id}
    assert somebody.startswith(PREFIX)
    assert await journal.thread(ROOM) is None


async def test_a_silenced_channel_stays_silent(journal: SqliteJournal) -> None:
    await journal.forget(ZOE, minutes(1))
    assert await journal.muted(replace(ROOM, thread_id=""))


async def test_an_owned_gap_is_open_again_and_a_snoozed_one_sleeps_on(
    journal: SqliteJournal,
) -> None:
    await journal.forget(ZOE, minutes(1))
    records = {gap.id: gap for gap in await journal.gap_records("acme")}
    assert (records["G-7KQ2"].status, records["G-7KQ2"].owner) == (GapStatus.OPEN, None)
    snoozed = records["G-2222"]
    assert (snoozed.status, snoozed.owner, snoozed.changed_by) == (GapStatus.SNOOZED, YAN, None)


async def test_who_asks_again_is_a_person_like_any_other(journal: SqliteJournal) -> None:
    await journal.forget(ZOE, minutes(1))
    await asked(journal, "again", ZOE, ROOM)
    assert [exchange.id for exchange in await journal.recent(ZOE, 9)] == ["again"]
    assert await journal.claim_notice("G-7KQ2", ZOE, "build-9", minutes(2))


async def test_a_second_process_forgets_while_the_first_writes(path: Path) -> None:
    async with open_journal(path) as bot, open_journal(path) as command:
        await live(bot, ZOE, YAN)
        writing = [asyncio.create_task(asked(bot, f"x{number}", YAN, ROOM)) for number in range(60)]
        await command.forget(ZOE, minutes(1))
        await asyncio.gather(*writing)
        assert await bot.rows_of(ZOE) == {}
        assert len(await bot.recent(YAN, 99)) == 61
        assert await bot.damage() == ""


# --- what is kept of me -------------------------------------------------------------------------


async def test_a_person_is_shown_all_that_names_them_and_nothing_of_others(
    journal: SqliteJournal,
) -> None:
    told: dict[str, Any] = json.loads(await People(journal).collect(ZOE, NOON))
    assert told["person"] == {"platform": "slack", "user_id": ZOE.user_id}
    assert told["rows"].keys() == PEOPLE.keys() | {"messages"}
    text = json.dumps(told)
    assert all(word in text for word in WORDS)
    assert YAN.user_id not in text
    assert "by another" not in text


async def test_of_a_shared_thread_the_others_are_counted(journal: SqliteJournal) -> None:
    rows = (await journal.rows_of(ZOE))["threads"]
    assert [(row["participants"], row["others"]) for row in rows] == [
        ([ZOE.user_id], 0),
        ([ZOE.user_id], 1),
        ([ZOE.user_id], 1),
    ]


async def test_who_never_came_has_nothing(journal: SqliteJournal) -> None:
    told = json.loads(await People(journal).collect(Person(Platform.SLACK, "U0"), NOON))
    assert told["rows"] == {}
