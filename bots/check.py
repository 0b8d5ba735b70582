"""What comes of looking at one thing that Nightlamp stands on."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How a check came out; a note needs nobody's hand today."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: `says` is what was found and, if need be, what to do."""

    name: str
    level: Level
    says: str
