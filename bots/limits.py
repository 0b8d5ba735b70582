"""How much one person or one channel may ask: a sliding window, in memory. Pure but for the clock.

A restart forgets the counts. That is meant: the limits keep a flood away, they are no bookkeeping.
"""

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.exchanges import Person
from core.models import Where
from core.ports import Clock

WINDOW = timedelta(minutes=1)
MOST_KEYS = 10_000
"""Persons and channels remembered at once; the longest silent are forgotten first."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A limit was met: whose, and how many seconds until the next question is taken."""

    whole_channel: bool
    seconds: int


class Limits:
    """Counts questions by person and by channel."""

    def __init__(self, clock: Clock, *, per_person: int, per_channel: int) -> None:
        self._clock = clock
        self._per_person = per_person
        self._per_channel = per_channel
        self._asked: dict[tuple[str, ...], deque[datetime]] = {}

    def take(self, person: Person, where: Where) -> Wait | None:
        """Count one question; returns what to wait for instead where a limit is met.

        A refused question is not counted, so that asking again does not lengthen the wait.
        """
        now = self._clock.now()
        by_person = self._recent(("person", person.platform, person.user_id), now)
        by_channel = self._recent(("channel", where.platform, where.channel_id), now)
        for asked, limit, whole_channel in (
            (by_person, self._per_person, False),
            (by_channel, self._per_channel, True),
        ):
            if len(asked) >= limit:
                left = WINDOW - (now - asked[0])
                return Wait(whole_channel, max(1, -(-left // timedelta(seconds=1))))
        by_person.append(now)
        by_channel.append(now)
        return None

    def _recent(self, key: tuple[str, ...], now: datetime) -> deque[datetime]:
        asked = self._asked.pop(key, None) or deque()
        while asked and not timedelta() <= now - asked[0] < WINDOW:
            asked.popleft()  # it is long ago, or the clock was set back since
        self._asked[key] = asked
        while len(self._asked) > MOST_KEYS:
            self._asked.pop(next(iter(self._asked)))
        return asked
