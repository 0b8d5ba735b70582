"""Folders that a command fills. Blocks."""

from pathlib import Path

from core.engines.durable import disk_errors


def made(folder: Path) -> Path:
    """Return a folder, made for its owner alone where it was not there, with those above it.

    Raises:
        DataFolderBroken: it cannot be made.
    """
    with disk_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
