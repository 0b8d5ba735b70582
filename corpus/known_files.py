"""What files were loaded to, so that no file is loaded again while nothing that decides it changed.

A file's bytes are read and hashed every time: a time stamp is no witness. The text is not kept, for
whoever asks only whether the index has it needs none.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.models import Document, Redaction
from core.points import IndexedDocument
from core.settings_lists import SourceSettings

MOST = 100_000
"""Files, warnings and redactions that are kept, together: about 50 MB. Files beyond are loaded each
time."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What a file was loaded to, and what decided it: its source's settings and its bytes.

    `hash` is its document's, `digest` the SHA-256 of the bytes. The path is in the document's id.
    """

    settings: SourceSettings
    digest: bytes
    hash: str
    warnings: tuple[str, ...] = ()
    redactions: tuple[Redaction, ...] = ()

    @property
    def size(self) -> int:
        """Return how much of what may be kept this takes."""
        return 1 + len(self.warnings) + len(self.redactions)

    def still(self, settings: SourceSettings, data: bytes) -> bool:
        """Return whether these bytes of a file in a source with these settings load to the same."""
        return self.settings == settings and self.digest == _digest(data)


def known_file(
    document: Document, warnings: Iterable[str], settings: SourceSettings, data: bytes
) -> KnownFile:
    """Return what is kept of a file that was loaded to this document with these warnings."""
    return KnownFile(settings, _digest(data), document.hash, tuple(warnings), document.redactions)


class KnownFiles:
    """Known files by the id of their document; those that come when it is full are not kept."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._size = 0
        self._files: dict[str, KnownFile] = {}

    def __len__(self) -> int:
        """Return the number of files that are kept."""
        return len(self._files)

    def get(self, document_id: str) -> KnownFile | None:
        """Return what is known of a document's file, if anything is."""
        return self._files.get(document_id)

    def add(self, document_id: str, file: KnownFile) -> None:
        """Keep what a file was loaded to, unless that would be too much."""
        if self._size + file.size <= self._most:
            self._files[document_id] = file
            self._size += file.size


@dataclass(frozen=True, slots=True)
class Before:
    """What there was before a run: the files that were known, and what the index holds, by id."""

    files: KnownFiles = field(default_factory=KnownFiles)
    indexed: Mapping[str, IndexedDocument] = field(default_factory=dict)

    def find(self, document_id: str, settings: SourceSettings, data: bytes) -> KnownFile | None:
        """Return what is known of a file if the index holds exactly what it would be loaded to."""
        file, indexed = self.files.get(document_id), self.indexed.get(document_id)
        if file is None or indexed is None or file.hash != indexed.hash:
            return None
        return file if file.still(settings, data) else None


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
