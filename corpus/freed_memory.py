"""Memory that was freed goes back to the system: glibc keeps it for each of its threads' arenas."""

import ctypes


def give_back() -> None:
    """Give back what is free, where the C library can. It takes a few milliseconds; blocks.

    Unasked, glibc returns only what is free at an arena's end: a process of 330 MB that followed
    455 documents had 530 MB after 24 updates, and has 300 MB when asked after each.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library: it sees to this itself
        return
    trim(0)
