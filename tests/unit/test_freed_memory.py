"""A long-lived process does not keep the memory that an update took."""

import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIECES = 40_000
GLIBC = platform.libc_ver()[0] == "glibc" and Path("/proc/self/statm").exists()
PROGRAM = f"""
import os
from corpus.freed_memory import give_back

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

pieces = [bytes(1000) for _ in range({PIECES})]
last = pieces[-1]  # what is free below it stays with the process by itself
pieces.clear()
before = resident() if {GLIBC} else 0
give_back()
print(before - resident() if {GLIBC} else 0)
"""
"""In a process of its own: what other tests have left in the memory of this one says nothing."""


def test_memory_that_was_freed_below_what_is_still_in_use_goes_back_to_the_system() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, check=True, cwd=ROOT, text=True
    )
    assert int(done.stdout) >= (PIECES * 1000 // 2 if GLIBC else 0)
