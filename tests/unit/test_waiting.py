"""What failed on the way is tried again, ever more seldom, by nobody twice at once."""

import asyncio
from datetime import timedelta

import pytest

from bots.waiting import FIRST_WAIT, LOOK, Waiting
from core.exchanges import Exchange
from core.models import Platform
from tests.asking import Desk, desk, message_of


class Room:
    """A platform that answers what waits, or fails at it."""

    def __init__(self, at: Desk) -> None:
        self.at = at
        self.fails = False
        self.answered: list[str] = []
        self.looks = 0
        self.stands = asyncio.Event()
        self.waiting = Waiting(at.nightlamp, Platform.SLACK, at.clock, sleep=self._sleep)

    async def ask(self, text: str = "disk full") -> str:
        exchange_id = await self.at.nightlamp.received(self.at.question(text))
        assert exchange_id is not None
        return exchange_id

    async def again(self, exchange: Exchange) -> None:
        with self.waiting.trying(exchange.id):
            self.answered.append(exchange.id)
            if self.fails:
                raise OSError("no network")
            await self.at.nightlamp.ask(exchange.id, exchange.question)
            await self.at.nightlamp.posted(exchange.id, message_of(exchange.id))
            self.stands.set()

    async def look(self) -> list[str]:
        """Look, and return what was answered."""
        self.answered.clear()
        await self.waiting.look(self.again)
        return list(self.answered)

    async def _sleep(self, seconds: float) -> None:
        self.looks += 1
        self.at.clock.advance(timedelta(seconds=seconds))
        await asyncio.sleep(0)


@pytest.fixture
async def room() -> Room:
    return Room(await desk())


async def test_what_a_start_finds_is_answered_at_once_and_once(room: Room) -> None:
    asked = [await room.ask(), await room.ask("vault sealed")]
    assert await room.look() == asked
    assert await room.look() == []


async def test_what_fails_keeps_nothing_else_back_and_is_tried_again_later(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    asked = [await room.ask(), await room.ask("vault sealed")]
    room.fails = True
    assert await room.look() == asked
    assert all(f"{one}: could not be answered again" in caplog.text for one in asked)
    room.fails = False
    assert await room.look() == []
    room.at.clock.advance(FIRST_WAIT)
    assert await room.look() == asked


async def test_tries_are_further_and_further_apart_until_nobody_waits(room: Room) -> None:
    await room.ask()
    room.fails = True
    began = room.at.clock.now()
    tries: list[float] = []
    for _ in range(40):
        if await room.look():
            tries.append((room.at.clock.now() - began).total_seconds())
        room.at.clock.advance(timedelta(seconds=30))
    assert tries == [0, 30, 90, 210, 330, 450, 570, 690, 810]


async def test_what_is_being_answered_or_was_just_taken_in_is_left_alone(room: Room) -> None:
    under_way, taken = await room.ask(), await room.ask("vault sealed")
    room.waiting.taken(taken)
    with room.waiting.trying(under_way):
        assert await room.look() == []
        room.at.clock.advance(FIRST_WAIT)
        assert await room.look() == [taken]


async def test_what_stands_though_that_could_not_be_written_down_is_not_said_twice(
    room: Room,
) -> None:
    exchange_id = await room.ask()
    with room.waiting.trying(exchange_id):
        room.waiting.settled(exchange_id)
    room.at.clock.advance(timedelta(minutes=10))
    assert await room.look() == []


async def test_another_platforms_questions_are_left_to_it(room: Room) -> None:
    await room.ask()
    discord = Waiting(room.at.nightlamp, Platform.DISCORD, room.at.clock)
    assert await discord.left() == []


async def test_a_journal_that_cannot_be_read_is_read_again(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    exchange_id = await room.ask()
    room.at.journal.unavailable = True
    assert await room.look() == []
    assert "what waits on slack cannot be read now" in caplog.text
    room.at.journal.unavailable = False
    assert await room.look() == [exchange_id]


async def test_it_looks_again_and_again_while_the_block_lasts(room: Room) -> None:
    async with room.waiting.looked_at(room.again):
        exchange_id = await room.ask()
        await room.stands.wait()
    looks = room.looks
    await asyncio.sleep(0)
    assert (room.answered, room.looks) == ([exchange_id], looks)
    assert looks * LOOK >= FIRST_WAIT.total_seconds()
