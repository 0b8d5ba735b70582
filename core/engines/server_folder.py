"""Where on a server a build lies: a small file in the build's own folder. No vendor."""

import json
from dataclasses import asdict, dataclass
from typing import Final

from core.engines.build_folder import BuildFolder
from core.engines.durable import write_durably

_FORMAT: Final = "1"
"""Changes whenever the points of an older collection can no longer be read."""
_FILE: Final = "server.json"


@dataclass(frozen=True, slots=True)
class Spot:
    """A collection, and the generation of it that a build is."""

    collection: str
    generation: int


def write_spot(folder: BuildFolder, spot: Spot) -> None:
    """Write where a build lies, durably. Blocks.

    Raises:
        DataFolderBroken: the disk is full or not writable.
    """
    told = {"format": _FORMAT, **asdict(spot)}
    write_durably(folder.path / _FILE, json.dumps(told, indent=2).encode())


def read_spot(folder: BuildFolder) -> Spot | None:
    """Read it back; None for a build that lies on no server, or in a form that is not known."""
    try:
        told = json.loads((folder.path / _FILE).read_bytes())
        if told["format"] != _FORMAT:
            return None
        return Spot(str(told["collection"]), int(told["generation"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
