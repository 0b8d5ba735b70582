"""The watch over the connection to Discord: one that was lost for long is begun anew.

The library waits ever longer between two tries, up to 17 minutes (`discord.backoff`): after a long
outage the bot would stay deaf for as long. Whoever restarts it asks more often.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from bots.connection import Connection

LOST = 120.0
"""Seconds without a connection after which the library's own tries are not waited for any more."""
LOOK = 5.0


class Contact:
    """Knows since when there is no connection: from the start until one is made.

    What it is told it tells the channel's `connection`, for `status`.
    """

    def __init__(
        self,
        *,
        lost: float = LOST,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        connection: Connection | None = None,
    ) -> None:
        self._connection = connection
        self._longest = lost
        self._now = now
        self._sleep = sleep
        self._since: float | None = now()

    def made(self) -> None:
        """Take in that there is a connection."""
        self._since = None
        if self._connection:
            self._connection.made()

    def broke(self) -> None:
        """Take in that there is none, or still none."""
        if self._since is None:
            self._since = self._now()
        if self._connection:
            self._connection.broke()

    async def kept(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a connection's work until it ends.

        Raises:
            ConnectionError: it was lost for too long, and is ended.
        """
        running = asyncio.create_task(work, name="discord connection")
        watching = asyncio.create_task(self._until_lost(), name="discord contact")
        try:
            await asyncio.wait({running, watching}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended = running.done()
            running.cancel()
            watching.cancel()
            await asyncio.wait({running, watching})
        if not ended:
            raise ConnectionError("Discord cannot be reached")
        running.result()

    async def _until_lost(self) -> None:
        while self._since is None or self._now() - self._since <= self._longest:
            await self._sleep(LOOK)
