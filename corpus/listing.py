"""What a source holds, whatever kind of source it is. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import DocumentError
from core.reports import FailedFile
from core.settings_lists import SourceSettings

FILE_BYTES = 5_000_000
NO_SUFFIX = "(none)"
SNIFFED_BYTES = 8192
"""How much of a file without a suffix is read to see whether it is Markdown."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a source holds: `files` by path, other kinds counted by suffix, and what was refused.

    `unmatched` are the patterns that were to choose files, and choose none of these; `unlinked`
    are the files that no commit has by this path, for a symbolic link to a folder is on it.
    """

    files: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[FailedFile, ...] = ()
    unmatched: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()


def in_vain(listing: Listing, settings: SourceSettings) -> str:
    """Return the sentence of a source whose settings choose nothing; empty where each does."""
    name = settings.name
    if listing.unmatched:
        patterns = ", ".join(listing.unmatched)
        return f"No Markdown file of the source {name} is chosen by {patterns}: correct its include"
    if listing.files or listing.refused:
        return ""
    if settings.exclude:
        return f"No Markdown file of the source {name} is left by its exclude: correct it"
    return f"The source {name} holds no Markdown files"


def too_large(limit: int) -> DocumentError:
    """Return the error of a file of more bytes than the limit."""
    return DocumentError(
        f"it is larger than the limit of {limit:,} bytes (NIGHTLAMP_LIMITS_FILE_BYTES)"
    )
