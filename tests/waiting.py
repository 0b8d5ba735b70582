"""Waiting for what must happen: a busy machine makes a test slower, and never fails it."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

PATIENT = 120.0
"""Seconds to wait for what must happen: that long only where something is wrong."""
LOOK = 0.02
"""Seconds between two looks at what tells nobody that it has happened."""


async def until(holds: Callable[[], object], seconds: float = PATIENT) -> None:
    """Wait until something holds.

    Raises:
        TimeoutError: it does not.
    """
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - nothing tells when it does
            await asyncio.sleep(LOOK)


def has_ended(pid: int) -> bool:
    """Return whether a process has ended, be it that nobody has asked yet how it ended."""
    try:
        os.kill(pid, 0)
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except ProcessLookupError:
        return True
    except FileNotFoundError:
        return Path("/proc/self").exists()
    return told.rpartition(")")[2].split()[0] == "Z"
