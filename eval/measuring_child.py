"""Makes one measurement for another process: a program of its own.

    python -P -m eval.measuring_child

The job stands on its standard input, pickled; what was found, or the error, on its standard output.
It ends as soon as that input does, whatever it is doing: with the process that it measures for.
"""

import asyncio
import os
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

from core.errors import NightlampError
from eval.measure_serving import METHODS
from eval.measuring import Job
from eval.memory import peak_mb

_ORPHANED = 4

Measure = Callable[[Job], dict[str, Any]]


def measure(job: Job) -> dict[str, Any]:
    """Return what one method took, with the peak memory of this process in MB.

    Raises:
        NightlampError: the model or the index cannot be used.
    """
    method = METHODS.get(job.method)
    if method is None:
        from eval.measure import METHODS as OTHERS  # the plain tools: memory that is not ours

        method = OTHERS[job.method]
    found = asyncio.run(method(job))
    return {**found, "peak_mb": round(peak_mb(), 1)}


def main(work: Measure = measure) -> None:
    """Do the job of standard input."""
    output = _own_output()
    job: Job = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the process that started this one
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    found: dict[str, Any] | NightlampError
    try:
        found = work(job)
    except NightlampError as error:
        found = error
    with open(output, "wb") as stream:
        stream.write(pickle.dumps(found))


def _end_with_parent() -> None:
    """Wait for the end of standard input, past Python's buffer, and end where it stands."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(_ORPHANED)


def _own_output() -> int:
    """Return a descriptor for what was found; what libraries print goes to standard error."""
    own = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own


if __name__ == "__main__":
    main()
