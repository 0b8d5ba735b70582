"""What the index lags behind: sources that could not be read anew, and an update that failed.

A run that cannot fetch a repository uses its last state and ends well; one that is refused leaves
the index as it was. Who asks how things stand must hear of both, after a restart too: pages that
grow old in silence are trusted during an outage. So they are kept in the data folder.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from core.engines.durable import write_durably
from core.errors import BuildRefused, DataFolderBroken, NightlampError
from core.ports import Clock
from core.wire import from_plain, to_plain

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LaggingSource:
    """A source that no run could read since then, and why the last one could not."""

    name: str
    since: datetime
    sentence: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An update that failed, last of all, and since when none has succeeded.

    Only force lets in what was refused.
    """

    since: datetime
    refused: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Behind:
    """The sources that the last run could not read anew, by name, and the update that failed."""

    sources: tuple[LaggingSource, ...] = ()
    update: Unfinished | None = None


class Lagging:
    """Keeps what the index lags behind in a file, and in mind where that cannot be written."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._unwritten: Behind | None = None

    def read(self) -> Behind:
        """Return it; nothing where there is no file, or one that cannot be read. Blocks."""
        if self._unwritten is not None:
            return self._unwritten
        try:
            return from_plain(Behind, json.loads(self._file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return Behind()
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("%s is passed over: %s", self._file, error)
            return Behind()

    def note_sources(self, reasons: Mapping[str, str], now: datetime) -> None:
        """Keep what a run could not read, and why; all others were read. Blocks."""
        behind = self.read()
        before = {one.name: one.since for one in behind.sources}
        found = tuple(
            LaggingSource(name, before.get(name, now), sentence)
            for name, sentence in sorted(reasons.items())
        )
        self._keep(replace(behind, sources=found))

    def note_update(self, error: NightlampError | OSError | None, now: datetime) -> None:
        """Keep why an update failed, or that it did not. Blocks."""
        behind, update = self.read(), None
        if error is not None:
            since = behind.update.since if behind.update else now
            update = Unfinished(since, isinstance(error, BuildRefused), _sentence(error))
        self._keep(replace(behind, update=update))

    @asynccontextmanager
    async def updating(self, clock: Clock) -> AsyncIterator[None]:
        """Keep how the update ends that is made within; one that is interrupted changes nothing."""
        try:
            yield
        except (NightlampError, OSError) as error:
            await asyncio.to_thread(self.note_update, error, clock.now())
            raise
        await asyncio.to_thread(self.note_update, None, clock.now())

    def _keep(self, behind: Behind) -> None:
        """Write it down; a disk that is full is no reason to end the run."""
        try:
            if behind == Behind():
                self._file.unlink(missing_ok=True)
            else:
                write_durably(self._file, json.dumps(to_plain(behind)).encode())
        except (DataFolderBroken, OSError) as error:
            _log.warning("What the index lags behind is not kept over a restart: %s", error)
            self._unwritten = behind
        else:
            self._unwritten = None


def _sentence(error: NightlampError | OSError) -> str:
    """Return what is said of an error; what the system says of a file is put into a sentence."""
    if isinstance(error, OSError):
        return f"A file cannot be read or written: {error}"
    return str(error)
