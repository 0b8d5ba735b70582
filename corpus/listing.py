"""What a source holds, whatever kind of source it is. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import DocumentError
from core.reports import FailedFile

FILE_BYTES = 5_000_000
NO_SUFFIX = "(none)"
SNIFFED_BYTES = 8192
"""How much of a file without a suffix is read to see whether it is Markdown."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a source holds: `files` by path, other kinds counted by suffix, and what was refused."""

    files: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[FailedFile, ...] = ()


def too_large(limit: int) -> DocumentError:
    """Return the error of a file of more bytes than the limit."""
    return DocumentError(
        f"it is larger than the limit of {limit:,} bytes (NIGHTLAMP_LIMITS_FILE_BYTES)"
    )
