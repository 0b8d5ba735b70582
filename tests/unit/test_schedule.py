"""Timers: no week is skipped, nothing runs twice, and stopping cuts nothing in half."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bots.schedule import CronTimes, Spans, Timers
from core.cron import parse_cron
from core.errors import JournalUnavailable

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY_MIDNIGHT = parse_cron("0 0 * * mon")


@pytest.mark.parametrize(
    ("zone", "first", "following"),
    [
        ("US/Central", "2021-03-08", "2021-03-15"),
        ("US/Pacific", "2022-03-07", "2022-03-14"),
        ("Europe/Berlin", "2026-03-23", "2026-03-30"),
        ("America/New_York", "2027-03-08", "2027-03-15"),
    ],
)
def test_the_scheduler_is_told_every_monday_over_a_change_of_clocks(
    zone: str, first: str, following: str
) -> None:
    there = ZoneInfo(zone)
    fired = datetime.fromisoformat(first).replace(tzinfo=there)
    trigger = CronTimes(MONDAY_MIDNIGHT, there)
    coming = trigger.get_next_fire_time(fired, fired + timedelta(seconds=1))
    assert coming == datetime.fromisoformat(following).replace(tzinfo=there)
    after_a_restart = trigger.get_next_fire_time(None, fired + timedelta(days=3))
    assert after_a_restart == coming


class Counter:
    """Work that counts how often it was begun and ended, and waits until it is let go."""

    def __init__(self) -> None:
        self.begun = self.ended = 0
        self.running = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self) -> None:
        self.begun += 1
        self.running.set()
        await self.go.wait()
        self.ended += 1


async def test_a_name_that_is_added_twice_is_one_timer() -> None:
    timers, work = Timers(), Counter()
    for _ in range(2):
        timers.every("digests", 3600, work)
        timers.at("digest acme", MONDAY_MIDNIGHT, BERLIN, work)
    async with timers.running():
        assert sorted(timers.next_times) == ["digest acme", "digests"]


async def test_running_them_twice_is_running_them_once() -> None:
    timers, work = Timers(), Counter()
    work.go.set()
    timers.soon("once", 0, work)
    async with timers.running(), timers.running():
        await work.running.wait()
    assert (work.begun, work.ended) == (1, 1)


async def test_what_runs_is_let_end_when_the_bot_stops() -> None:
    timers, work = Timers(), Counter()
    timers.soon("slow", 0, work)
    async with timers.running():
        await work.running.wait()
        asyncio.get_running_loop().call_soon(work.go.set)
    assert work.ended == 1


async def test_what_does_not_end_in_its_time_is_cancelled() -> None:
    timers, work = Timers(ending=0.01), Counter()
    timers.soon("stuck", 0, work)
    async with timers.running():
        await work.running.wait()
    assert (work.begun, work.ended) == (1, 0)


async def test_a_late_timer_still_runs() -> None:
    timers, work = Timers(), Counter()
    work.go.set()
    timers.soon("an hour ago", -3600, work)
    async with timers.running():
        await work.running.wait()
    assert work.ended == 1


async def test_a_failure_is_logged_and_ends_no_other_timer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail() -> None:
        raise JournalUnavailable("The journal is away.")

    timers, work = Timers(), Counter()
    work.go.set()
    timers.soon("bad", 0, fail)
    timers.soon("good", 0, work)
    with caplog.at_level(logging.ERROR):
        async with timers.running():
            await work.running.wait()
    assert "timer bad failed" in caplog.text


async def test_timers_need_no_event_loop_until_they_run() -> None:
    timers = await asyncio.to_thread(Timers)
    assert timers.next_times == {}
    async with timers.running():
        pass
    async with timers.running():
        before = datetime.now(UTC)
        timers.at("digest", MONDAY_MIDNIGHT, BERLIN, Counter())
        assert timers.next_times["digest"] > before


@pytest.mark.parametrize(
    "trigger", [Spans(60), CronTimes(parse_cron("* * * * *"), BERLIN)], ids=["span", "cron"]
)
def test_a_clock_that_leaps_fifty_years_ahead_is_one_missed_time(
    trigger: Spans | CronTimes,
) -> None:
    before, now = datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)
    missed = trigger.get_next_fire_time(None, before)
    following = trigger.get_next_fire_time(missed, now)
    assert missed - before == timedelta(seconds=60)
    assert timedelta() < following - now <= timedelta(seconds=60)


def test_a_late_look_does_not_put_off_the_times_after_it() -> None:
    due = datetime(2026, 1, 1, tzinfo=UTC)
    assert Spans(60).get_next_fire_time(due, due + timedelta(seconds=59)) == due + timedelta(
        seconds=60
    )


async def test_a_clock_that_is_set_back_stops_no_timer_for_as_long() -> None:
    timers, work = Timers(), Counter()
    work.go.set()
    timers.every("minute", 60, work)
    timers.at("monday", MONDAY_MIDNIGHT, ZoneInfo("UTC"), work)
    async with timers.running():
        now = datetime.now(UTC) - timedelta(days=30)
        timers.set_right(now)
        assert timers.next_times["minute"] == now + timedelta(seconds=60)
        assert timers.next_times["monday"] - now <= timedelta(days=7)
        timers.set_right(datetime.now(UTC))  # and put right again, it is not put off
        assert timers.next_times["minute"] == now + timedelta(seconds=60)
