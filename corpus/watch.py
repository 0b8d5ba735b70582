"""Following sources: folders as they change, repositories every so often; then the index is run.

Watching a folder costs one thread that sleeps in the kernel. Where the kernel cannot watch (no
inotify, its limit reached) the folder is looked at every few seconds, and now and then where it
can, for what it does not tell of (some network mounts).
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import aclosing
from pathlib import Path

from core.errors import NightlampError
from core.reports import IndexReport
from corpus.sources import Source
from corpus.watch_plan import QUIET, WatchPlan
from corpus.watched_folder import LOOK, SELDOM, Folder

log = logging.getLogger(__name__)

Reindex = Callable[[], Awaitable[IndexReport]]
"""Brings the index up to date, or raises a NightlampError or OSError."""

_AGAIN = 5.0
"""Seconds until a folder that is not there or cannot be watched is tried again."""


class Watcher:
    """Follows what the settings say is to be followed, and runs the index, one run at a time."""

    name = "watcher"
    connection = None

    def __init__(
        self,
        sources: Sequence[Source],
        reindex: Reindex,
        data: Path,
        *,
        now: Callable[[], float] = time.monotonic,
        quiet: float = QUIET,
        polling: bool = False,
        look: float = LOOK,
        seldom: float = SELDOM,
    ) -> None:
        self._folders = tuple(
            Folder(source.settings, source.root, data, look=look, seldom=seldom)
            for source in sources
            if source.root is not None and _is_followed(source)
        )
        every = {s.settings.name: s.settings.seconds for s in sources}
        self._every = {name: seconds for name, seconds in every.items() if seconds is not None}
        self._names = {source.settings.name for source in sources}
        self._reindex = reindex
        self._now = now
        self._quiet = quiet
        self._polling = polling
        self._stirred = asyncio.Event()
        self._said: frozenset[str] = frozenset()

    @property
    def idle(self) -> bool:
        """Return whether there is nothing to follow."""
        return not (self._folders or self._every)

    async def run(self) -> None:
        """Follow the sources until cancelled; at once if there is nothing to follow."""
        if self.idle:
            return
        plan = WatchPlan(self._now(), self._every, self._quiet)
        async with asyncio.TaskGroup() as group:
            for folder in self._folders:
                group.create_task(self._follow(folder, plan))
            await self._work(plan)

    async def _work(self, plan: WatchPlan) -> None:
        while True:
            self._stirred.clear()
            wait = plan.wait(self._now())
            if wait is None or wait > 0:
                await self._stir(wait)
                continue
            plan.begin(self._now())
            try:
                report = await self._reindex()
            except (NightlampError, OSError) as error:
                wait = plan.fail(self._now())
                self._say({f"The index was not brought up to date: {error}"})
                log.info("The index is tried again in %.0f s", wait)
            else:
                plan.succeed()
                self._report(report)

    async def _stir(self, wait: float | None) -> None:
        """Wait so long, or until something changes."""
        try:
            async with asyncio.timeout(wait):
                await self._stirred.wait()
        except TimeoutError:
            return

    def _report(self, report: IndexReport) -> None:
        """Log what changed, and what a source as a whole has to say."""
        lists = {
            "added": report.added,
            "changed": report.changed,
            "removed": report.removed,
            "failed": report.failed,
        }
        if report.added or report.changed or report.removed:
            counts = ", ".join(f"{len(paths)} {name}" for name, paths in lists.items())
            log.info("The index is up to date: %s", counts)
        spoken = (*report.failed, *report.warned)
        self._say({one.reason for one in spoken if one.path in self._names})

    def _say(self, sentences: Collection[str]) -> None:
        """Log what was not said the last time already."""
        for sentence in sorted(set(sentences) - self._said):
            log.warning("%s", sentence)
        self._said = frozenset(sentences)

    async def _follow(self, folder: Folder, plan: WatchPlan) -> None:
        polling = self._polling
        told = ""
        while True:
            try:
                async with aclosing(folder.changes(polling=polling)) as changes:
                    async for _ in changes:
                        told = ""
                        plan.changed(self._now())
                        self._stirred.set()
            except FileNotFoundError:
                sentence = f"The folder {folder.root} is not there, so it is not followed."
            except (OSError, RuntimeError) as error:
                if not polling:
                    polling = True
                    log.info("%s is looked at every few seconds: %s", folder.root, error)
                    continue
                sentence = f"The folder {folder.root} cannot be followed: {error}."
            else:
                sentence = ""
            if sentence and sentence != told:
                log.warning("%s", sentence)
            told = sentence
            await asyncio.sleep(_AGAIN if sentence else 0)


def _is_followed(source: Source) -> bool:
    return source.settings.watch and source.settings.path is not None
