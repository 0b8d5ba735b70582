"""The process of a measurement, which does one thing when it gets to a method.

It stays there until it is killed, dies there, fails there, or tells what it embeds in a second.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

from core.errors import EmbedderUnavailable
from eval import measuring_child
from eval.measuring import Job

PID_FILE = "measurement.pid"


def command(method: str, does: str) -> tuple[str, ...]:
    """Return what starts the process."""
    program = f"from tests.scripted_measurement import main; main({method!r}, {does!r})"
    return (sys.executable, "-P", "-c", program)


def main(method: str, does: str) -> None:
    def work(job: Job) -> dict[str, Any]:
        if job.method == method:
            (job.folder / "half.written").write_text("so far")
            if does.startswith("embed"):
                return _embedded(does, job.settings.embedding.backend)
            _do(does, job.data)
        return measuring_child.measure(job)

    measuring_child.main(work)


def _embedded(does: str, backend: str) -> dict[str, Any]:
    if does == "embed by torch alone" and backend != "torch":
        raise EmbedderUnavailable("The model cannot be exported.")
    rate = {"onnx": 60.0, "torch": 40.0}[backend]
    return {"passages": 256, "per_second": rate, "peak_mb": 400.0}


def _do(does: str, data: Path) -> None:
    if does == "die":
        os._exit(9)
    if does == "fail":
        raise EmbedderUnavailable("The model failed on a text.")
    pid = data / PID_FILE
    pid.with_suffix(".part").write_text(str(os.getpid()))
    pid.with_suffix(".part").replace(pid)
    while True:
        time.sleep(60)
