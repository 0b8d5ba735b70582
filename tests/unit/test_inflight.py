import asyncio

import pytest

from bots.discord_bot.inflight import InFlight


async def test_the_end_waits_for_what_was_started_a_moment_ago() -> None:
    inflight, done = InFlight(), []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append("done")

    inflight.start(work(), "work")
    await inflight.ended(10)
    assert done == ["done"]


async def test_what_takes_too_long_at_the_end_is_cancelled(
    caplog: pytest.LogCaptureFixture,
) -> None:
    inflight, never = InFlight(), asyncio.Event()

    async def work() -> None:
        await never.wait()

    inflight.start(work(), "work")
    await inflight.ended(0.01)
    await inflight.ended(10)
    assert "1 things were still going on at the end" in caplog.text


async def test_a_failure_is_logged_by_its_name_and_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def work() -> None:
        raise ValueError("no such thing")

    inflight = InFlight()
    inflight.start(work(), "x1")
    await inflight.ended(10)
    await asyncio.sleep(0)
    assert "x1 failed" in caplog.text
