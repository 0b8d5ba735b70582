"""Work that goes on after an event was acknowledged: held, logged when it fails, finished."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from core.errors import NotAllowed, NotFound, UsageError

log = logging.getLogger(__name__)

Value = TypeVar("Value")


class Tasks:
    """Keeps hold of tasks, which an event loop does not."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Value]) -> asyncio.Task[Value]:
        """Run something by itself; what it raises is logged."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def idle(self) -> None:
        """Wait until nothing runs."""
        while self._running:
            await asyncio.wait(set(self._running))

    async def finish(self, seconds: float) -> None:
        """Let what runs come to its end, then stop the rest."""
        if self._running:
            await asyncio.wait(set(self._running), timeout=seconds)
        late = set(self._running)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, NotAllowed | NotFound | UsageError):
            log.info("refused: %s", error)
        else:
            log.error("failed in the background", exc_info=error)
