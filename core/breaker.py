"""When to leave a failing language model alone: a circuit breaker. Pure.

Its state is what the journal has: the last attempts. So it outlives a restart, and `status` sees
it beside a running bot.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from core.written import Writing, WritingOutcome

FAILURES = 3
"""Failures in a row after which the model is left alone."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(minutes=15)
LOOKED_AT = 12
"""Attempts that are looked at: enough for the longest pause."""
_GAVE = {WritingOutcome.SHOWN, WritingOutcome.DROPPED, WritingOutcome.NO_ANSWER}
_NOT_ITS_FAULT = {"stopped", "no_room", "too_long", "unfinished length"}
"""Reasons that say nothing of the next question: it may be shorter, or be answered shorter."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """`failures` in a row, and until when nothing is asked; None while it may be."""

    failures: int = 0
    until: datetime | None = None

    def allows(self, now: datetime) -> bool:
        """Return whether the model may be asked now."""
        return self.until is None or now >= self.until


def breaker(last: Sequence[Writing], patience: timedelta) -> Breaker:
    """Return the breaker's state after the last attempts, newest first.

    After three failures in a row there is a pause of a minute, twice as long after each further
    one, a quarter of an hour at most. When it is over one attempt is let through, and the others
    wait for how it ends, but no longer than `patience` (what an attempt may take).
    """
    failed = list(takewhile(_failed, (one for one in last if one.outcome in _GAVE or _failed(one))))
    if len(failed) < FAILURES:
        return Breaker(len(failed))
    doubled = FIRST_PAUSE * 2 ** min(len(failed) - FAILURES, 8)
    over = failed[0].at + min(doubled, LONGEST_PAUSE)
    probes = [one.at for one in last if one.outcome is WritingOutcome.STARTED and one.at >= over]
    return Breaker(len(failed), max([over, *(at + patience for at in probes)]))


def _failed(one: Writing) -> bool:
    return one.outcome is WritingOutcome.FAILED and one.reason not in _NOT_ITS_FAULT
