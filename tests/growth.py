"""How the time of work grows with its text, however fast the machine and whatever else runs."""

import time
from collections.abc import Callable
from typing import Final

LENGTH: Final = 200_000
MOST: Final = 8.0
"""Between the 4 of work that grows as its text does and the 16 of what grows by its square."""
_NOISE = 0.02
"""Seconds: as much as the interpreter may take in between for itself."""
_TRIES = 5


def growth(work: Callable[[str], object], unit: str) -> float:
    """Return how many times as long a text of units takes as a quarter of it.

    Counted is this thread's time on the processor. Of a few tries the least is returned: what else
    the machine does only ever adds to one. The tries end with the first that is below `MOST`.
    """
    text = unit * (LENGTH // len(unit))
    quarter = text[: len(text) // 4]
    least = float("inf")
    for _ in range(_TRIES):
        least = min(least, (_seconds(work, text) + _NOISE) / (_seconds(work, quarter) + _NOISE))
        if least < MOST:
            break
    return least


def _seconds(work: Callable[[str], object], text: str) -> float:
    began = time.thread_time()
    work(text)
    return time.thread_time() - began
