"""The data folder: where everything lies, and the lock that keeps it to one process."""

import asyncio
import errno
import json
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from core.errors import DataFolderBroken, DataFolderBusy
from core.ports import Clock

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.1
_OWNER_ONLY = 0o600


@contextmanager
def alone(path: Path, seconds: float) -> Iterator[None]:
    """Hold a lock file, which is made, waiting so many seconds for who has it. Blocks.

    Raises:
        TimeoutError: another process still has it.
    """
    try:
        with FileLock(path, timeout=seconds):
            yield
    except Timeout:
        raise TimeoutError("another process has it") from None


class DataFolder:
    """Paths of the data folder, which is made, readable by its owner alone, when it is held."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.index = root / "index"
        self.journal = root / "journal.db"
        self.vectors = root / "vectors.db"
        self.calibration = root / "calibration.json"
        self.models = root / "models"
        self.sources = root / "sources"
        self.lagging = root / "lagging.json"
        self.eval = root / "eval"
        self.control = root / "control.sock"
        self._holder = root / "lock.json"
        self._lock: FileLock | None = None

    async def hold(self, clock: Clock, *, wait: float = 0.0) -> None:
        """Take the lock, waiting up to `wait` seconds for another process to leave.

        Raises:
            DataFolderBusy: another process has it; the sentence names its pid and since when.
            DataFolderBroken: the folder cannot be made or written, or its disk is full.
        """
        lock = await asyncio.to_thread(self._prepared)
        loop = asyncio.get_running_loop()
        until, told = loop.time() + wait, False
        while not await asyncio.to_thread(self._taken, lock, clock.now()):
            if loop.time() >= until:
                raise DataFolderBusy(await asyncio.to_thread(self._busy))
            if not told:
                holder = await asyncio.to_thread(self.holder)
                log.info("The data folder %s is %s: waiting up to %.0f s", self.root, holder, wait)
                told = True
            await asyncio.sleep(_POLL_SECONDS)
        self._lock = lock

    def release(self) -> None:
        """Give the lock back. Safe to call twice, and without having it."""
        if self._lock is not None:
            with suppress(OSError):  # a disk that fails at the end keeps nobody else out
                self._holder.unlink(missing_ok=True)
            self._lock.release()
            self._lock = None

    def holder(self) -> str:
        """Return by whom the folder is in use, as far as its lock says. Blocks."""
        who = "another process"
        try:
            holder = json.loads(self._holder.read_text(encoding="utf-8"))
            who = f"process {int(holder['pid'])} since {holder['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return f"in use by {who}"

    def _prepared(self) -> FileLock:
        self._guard(lambda: self.root.mkdir(mode=0o700, parents=True, exist_ok=True))
        self._guard(lambda: self.index.mkdir(mode=0o700, exist_ok=True))
        self._close_to_others()
        return FileLock(self.root / "lock", timeout=0, mode=_OWNER_ONLY, thread_local=False)

    def _close_to_others(self) -> None:
        """Let nobody else read what is of runbooks and questions, in a folder that was there.

        It may be one that others use too. A file system without permissions keeps what it has.
        """
        for path in (self.index, self.sources, self.eval, self.vectors, self.root / "lock"):
            with suppress(OSError):
                mode = stat.S_IMODE(path.lstat().st_mode)
                if not path.is_symlink() and mode & 0o077:
                    path.chmod(mode & 0o700)

    def _taken(self, lock: FileLock, now: datetime) -> bool:
        try:
            self._guard(lock.acquire)
        except Timeout:
            return False
        try:
            told = json.dumps({"pid": os.getpid(), "since": now.isoformat(timespec="seconds")})
            self._guard(lambda: self._holder.write_text(told, encoding="utf-8"))
        except DataFolderBroken:
            lock.release()
            raise
        return True

    def _busy(self) -> str:
        return (
            f"The data folder {self.root} is {self.holder()}: "
            "stop that process, or name another folder with --data."
        )

    def _guard(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Timeout:
            raise
        except OSError as error:
            raise DataFolderBroken(self._sentence(error)) from error

    def _sentence(self, error: OSError) -> str:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return f"The disk that holds the data folder {self.root} is full: free some space."
        reason = error.strerror or type(error).__name__
        return (
            f"The data folder {self.root} cannot be used ({reason}): "
            "make it writable, or name another folder with --data."
        )
