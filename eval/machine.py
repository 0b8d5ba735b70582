"""The machine that something was measured on: a figure of speed means little without it."""

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

CPU_INFO = Path("/proc/cpuinfo")


def machine(cpu_info: Path = CPU_INFO) -> dict[str, Any]:
    """Return the cores, the processor's name, the system and the release of Python.

    Python knows the processor's kind alone; its name is read from `cpu_info`, as Linux writes it.
    """
    return {
        "cores": os.cpu_count(),
        "processor": _processor(cpu_info),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor(cpu_info: Path) -> str:
    kind = platform.machine()
    known: dict[str, str] = {}
    with suppress(OSError):
        for line in cpu_info.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            known.setdefault(name.strip(), value.strip())
    if not (model := known.get("model name")):
        return kind
    wide = ", AVX-512" if "avx512f" in known.get("flags", "").split() else ""
    return f"{kind}, {model}, family {known.get('cpu family', '?')}{wide}"
