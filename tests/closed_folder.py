"""A folder that may be read but not searched (`r--`), for whoever runs the tests, root too."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def closed(folder: Path) -> Iterator[None]:
    """Let nothing below a folder be opened or looked at; its own names can still be read."""
    below = f"{folder}{os.sep}"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("stat", "lstat", "open", "scandir"):
            patch.setattr(os, name, _refusing(getattr(os, name), below))
        yield


def _refusing(real: Any, below: str) -> Any:
    def call(path: Any = ".", *args: Any, **more: Any) -> Any:
        if not isinstance(path, int) and os.fsdecode(path).startswith(below):
            raise PermissionError(13, "Permission denied", os.fsdecode(path))
        return real(path, *args, **more)

    return call
