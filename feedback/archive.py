"""What a backup's archive holds, and which names may stand in one. Pure.

A gzipped tar: `journal.db`, `calibration.json`, `index/current`, the files of the build that it
names, and at the end `backup.json`, which lists all others with size and SHA-256.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from core.errors import NightlampError

MANIFEST: Final = "backup.json"
JOURNAL: Final = "journal.db"
CALIBRATION: Final = "calibration.json"
INDEX: Final = "index"
FORMAT: Final = 1
MOST_FILES: Final = 10_000
"""A build has some dozens; more is no backup of ours."""
LARGEST_MANIFEST: Final = 4_000_000

_PART = r"[\w@+=,~-][\w@+=,.~-]{0,127}"
_ALLOWED = re.compile(
    rf"{re.escape(JOURNAL)}|{re.escape(CALIBRATION)}|{INDEX}/current"
    rf"|{INDEX}/build-\w{{1,64}}(?:/{_PART}){{1,12}}",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Kept:
    """Size in bytes and SHA-256 (hexadecimal) of one file."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds: when it was made, the build in it, and every file by its name."""

    made_at: str
    build: str
    files: Mapping[str, Kept]

    @property
    def size(self) -> int:
        """Return the bytes of all files, unpacked."""
        return sum(kept.size for kept in self.files.values())


def allowed(name: str) -> bool:
    """Return whether a file of this name may be unpacked: a known one, and none that climbs out."""
    return _ALLOWED.fullmatch(name) is not None


def manifest_json(manifest: Manifest) -> bytes:
    """Return a manifest as the archive keeps it."""
    return json.dumps({"format": FORMAT} | asdict(manifest), indent=2).encode()


def manifest_from(data: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        NightlampError: it is none, or of a newer Nightlamp.
    """
    try:
        stored = json.loads(data)
        if stored["format"] != FORMAT:
            raise NightlampError(
                "The backup is of another version of Nightlamp: restore it with that version."
            )
        files = {
            str(name): Kept(int(kept["size"]), str(kept["sha256"]))
            for name, kept in stored["files"].items()
        }
        return Manifest(str(stored["made_at"]), str(stored["build"]), files)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged() from error


def damaged() -> NightlampError:
    """Return the error for what is no backup, or no longer a whole one."""
    return NightlampError("The file is no whole backup of Nightlamp: use another one.")
