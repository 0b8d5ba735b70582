"""The system's clock."""

from datetime import UTC, datetime


class SystemClock:
    """Tells the real time."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)
