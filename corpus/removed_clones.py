"""The clones of repositories that are no sources any more: removed when the index was updated."""

import asyncio
import logging
import re
import shutil
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from core.ports import Indexer
from core.reports import IndexOptions, IndexProgress, IndexReport
from corpus.git_clone import LOCK

_log = logging.getLogger(__name__)

_CLONE = re.compile(r"[0-9a-f]{16}\.git")


class ClearingIndexer:
    """Has an indexer run over all configured sources; then the clones of no others are kept.

    They stay where the run fails, changes nothing or keeps the pages of removed sources too, and
    where a source cannot be read anew: it may be one of them by another name.
    """

    def __init__(self, inner: Indexer, clones: Path, names: Collection[str]) -> None:
        self._inner = inner
        self._clones = clones
        self._names = names

    @property
    def running_since(self) -> datetime | None:
        """Return when the run that is going on began; None while there is none."""
        return self._inner.running_since

    async def run(
        self, options: IndexOptions, progress: Callable[[IndexProgress], None] | None = None
    ) -> IndexReport:
        """Bring the index up to date, as the indexer does, and clear."""
        report = await self._inner.run(options, progress)
        if options.prune and not options.dry_run and not report.lagging:
            await asyncio.to_thread(remove_clones, self._clones, self._names)
        return report


def remove_clones(clones: Path, kept: Collection[str]) -> None:
    """Remove the homes of clones but those of the sources `kept`. Blocks; a failure is logged.

    No link is followed, and nothing is touched but folders that hold clones alone.
    """
    if clones.is_symlink() or not clones.is_dir():
        return
    try:
        ours = {_identity(clones / name) for name in kept}
        homes = sorted(clones.iterdir())
    except OSError as error:
        _log.warning("What was fetched of removed sources stays: %s", error)
        return
    for home in homes:
        try:
            if not _holds_clones(home) or _identity(home) in ours:
                continue
            shutil.rmtree(home)
        except OSError as error:
            _log.warning("What was fetched of the removed source %s stays: %s", home.name, error)
        else:
            _log.info("Removed what was fetched of %s, which is no source any more", home.name)


def _identity(home: Path) -> tuple[int, int] | None:
    """Return what is the same for one folder under two names (`Docs`, `docs`), where it is one."""
    with suppress(FileNotFoundError):
        told = home.stat()
        return told.st_dev, told.st_ino
    return None


def _holds_clones(home: Path) -> bool:
    if home.is_symlink() or not home.is_dir():
        return False
    inside = [one for one in home.iterdir() if one.name != LOCK]
    return bool(inside) and all(
        _CLONE.fullmatch(one.name) and one.is_dir() and not one.is_symlink() for one in inside
    )
