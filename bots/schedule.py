"""Every timer. APScheduler wakes us; when something is due, core/cron.py alone says.

Jobs live in memory under fixed names: what was done is remembered by the journal, not here. What
runs is never cut off by a missed moment, and gets a few seconds to end when the bot stops.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from apscheduler.events import EVENT_JOB_MAX_INSTANCES, EVENT_JOB_MISSED, JobEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.date import DateTrigger

from core.cron import Cron, due

log = logging.getLogger(__name__)

ENDING = 10.0
"""Seconds that what is running gets to end: less than a deploy waits before it kills."""

LOOK = 30.0
"""Seconds between two looks whether the clock was set back."""
SET_BACK = timedelta(seconds=5)
"""By how much a clock must be set back to matter: less is the drift that its system corrects."""

Work = Callable[[], Awaitable[object]]


class CronTimes(BaseTrigger):  # type: ignore[misc]  # APScheduler has no types
    """Fires at the instants of a cron line on the clock of a zone, over every change of clocks."""

    def __init__(self, cron: Cron, zone: ZoneInfo) -> None:
        self._cron = cron
        self._zone = zone

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return the first instant after now, and after the last one that fired."""
        return due(self._cron, self._zone, max(previous_fire_time or now, now))


class Spans(BaseTrigger):  # type: ignore[misc]  # likewise
    """Fires every so many seconds; what was missed is passed over at once.

    The library's own trigger goes through every time that was missed: a clock that is put right by
    fifty years would hold the event loop for minutes.
    """

    def __init__(self, seconds: float) -> None:
        self._span = timedelta(seconds=seconds)

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return a span after the last time, or after now where that is past."""
        following = (previous_fire_time or now) + self._span
        return following if following > now else now + self._span


class Timers:
    """Runs work at its times, each at most once at a time."""

    def __init__(self, *, ending: float = ENDING, look: float = LOOK) -> None:
        self._ending = ending
        self._look = look
        self._under_way: set[asyncio.Task[None]] = set()
        # No grace means no moment is dropped for being late; several missed ones are one.
        defaults = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        self._scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=defaults)
        self._scheduler.add_listener(_tell, EVENT_JOB_MISSED | EVENT_JOB_MAX_INSTANCES)

    def at(self, name: str, cron: Cron, zone: ZoneInfo, work: Work) -> None:
        """Do work at the times of a cron line."""
        self._add(name, CronTimes(cron, zone), work)

    def every(self, name: str, seconds: float, work: Work) -> None:
        """Do work again and again, the first time after so many seconds."""
        self._add(name, Spans(seconds), work)

    def soon(self, name: str, seconds: float, work: Work) -> None:
        """Do work once, after so many seconds."""
        self._add(name, DateTrigger(datetime.now(UTC) + timedelta(seconds=seconds)), work)

    @property
    def next_times(self) -> Mapping[str, datetime]:
        """Return when each timer comes next, by name; nothing before they run."""
        jobs = self._scheduler.get_jobs() if self._scheduler.running else []
        return {job.id: job.next_run_time.astimezone(UTC) for job in jobs}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the timers on this event loop, as long as the block lasts; a second time is none."""
        if self._scheduler.running:
            yield
            return
        self._scheduler.start()
        minding = asyncio.create_task(self._mind_the_clock(), name="clock")
        try:
            yield
        finally:
            minding.cancel()
            await asyncio.wait({minding})
            await self._end()

    def set_right(self, now: datetime) -> None:
        """Count every timer anew from now on: its next time is by a clock that was set back."""
        for job in self._scheduler.get_jobs():
            again = job.trigger.get_next_fire_time(now, now) or now
            if again < job.next_run_time:
                job.modify(next_run_time=again)

    async def _mind_the_clock(self) -> None:
        """See to it that a clock which is set back by a year stops no timer for a year."""
        loop = asyncio.get_running_loop()
        while True:
            before = datetime.now(UTC) - timedelta(seconds=loop.time())
            await asyncio.sleep(self._look)
            now = datetime.now(UTC)
            if now - timedelta(seconds=loop.time()) < before - SET_BACK:
                log.warning("the clock was set back: timers count anew from %s", now)
                self.set_right(now)

    async def _end(self) -> None:
        """Start nothing more, and let what runs end in its time: half a digest helps nobody."""
        self._scheduler.remove_all_jobs()
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=self._ending)
        late = [task for task in self._under_way if not task.done()]
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        self._scheduler.shutdown(wait=False)
        await asyncio.sleep(0)  # it shuts down in a callback of the loop

    def _add(self, name: str, trigger: BaseTrigger, work: Work) -> None:
        async def run() -> None:
            task = asyncio.create_task(_guarded(name, work), name=name)
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
            await asyncio.shield(task)

        self._scheduler.add_job(run, trigger, id=name, name=name, replace_existing=True)


async def _guarded(name: str, work: Work) -> None:
    try:
        await work()
    except Exception:  # one timer's fault, whatever it is, is no other's
        log.exception("timer %s failed; it comes again at its next time", name)


def _tell(event: JobEvent) -> None:
    log.warning("timer %s: a time was left out, the one before is still running", event.job_id)
