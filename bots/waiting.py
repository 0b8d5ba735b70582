"""What was asked on a platform and still has no answer there: tried until it has, or is too old.

A question is written down before it is answered, so that nothing that fails in between loses it:
the process, the journal, the network, the platform. After a start everything that waits is answered
at once; later on what failed is tried again, ever more seldom, for as long as anybody waits.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta

from core.errors import NightlampError
from core.exchanges import Exchange
from core.models import Platform
from core.ports import Clock
from core.service import CATCH_UP, Nightlamp

log = logging.getLogger(__name__)

LOOK = 30.0
"""Seconds between two looks."""
FIRST_WAIT, DOUBLED = timedelta(seconds=30), 2
"""How long after a try the next one comes, and how often that is doubled."""

Again = Callable[[Exchange], Awaitable[None]]
"""Answers an exchange in its place, under `Waiting.trying`."""


class Waiting:
    """Knows which questions of one platform wait for an answer that nobody is making."""

    def __init__(
        self,
        service: Nightlamp,
        platform: Platform,
        clock: Clock,
        *,
        every: float = LOOK,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._every = every
        self._service = service
        self._platform = platform
        self._clock = clock
        self._sleep = sleep
        self._trying: dict[str, int] = {}
        self._tried: dict[str, tuple[int, datetime]] = {}

    @contextmanager
    def trying(self, exchange_id: str) -> Iterator[None]:
        """Answer an exchange in this block: nobody else does meanwhile, nor right after it."""
        self._trying[exchange_id] = self._trying.get(exchange_id, 0) + 1
        try:
            yield
        finally:
            self._trying[exchange_id] -= 1
            if not self._trying[exchange_id]:
                del self._trying[exchange_id]
                now = self._clock.now()
                tries, not_before = self._tried.get(exchange_id, (0, now))
                next_one = now + FIRST_WAIT * 2 ** min(tries, DOUBLED)
                self._tried[exchange_id] = (tries + 1, max(not_before, next_one))

    def taken(self, exchange_id: str) -> None:
        """Let whoever has received a question begin with it."""
        self._tried.setdefault(exchange_id, (0, self._clock.now() + FIRST_WAIT))

    def settled(self, exchange_id: str) -> None:
        """Do not try again: it stands there, though that could not be written down."""
        self._tried[exchange_id] = (0, self._clock.now() + 2 * CATCH_UP)

    async def left(self) -> list[Exchange]:
        """Return what waits, oldest first: after a start, or for whoever looks at once.

        Raises:
            JournalUnavailable: the journal cannot be read.
        """
        now = self._clock.now()
        self._tried = {
            id_: (tries, at) for id_, (tries, at) in self._tried.items() if now - at < CATCH_UP
        }
        found = [
            one
            for one in await self._service.unanswered()
            if one.question.where.platform is self._platform
        ]
        return [one for one in found if one.id not in self._trying and self._is_due(one.id, now)]

    async def look(self, again: Again, *, older: timedelta = timedelta()) -> None:
        """Answer what waits and was asked so long ago; a failure is logged, and keeps none back."""
        try:
            left = await self.left()
        except NightlampError:
            log.exception("what waits on %s cannot be read now", self._platform)
            return
        for exchange in left:
            if timedelta() <= self._clock.now() - exchange.question.asked_at < older:
                continue  # whoever took it in may be about to answer
            log.info("%s: answered again", exchange.id)
            try:
                await again(exchange)
            except Exception:  # one question's fault, whatever it is, is no other's
                log.exception("%s: could not be answered again", exchange.id)

    @asynccontextmanager
    async def looked_at(self, again: Again) -> AsyncIterator[None]:
        """Look again and again, for as long as the block lasts."""
        looking = asyncio.create_task(self._keep_looking(again), name="waiting")
        try:
            yield
        finally:
            looking.cancel()
            await asyncio.wait({looking})

    async def _keep_looking(self, again: Again) -> None:
        while True:
            await self._sleep(self._every)
            await self.look(again, older=FIRST_WAIT)

    def _is_due(self, exchange_id: str, now: datetime) -> bool:
        if exchange_id not in self._tried:
            return True
        _, not_before = self._tried[exchange_id]
        return now >= not_before
