"""What is going on right now, so that the end can wait for it."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

log = logging.getLogger(__name__)


class InFlight:
    """Counts what is being handled, and keeps tasks that nobody else waits for."""

    def __init__(self) -> None:
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._tasks: set[asyncio.Task[None]] = set()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count something as going on."""
        self._begun()
        try:
            yield
        finally:
            self._over()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run something beside, counted from now on; its failure is logged."""
        self._begun()
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def ended(self, seconds: float) -> None:
        """Wait until nothing is going on, but no longer than so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            log.warning("%d things were still going on at the end", self._count)
            for task in self._tasks:
                task.cancel()

    def _begun(self) -> None:
        self._count += 1
        self._idle.clear()

    def _over(self) -> None:
        self._count -= 1
        if self._count == 0:
            self._idle.set()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._over()
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("%s failed", task.get_name(), exc_info=error)
