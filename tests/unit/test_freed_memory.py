"""A long-lived process does not keep the memory that an update took."""

import os
import platform
from pathlib import Path

from corpus.freed_memory import give_back

_STATM = Path("/proc/self/statm")
_PIECES = 40_000
_GLIBC = platform.libc_ver()[0] == "glibc" and _STATM.exists()


def resident() -> int:
    """Return the bytes of this process that are in memory; 0 where the system does not say."""
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if _GLIBC else 0


def test_memory_that_was_freed_below_what_is_still_in_use_goes_back_to_the_system() -> None:
    pieces = [bytes(1000) for _ in range(_PIECES)]
    last = pieces[-1]  # what is free below it stays with the process by itself
    pieces.clear()
    before = resident()
    give_back()
    assert before - resident() >= (_PIECES * 1000 // 2 if _GLIBC else 0)
    assert last
