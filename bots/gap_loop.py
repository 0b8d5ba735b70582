"""What goes on by itself while the bot serves: digests, closing the loop, and tidying up."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bots.digest_making import Wording
from bots.digesting import Digests, lines
from bots.schedule import Timers
from bots.telling import Teller
from core.cron import parse_cron
from core.ports import Announcer, Clock, SearchableIndex
from core.reports import IndexReport
from core.settings import Settings
from core.settings_lists import DEFAULT_TENANT
from feedback.closing import Closing
from feedback.gap_book import GapBook
from feedback.journal import SqliteJournal
from feedback.reopening import reopen_failed
from feedback.retention import purge

if TYPE_CHECKING:
    from bots.app import App

log = logging.getLogger(__name__)

LOOK = 60.0
"""Seconds between two looks at the digests: for retries, and for clocks that were set."""
SETTLE = 600.0
"""Seconds between two looks for votes that open a gap again, and for askers to be told."""
FIRST = 30.0
"""Seconds after the start until the first look: channels connect first."""
TIDY = parse_cron("17 3 * * *")


class GapLoop:
    """Closes gaps after each build, tells their askers, posts digests, erases what is old."""

    def __init__(
        self,
        book: GapBook,
        closing: Closing,
        teller: Teller,
        digests: Digests,
        journal: SqliteJournal,
        index: SearchableIndex,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._book = book
        self._closing = closing
        self._teller = teller
        self.digests = digests
        self._journal = journal
        self._index = index
        self._settings = settings
        self._clock = clock
        self._settling = asyncio.Lock()
        self._telling = asyncio.Lock()
        self._fresh: set[str] = set()
        self._closed_for = ""
        self._timers = self._all_timers()

    def built(self, report: IndexReport) -> None:
        """Take note of a build that is live now; its gaps are closed aside, at once."""
        self._fresh.update(report.added, report.changed)
        self._timers.soon(f"gaps after build {report.build}", 0, self.settle)

    async def settle(self) -> None:
        """Open again what was voted down, close what the live build answers, tell the askers.

        What another build answers is looked at once a build, and once after a start: a build may
        have been made while the bot was away. Breaking it off anywhere loses nothing.
        """
        async with self._settling:
            while await self._close():
                pass  # another build came live meanwhile
        async with self._telling:  # a build's closing does not wait for it: platforms are slow
            for tenant in tenants(self._settings):
                if told := await self._teller.tell(tenant):
                    log.info("%d people of %s were told of an answer", told, tenant)

    async def _close(self) -> bool:
        """Open and close gaps by the live build; return whether another is live by now."""
        build, fresh = self._live, frozenset(self._fresh)
        for tenant in tenants(self._settings):
            for record in await reopen_failed(self._journal, self._clock, tenant):
                log.info("gap %s is open again: its answer was voted down", record.id)
            if build and build != self._closed_for:
                await self._book.name_gaps(tenant)
                closed = await self._closing.close(tenant, build, fresh)
                log.info("build %s closed %d gaps of %s", build, len(closed), tenant)
        self._closed_for = build
        self._fresh -= fresh
        return self._live != build

    @property
    def _live(self) -> str:
        return self._index.info.id if self._index.info else ""

    async def tidy(self) -> None:
        """Erase what is older than the settings keep it."""
        days = self._settings.journal.retention_days
        erased = await purge(self._journal, self._clock.now(), retention_days=days)
        log.info("erased what is older than %d days: %s", days, dict(erased) or "nothing")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run all timers as long as the block lasts."""
        async with self._timers.running():
            yield

    def _all_timers(self) -> Timers:
        timers = Timers()
        timers.every("digests", LOOK, self.digests.look)
        for line in lines(self._settings):
            name = f"digest {line.tenant.name} {line.name}"
            zone = ZoneInfo(line.digest.timezone)
            timers.at(name, parse_cron(line.digest.cron), zone, self.digests.look)
        timers.every("gaps", SETTLE, self.settle)
        timers.soon("digests first", FIRST, self.digests.look)
        timers.soon("gaps first", FIRST, self.settle)
        timers.at("tidy", TIDY, ZoneInfo("UTC"), self.tidy)
        return timers


def loop_over(
    app: "App",
    announcer: Announcer,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> GapLoop:
    """Return the loop over an app, which is yet to be run; it `sleep`s between people."""
    closing = Closing(app.service, app.journal, app.clock)
    teller = Teller(
        closing,
        app.service,
        app.journal,
        app.library.index,
        announcer,
        app.settings,
        app.library.link,
        app.clock,
        sleep=sleep,
    )
    word = Wording(app.library.index, app.library.link).digest
    digests = Digests(app.gaps.report, word, app.journal, announcer, app.settings, app.clock)
    return GapLoop(
        app.gaps, closing, teller, digests, app.journal, app.library.index, app.settings, app.clock
    )


def tenants(settings: Settings) -> Iterable[str]:
    """Return every tenant that people ask in or pages are of."""
    named = [one.name for one in settings.tenants] or [DEFAULT_TENANT]
    return dict.fromkeys([*named, *(source.tenant for source in settings.sources)])
