"""Whether a channel's connection is up, and since when that is so."""

from core.ports import Clock


class Connection:
    """Down at first; told when it is made, and when it breaks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.up = False
        self.since = clock.now()

    def made(self) -> None:
        """Take in that it is up."""
        self._set(up=True)

    def broke(self) -> None:
        """Take in that it is down, or still down."""
        self._set(up=False)

    def _set(self, *, up: bool) -> None:
        if up is not self.up:
            self.up, self.since = up, self._clock.now()
