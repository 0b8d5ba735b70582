"""A connection that was lost for long is given up, one that comes back in time is not."""

import asyncio

import pytest

from bots.discord_bot.contact import LOOK, Contact


class Line:
    """A connection that stays, on a clock that goes on as the watch sleeps."""

    def __init__(self) -> None:
        self.at = 0.0
        self.until = 600.0
        self.ended = False
        self.begun = asyncio.Event()
        self.over = asyncio.Event()
        self.contact = Contact(lost=60.0, now=lambda: self.at, sleep=self._sleep)
        self.events = {0.0: self.contact.made}

    async def run(self) -> None:
        self.begun.set()
        try:
            await self.over.wait()
        finally:
            self.ended = True

    async def _sleep(self, seconds: float) -> None:
        if event := self.events.get(self.at):
            event()
        self.at += seconds
        if self.at > self.until:
            self.over.set()
        await asyncio.sleep(0)


async def test_a_connection_that_holds_is_kept() -> None:
    line = Line()
    await line.contact.kept(line.run())
    assert line.at > line.until


async def test_one_that_comes_back_in_time_is_kept() -> None:
    line = Line()
    line.events |= {100.0: line.contact.broke, 120.0: line.contact.broke, 160.0: line.contact.made}
    await line.contact.kept(line.run())
    assert line.at > line.until


@pytest.mark.parametrize("lost", [0.0, 100.0])
async def test_one_that_was_lost_for_long_is_ended_and_begun_anew(lost: float) -> None:
    line = Line()
    line.events[lost] = line.contact.broke
    with pytest.raises(ConnectionError, match="cannot be reached"):
        await line.contact.kept(line.run())
    assert (line.ended, line.at) == (True, lost + 60.0 + LOOK)


async def test_what_ends_it_is_told() -> None:
    async def broken() -> None:
        raise ValueError("no such event")

    with pytest.raises(ValueError, match="no such event"):
        await Contact().kept(broken())


async def test_the_end_of_the_bot_ends_it() -> None:
    line = Line()
    keeping = asyncio.create_task(Contact().kept(line.run()))
    await line.begun.wait()
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping
    assert line.ended
