"""A folder that is followed: when what is listed of it has changed.

The kernel tells at once that something happens in the folders that a listing enters, and in those
that links on its way lead through; it watches no others, and none that is excluded. A look at the
listing tells whether it matters, whatever way leads to a file: names, links, hidden folders behind
them. A look now and then sees what the kernel does not tell of (another machine's changes on a
network mount).
"""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from watchfiles import Change, awatch

from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.folder_tree import files_below
from corpus.globs import Globs, is_hidden
from corpus.kinds import markdown_suffix, suffix

LOOK, SELDOM = 5.0, 60.0
"""Seconds between two looks where the kernel cannot tell of changes, and where it can."""
MOST_FOLDERS = 5_000
"""So many are watched: nothing else runs while watches are laid, 15-40 µs for each."""
MOST_JUDGED = 200
"""Of so many changes at once each is judged, up to 40 µs; more are taken for one that matters."""
_SHARE, _SELDOM_SHARE = 10.0, 50.0
"""Looks take at most one part in so many of the time, those that nothing led to fewer still."""
_SETTLE_MS = 500
_STOP_MS = 1_000

Batch = Collection[tuple[Change, str]]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look saw: what tells this state of the files from others, and the folders to watch."""

    state: bytes
    folders: frozenset[str]


class Looks:
    """When the next look is due: `every` so many seconds, or as soon as something is stirred."""

    def __init__(self, now: float, every: float) -> None:
        self._every = every
        self._soon = self._due = now  # at once: until the kernel watches, nobody does

    def are_due(self, now: float, *, stirred: bool) -> bool:
        """Return whether it is time for a look."""
        return now >= (self._soon if stirred else self._due)

    def took(self, began: float, ended: float) -> None:
        """Take in a look; one that takes long is not taken as often."""
        took = ended - began
        self._soon = began + _SHARE * took
        self._due = began + max(self._every, _SELDOM_SHARE * took)


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
        self._seen = Seen(b"", frozenset())
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
        self._seen = await asyncio.to_thread(self.look)
        looks = Looks(self._now(), self._look if polling else self._seldom)
        stirred = False
        async with aclosing(_ticks(self._look) if polling else self._told()) as told:
            yield
            async for batch, unknown in told:
                gone = (Change.deleted, str(self._home)) in batch
                if gone or await asyncio.to_thread(_identity, self.root) != place:
                    return
                stirred = stirred or unknown or self.is_stirred(batch)
                began = self._now()
                if not looks.are_due(began, stirred=stirred):
                    continue
                stirred = False
                before, self._seen = self._seen, await asyncio.to_thread(self.look)
                looks.took(began, self._now())
                if self._seen.state != before.state:
                    yield

    async def _told(self) -> AsyncGenerator[tuple[Batch, bool], None]:
        """Yield what the kernel tells of the folders seen, and every second nothing.

        With it comes whether more may have happened: before watches were laid, or where a watch
        went with its folder. When a look has seen other folders, those are watched.
        """
        while True:
            laid, unknown, replaced = self._seen.folders, True, False
            async with aclosing(_watch(laid)) as batches:
                async for batch in batches:
                    replaced = replaced or _replaces(batch, laid)
                    before = self._seen
                    yield batch, unknown or replaced
                    unknown = False
                    looked = self._seen is not before
                    if looked and (replaced or self._seen.folders != laid):
                        break

    def is_stirred(self, batch: Batch) -> bool:
        """Return whether changes are worth a look."""
        return len(batch) > MOST_JUDGED or any(self.may_matter(*change) for change in batch)

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

    def look(self) -> Seen:
        """Return what is listed now, and the folders to watch for changes of it; blocks."""
        state = hashlib.blake2b()
        folders: set[Path] = set()
        for found in files_below(self._home, self._globs, folders):
            if isinstance(found, FailedFile):
                state.update(repr(found).encode())
            elif _is_page(found) and not (self._home / found).is_relative_to(self._data):
                state.update(repr((found, _version(self._home / found))).encode())
        ours = (str(folder) for folder in folders if not folder.is_relative_to(self._data))
        return Seen(state.digest(), frozenset(filter(_is_text, ours)))


def _watch(folders: Collection[str]) -> AsyncGenerator[set[tuple[Change, str]], None]:
    """Yield what the kernel tells of some folders, and every second nothing.

    One that is gone is left out; the one above is watched before, so that its return is told.

    Raises:
        RuntimeError: they are too many.
    """
    if len(folders) > MOST_FOLDERS:
        raise RuntimeError(f"it has more than {MOST_FOLDERS:,} folders, so exclude some")
    return awatch(
        *sorted(folders),
        watch_filter=None,
        debounce=_SETTLE_MS,
        rust_timeout=_STOP_MS,
        yield_on_timeout=True,
        recursive=False,
        ignore_permission_denied=True,
    )


async def _ticks(seconds: float) -> AsyncGenerator[tuple[Batch, bool], None]:
    """Yield no changes, every so often."""
    while True:
        await asyncio.sleep(seconds)
        yield (), False


def _replaces(batch: Batch, folders: Collection[str]) -> bool:
    """Return whether a folder came or went that is watched: the watch went with it."""
    return any(path in folders and change is not Change.modified for change, path in batch)


def _is_text(path: str) -> bool:
    """Return whether a path can be watched; nothing is listed below one that is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


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
