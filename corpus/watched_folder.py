"""A folder that is followed: when what is listed of it has changed.

The kernel tells at once that something happens there; a look at the listing tells whether it
matters, whatever way leads to a file: names, links, hidden folders behind them. A look now and then
sees what the kernel does not tell of (another machine's changes on a network mount).
"""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from pathlib import Path

from watchfiles import Change, awatch

from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.folder_tree import files_below
from corpus.globs import Globs, is_hidden
from corpus.kinds import markdown_suffix, suffix

LOOK, SELDOM = 5.0, 60.0
"""Seconds between two looks where the kernel cannot tell of changes, and where it can."""
_SHARE, _SELDOM_SHARE = 10.0, 50.0
"""Looks take at most one part in so many of the time, those that nothing led to fewer still."""
_SETTLE_MS = 500
_STOP_MS = 1_000


class Folder:
    """A folder that is followed, without what lies in the data folder."""

    def __init__(
        self,
        settings: SourceSettings,
        root: Path,
        data: Path,
        *,
        look: float = LOOK,
        seldom: float = SELDOM,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.root = self._home = root
        self._globs = Globs(settings.include, settings.exclude)
        self._data = data.resolve()
        self._look, self._seldom, self._now = look, seldom, now

    async def changes(self, *, polling: bool) -> AsyncGenerator[None, None]:
        """Yield once at the start, then whenever what is listed has changed.

        It ends when another folder has taken this one's place.

        Raises:
            FileNotFoundError: the folder is not there.
            OSError, RuntimeError: it cannot be watched.
        """
        self._home = await asyncio.to_thread(self.root.resolve, strict=True)
        place = await asyncio.to_thread(_identity, self.root)
        known = await asyncio.to_thread(self.state)
        every = self._look if polling else self._seldom
        soon = due = self._now()  # at once: until the kernel watches, nobody does
        stirred = False
        async with aclosing(_ticks(self._look) if polling else self._told()) as batches:
            yield
            async for batch in batches:
                if (Change.deleted, str(self._home)) in batch:
                    return
                if await asyncio.to_thread(_identity, self.root) != place:
                    return
                stirred = stirred or any(self.may_matter(*change) for change in batch)
                began = self._now()
                if began < (soon if stirred else due):
                    continue
                stirred = False
                state = await asyncio.to_thread(self.state)
                took = self._now() - began
                soon, due = began + _SHARE * took, began + max(every, _SELDOM_SHARE * took)
                if state != known:
                    known = state
                    yield

    def may_matter(self, change: Change, path: str) -> bool:
        """Return whether a change to a path is worth a look.

        A name without a suffix may be a folder's, which takes pages along when it comes or goes;
        what is hidden may lie behind a link.
        """
        place = Path(path)
        if place.is_relative_to(self._data) or not place.is_relative_to(self._home):
            return False
        shown = place.relative_to(self._home).as_posix()
        if self._globs.shuts_out(shown):
            return False
        return change is not Change.modified or is_hidden(shown) or _is_page(shown)

    def state(self) -> bytes:
        """Return what tells one state of what is listed from another; blocks."""
        state = hashlib.blake2b()
        for found in files_below(self._home, self._globs):
            if isinstance(found, FailedFile):
                state.update(repr(found).encode())
            elif _is_page(found) and not (self._home / found).is_relative_to(self._data):
                state.update(repr((found, _version(self._home / found))).encode())
        return state.digest()

    def _told(self) -> AsyncGenerator[set[tuple[Change, str]], None]:
        return awatch(
            self._home,
            watch_filter=None,
            debounce=_SETTLE_MS,
            rust_timeout=_STOP_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )


async def _ticks(seconds: float) -> AsyncGenerator[Collection[tuple[Change, str]], None]:
    """Yield no changes, every so often."""
    while True:
        await asyncio.sleep(seconds)
        yield ()


def _is_page(path: str) -> bool:
    return bool(markdown_suffix(path)) or not suffix(path)


def _identity(place: Path) -> tuple[str, int, int]:
    """Return what tells a folder from another one that took its place, or that its link now has."""
    found = place.stat()
    return os.path.realpath(place), found.st_dev, found.st_ino


def _version(file: Path) -> tuple[int, ...]:
    """Return what changes with a file's content, read through links; nothing if it is gone."""
    try:
        found = file.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
