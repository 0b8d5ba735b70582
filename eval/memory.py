"""The memory of this process, in MB (10^6 bytes)."""

import resource
import sys
from pathlib import Path
from typing import Any, Final

_STATM: Final = Path("/proc/self/statm")
_STATUS: Final = Path("/proc/self/status")


def resident_mb() -> float | None:
    """Return what this process has in memory now; None where the system does not tell."""
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return pages * resource.getpagesize() / 1e6


def peak_mb() -> float:
    """Return the most memory that this process has had.

    Linux counts into `ru_maxrss` what the process that started this one had then, so the high water
    mark of its own memory is read where there is one.
    """
    if (own := _high_water_mb()) is not None:
        return own
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def serving_memory() -> dict[str, Any]:
    """Return what a process that answers has in memory, and whether that is now or at its peak."""
    now = resident_mb()
    if now is None:
        return {"serving_mb": round(peak_mb(), 1), "serving_memory": "peak"}
    return {"serving_mb": round(now, 1), "serving_memory": "resident"}


def _high_water_mb() -> float | None:
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    marks = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(marks[0]) * 1024 / 1e6 if marks else None
