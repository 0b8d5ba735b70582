"""Sources that could not be read anew: kept in the data folder, so that no restart hides them.

A run that cannot fetch a repository uses its last state and ends well. Who asks how things stand
must hear of it all the same: pages that grow old in silence are trusted during an outage.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.engines.durable import write_durably
from core.errors import DataFolderBroken
from core.wire import from_plain, to_plain

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LaggingSource:
    """A source that no run could read since then, and why the last one could not."""

    name: str
    since: datetime
    sentence: str


@dataclass(frozen=True, slots=True)
class _Noted:
    sources: tuple[LaggingSource, ...] = ()


class Lagging:
    """The sources that the last run could not read anew. Blocks."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> tuple[LaggingSource, ...]:
        """Return them by name; none where there is no file, or one that cannot be read."""
        try:
            plain = json.loads(self._file.read_text(encoding="utf-8"))
            return from_plain(_Noted, plain).sources
        except FileNotFoundError:
            return ()
        except (OSError, ValueError) as error:
            _log.warning("%s is passed over: %s", self._file, error)
            return ()

    def note(self, reasons: Mapping[str, str], now: datetime) -> None:
        """Keep what a run could not read, and why; all others were read.

        A disk that is full is no reason to end the run: the log has it.
        """
        before = {one.name: one.since for one in self.read()}
        found = tuple(
            LaggingSource(name, before.get(name, now), sentence)
            for name, sentence in sorted(reasons.items())
        )
        try:
            if found:
                write_durably(self._file, json.dumps(to_plain(_Noted(found))).encode())
            else:
                self._file.unlink(missing_ok=True)
        except (DataFolderBroken, OSError) as error:
            _log.warning("Which sources could not be read is not kept: %s", error)
