"""Blocking work that is waited for to its end, whatever happens to whoever waits."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def uninterrupted(work: Callable[..., T], *arguments: object) -> T:
    """Do work in a thread and return its result; the event loop goes on meanwhile.

    A thread cannot be stopped: who is cancelled meanwhile would undo what the thread is doing. So
    the cancellation comes after it, at the next await.
    """
    doing = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
    cancelled = 0
    while not doing.done():
        try:
            await asyncio.wait({doing})
        except asyncio.CancelledError:
            cancelled += 1
    task = asyncio.current_task()
    if cancelled and task is not None:
        for _ in range(cancelled):
            task.uncancel()
        task.cancel()
    return doing.result()
