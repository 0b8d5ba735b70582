"""When sources that change are indexed again. Pure: seconds on a clock that only goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

QUIET, PATIENCE = 2.0, 30.0
"""Seconds without a change before a run, and the most that a change waits for such quiet."""
FIRST_WAIT, LONGEST_WAIT = 30.0, 1800.0
"""Seconds before a failed run is tried again, doubled each time up to the longest."""


@dataclass(slots=True)
class WatchPlan:
    """What has changed, what is due, and what failed; `every` has the seconds between looks.

    The first run is due when it has been quiet after the start: nobody watched before.
    """

    started: float
    every: Mapping[str, float] = field(default_factory=dict)
    quiet: float = QUIET
    _first: float | None = field(init=False)
    _last: float = field(init=False)
    _looked: float = field(init=False)
    _failures: int = field(init=False, default=0)
    _not_before: float = field(init=False)

    def __post_init__(self) -> None:
        """Count the time before the start as one change."""
        self._first = self._last = self.started
        self._looked = self._not_before = self.started

    def changed(self, now: float) -> None:
        """Take in that something has changed."""
        self._first = now if self._first is None else self._first
        self._last = now

    def wait(self, now: float) -> float | None:
        """Return the seconds until the next run, 0 for now, None while nothing is due."""
        due = [self._looked + every for every in self.every.values()]
        if self._first is not None:
            due.append(min(self._last + self.quiet, self._first + PATIENCE))
        return max(0.0, min(due) - now, self._not_before - now) if due else None

    def begin(self, now: float) -> None:
        """Take in that a run begins: what changes from now on is for the next one."""
        self._first = None
        self._looked = now

    def succeed(self) -> None:
        """Take in that the run did what was due."""
        self._failures = 0

    def fail(self, now: float) -> float:
        """Take in that the run failed; return the seconds before it is tried again."""
        self._failures += 1
        wait = min(FIRST_WAIT * 2.0 ** min(self._failures - 1, 30), LONGEST_WAIT)
        self._not_before = now + wait
        self._first = now - PATIENCE if self._first is None else self._first
        return wait
