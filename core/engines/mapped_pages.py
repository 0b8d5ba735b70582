"""Pages of mapped files, given back to the system. Linux alone; elsewhere nothing happens.

The engine maps its files and reads every page of them when it opens a shard, holes and the log of
what was written long ago included. What it never touches again need not count as its memory.
"""

import ctypes
import re
import sys
from pathlib import Path

_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ...(.) \S+ \S+ \d+ +(/.*)")
_DONTNEED = 4
"""MADV_DONTNEED, madvise(2): a shared mapping is read from its file again when it is touched."""


def give_back_pages(folder: Path) -> None:
    """Let go of the pages of all files below a folder that are mapped and shared. Blocks briefly.

    Nothing is lost: what was written to such a page is the file's already, on its way to the disk.
    """
    if sys.platform != "linux":
        return
    below = f"{folder.resolve()}/"
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        found = _MAPPING.fullmatch(line)
        if found and found[3] == "s" and found[4].startswith(below):
            start, end = int(found[1], 16), int(found[2], 16)
            advise(start, end - start, _DONTNEED)
