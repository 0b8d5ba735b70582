"""What is noticed while other work goes on: stalls of the event loop, and slow answers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

BEAT: Final = 0.005
"""Seconds that the task sleeps whose waking is watched."""
EVERY: Final = 0.2
"""Seconds from one question to the next."""


@dataclass(frozen=True, slots=True)
class Watched:
    """How long the work took, the longest that the loop stood still, and each question's time."""

    seconds: float
    gap_ms: float
    ms: tuple[float, ...]


async def watched(
    work: Callable[[], Awaitable[object]],
    ask: Callable[[str], Awaitable[object]],
    questions: Sequence[str],
) -> Watched:
    """Do the work while questions are asked in turn, one at the least, and return what was noticed.

    Whatever the work or a question raises is raised here, after both have ended.
    """
    over = asyncio.Event()
    beating = asyncio.create_task(_longest_gap(over))
    asking = asyncio.create_task(_asked(over, ask, questions))
    try:
        await asyncio.sleep(BEAT)  # the first steps of the work are watched too
        started = time.perf_counter()
        await work()
        seconds = time.perf_counter() - started
    finally:
        over.set()
        await asyncio.wait({beating, asking})
    return Watched(seconds, 1000 * beating.result(), tuple(asking.result()))


async def _longest_gap(over: asyncio.Event) -> float:
    """Return the most seconds that a task was kept waiting after its sleep was over."""
    longest = 0.0
    while not over.is_set():
        started = time.perf_counter()
        await asyncio.sleep(BEAT)
        longest = max(longest, time.perf_counter() - started - BEAT)
    return longest


async def _asked(
    over: asyncio.Event, ask: Callable[[str], Awaitable[object]], questions: Sequence[str]
) -> list[float]:
    """Ask until the work is over; return the milliseconds of each question."""
    taken: list[float] = []
    for text in cycle(questions):
        started = time.perf_counter()
        await ask(text)
        spent = time.perf_counter() - started
        taken.append(1000 * spent)
        if await _is_set_within(over, max(0.0, EVERY - spent)):
            break
    return taken


async def _is_set_within(over: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await over.wait()
    except TimeoutError:
        return over.is_set()
    return True
