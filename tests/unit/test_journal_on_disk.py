"""What only a journal with a file can show: rows, restarts, permissions, a kill."""

import asyncio
import os
import signal
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from core.exchanges import (
    Choice,
    MessageRef,
    OutcomeKind,
    Person,
    Reason,
    ReasonKind,
    Recorded,
    ShownHit,
    Thumb,
)
from core.models import Platform, Question, Scope, Span, Vote, Where
from feedback.database import open_for_reading
from feedback.journal import open_journal

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
NOON_TEXT = "2026-01-05T12:00:00.000000+00:00"
ANN = Person(Platform.SLACK, "U1")
MESSAGE = MessageRef(Platform.SLACK, "C1", "1700000000.000100")
QUESTION = Question(
    "why?",
    "acme",
    "U1",
    NOON,
    Where(Platform.SLACK, "C1", "1700000000.000100", private=True),
    Scope(("payments",)),
    event_id="Ev1",
)
RECORDED = Recorded(
    OutcomeKind.ANSWER,
    0.75,
    0.25,
    (ShownHit(("s1",), "d1", "own", "ü.md", "Ü", 0.25, 0.5, Span(3, 9), ("everyone",)),),
    dense=True,
    ms=12.5,
    vector=(1.0, -0.5),
    model="scripted",
)
LOGS = ("journal.db-wal", "journal.db-shm")
WRITER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from core.exchanges import MessageRef, Person, Thumb
from core.models import Platform, Question, Vote, Where
from feedback.journal import open_journal

async def write(path):
    async with open_journal(path) as journal:
        for number in range(1_000_000):
            now = datetime.now(UTC)
            where = Where(Platform.SLACK, "C1")
            message = MessageRef(Platform.SLACK, "C1", str(number))
            await journal.receive(str(number), Question("why?", "acme", "U1", now, where))
            await journal.record_message(str(number), message, 0)
            person = Person(Platform.SLACK, "U1")
            await journal.record_thumb(Thumb(person, Vote.UP, True, now, message))
            print(number, flush=True)

asyncio.run(write(Path(sys.argv[1])))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def make_public(path: Path) -> None:
    path.touch()
    path.chmod(0o644)


def modes(path: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}


def stored(path: Path, table: str) -> list[dict[str, Any]]:
    db = Database(path)
    found = list(db.table(table).rows)
    db.close()
    return found


async def test_an_exchange_is_one_readable_row(path: Path) -> None:
    async with open_journal(path, now=lambda: NOON) as journal:
        await journal.receive("x1", QUESTION)
        await journal.record_outcome("x1", RECORDED)
    assert stored(path, "exchanges") == [
        {
            "id": "x1",
            "tenant": "acme",
            "platform": "slack",
            "channel_id": "C1",
            "thread_id": "1700000000.000100",
            "private": 1,
            "user_id": "U1",
            "event_id": "Ev1",
            "question": "why?",
            "scope": '{"service": ["payments"], "type": [], "visibility": ["everyone"]}',
            "follows": None,
            "asked_at": NOON_TEXT,
            "outcome": "answer",
            "confidence": 0.75,
            "distance": 0.25,
            "dense": 1,
            "ms": 12.5,
            "model": "scripted",
            "vector": b"\x00\x00\x80\x3f\x00\x00\x00\xbf",
            "results": '[{"section_ids": ["s1"], "document_id": "d1", "source": "own", '
            '"path": "ü.md", "breadcrumb": "Ü", "distance": 0.25, "keyword_score": 0.5, '
            '"passage": [3, 9], "visibility": ["everyone"]}]',
            "answered_at": NOON_TEXT,
            "deleted_at": None,
        }
    ]


async def test_a_thumb_is_kept_as_its_event(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        await journal.record_thumb(Thumb(ANN, Vote.DOWN, False, NOON, MESSAGE, "x1"))
    assert stored(path, "thumbs") == [
        {
            "id": 1,
            "exchange_id": "x1",
            "platform": "slack",
            "user_id": "U1",
            "channel_id": "C1",
            "message_id": "1700000000.000100",
            "vote": "down",
            "added": 0,
            "at": NOON_TEXT,
        }
    ]


async def test_of_two_reasons_the_newer_stands_whichever_came_last(path: Path) -> None:
    newer = Reason("x1", ANN, ReasonKind.WRONG_SECTION, "this one", NOON, "s9")
    older = Reason("x1", ANN, ReasonKind.OTHER, "", datetime(2026, 1, 5, 11, tzinfo=UTC))
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        await journal.record_reason(newer)
        await journal.record_reason(older)
    assert stored(path, "reasons") == [
        {
            "exchange_id": "x1",
            "platform": "slack",
            "user_id": "U1",
            "kind": "wrong_section",
            "text": "this one",
            "right_section": "s9",
            "at": NOON_TEXT,
        }
    ]


async def test_a_choice_keeps_what_was_looked_at(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        await journal.record_choice(Choice("x1", ANN, 2, "s3", NOON))
    assert stored(path, "choices") == [
        {
            "id": 1,
            "exchange_id": "x1",
            "platform": "slack",
            "user_id": "U1",
            "position": 2,
            "section_id": "s3",
            "at": NOON_TEXT,
        }
    ]


async def test_who_silenced_the_bot_is_kept(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.set_muted(Where(Platform.SLACK, "C1"), True, ANN, NOON)
    assert stored(path, "mutes") == [
        {
            "platform": "slack",
            "channel_id": "C1",
            "thread_id": "",
            "muted": 1,
            "user_platform": "slack",
            "user_id": "U1",
            "at": NOON_TEXT,
        }
    ]


async def test_a_question_without_answer_is_still_unanswered_after_a_restart(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        before = await journal.exchange("x1")
    async with open_journal(path) as journal:
        assert await journal.unanswered(NOON) == [before]


async def test_an_event_received_before_a_restart_is_not_received_again(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
    async with open_journal(path) as journal:
        assert not await journal.receive("x2", QUESTION)


async def test_a_thumb_taken_back_after_a_restart_is_gone(path: Path) -> None:
    later = datetime(2026, 1, 5, 13, tzinfo=UTC)
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        await journal.record_message("x1", MESSAGE, 0)
        await journal.record_thumb(Thumb(ANN, Vote.UP, True, NOON, MESSAGE))
    async with open_journal(path) as journal:
        await journal.record_thumb(Thumb(ANN, Vote.UP, False, later, MESSAGE))
        assert await journal.votes("x1") == {}


async def test_a_vote_does_not_wait_for_long_reading(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        voted = threading.Event()
        reading = asyncio.create_task(journal._read_aside(lambda db: voted.wait(60)))
        assert await journal.record_thumb(Thumb(ANN, Vote.UP, True, NOON, MESSAGE, "x1"))
        voted.set()
        assert await reading


async def test_long_reading_sees_one_state_whatever_is_written_meanwhile(path: Path) -> None:
    def counted(db: Database) -> list[int]:
        counts = [db.table("exchanges").count]
        begun.set()
        written.wait(60)
        return [*counts, db.table("exchanges").count]

    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        begun, written = threading.Event(), threading.Event()
        reading = asyncio.create_task(journal._read_aside(counted))
        await asyncio.to_thread(begun.wait, 60)
        await journal.receive("x2", replace(QUESTION, event_id="Ev2"))
        written.set()
        assert await reading == [1, 1]


async def test_reading_aside_leaves_no_files_behind(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
    with open_for_reading(path) as db:
        assert db.table("exchanges").count == 1
    assert modes(path) == {"journal.db": 0o600}


async def test_only_the_owner_may_read_the_journal_or_its_log(path: Path) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", QUESTION)
        assert modes(path) == {"journal.db": 0o600, **dict.fromkeys(LOGS, 0o600)}


async def test_a_journal_that_others_could_read_is_closed_to_them(path: Path) -> None:
    make_public(path)
    async with open_journal(path):
        assert modes(path) == {"journal.db": 0o600, **dict.fromkeys(LOGS, 0o600)}


@pytest.mark.slow
async def test_a_killed_writer_loses_nothing_it_acknowledged(path: Path) -> None:
    acknowledged = -1
    for at_least in (1, 100, 37):
        acknowledged = max(acknowledged, await _write_and_kill(path, at_least))
        async with open_journal(path) as journal:
            counts = await journal.counts()
            assert await journal.votes(str(acknowledged)) == {ANN: Vote.UP}
        assert min(counts["exchanges"], counts["messages"], counts["thumbs"]) > acknowledged


async def _write_and_kill(path: Path, at_least: int) -> int:
    """Run a writer until it acknowledged enough, kill it; returns the last acknowledged number."""
    writer = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WRITER,
        str(path),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONPATH": "."},
    )
    assert writer.stdout
    for _ in range(at_least):
        await writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    rest, _ = await writer.communicate()
    last = [line for line in rest.splitlines(keepends=True) if line.endswith(b"\n")][-1:]
    return int(last[0]) if last else at_least - 1
