"""The files of builds: where each lies, which one is live, its book-keeping. No vendor.

    index/current                  the id of the live build
    index/<build id>/vectors/      the shard
    index/<build id>/build.json    what was built, in which storage format, by which engine
    index/<build id>/frequencies.json

Everything that is read back may be missing, cut short or of an older format: that is a build that
is not there, and a sentence, never a traceback.
"""

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import uuid4

from core.engines.durable import disk_errors, sync_folder, write_durably
from core.errors import DataFolderBroken, IndexUnavailable
from core.points import BuildInfo, Frequencies

STORAGE_FORMAT: Final = "2"
"""Changes whenever an older index can no longer be read; part of the fingerprint."""

REBUILD: Final = "run nightlamp index --rebuild"
"""What to do about an index that is not whole."""

_PREFIX = "build-"
_BLOCK = 256 * 1024
_ZEROS = bytes(_BLOCK)
_COPIES = 8
"""Files copied side by side."""


class BuildFolder:
    """The directory of one build."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.vectors = path / "vectors"

    @property
    def id(self) -> str:
        """Return the build's id, which is the directory's name."""
        return self.path.name

    def write(self, info: BuildInfo, frequencies: Frequencies, engine: str = "") -> None:
        """Write the book-keeping, durably; `engine` names what wrote the vectors, with version."""
        self.write_frequencies(frequencies)
        write_durably(self.path / "build.json", _info_json(info, engine))

    def record(
        self, sources: Mapping[str, str], uncommitted: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Replace the commits in the book-keeping, durably, and nothing else.

        Raises:
            IndexUnavailable: it is missing, damaged or of another storage format.
            DataFolderBroken: it cannot be written.
        """
        info, _ = self.read()
        info = replace(info, sources=dict(sources), uncommitted=dict(uncommitted))
        write_durably(self.path / "build.json", _info_json(info, self.engine()))

    def write_frequencies(self, frequencies: Frequencies) -> None:
        """Write the document frequencies alone: for a process that goes on counting from them."""
        write_durably(self.path / "frequencies.json", _frequencies_json(frequencies))

    def read_frequencies(self) -> Frequencies:
        """Read the document frequencies back; none where none were written.

        Raises:
            IndexUnavailable: they are damaged.
        """
        try:
            return _frequencies_from(json.loads((self.path / "frequencies.json").read_bytes()))
        except FileNotFoundError:
            return Frequencies()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise IndexUnavailable(f"The index has lost its book-keeping: {REBUILD}.") from error

    def engine(self) -> str:
        """Return what wrote the vectors; empty where that cannot be read."""
        try:
            return str(json.loads((self.path / "build.json").read_bytes()).get("engine", ""))
        except (OSError, ValueError, AttributeError):
            return ""

    def read(self) -> tuple[BuildInfo, Frequencies]:
        """Read the book-keeping back.

        Raises:
            IndexUnavailable: it is missing, damaged or of another storage format.
        """
        try:
            stored = json.loads((self.path / "build.json").read_bytes())
            if stored["format"] != STORAGE_FORMAT:
                raise IndexUnavailable(f"The index is of another version of Nightlamp: {REBUILD}.")
            counts = json.loads((self.path / "frequencies.json").read_bytes())
            return _info_from(stored), _frequencies_from(counts)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise IndexUnavailable(f"The index has lost its book-keeping: {REBUILD}.") from error

    def remove(self) -> None:
        """Remove the directory and all in it; one that is gone already is fine."""
        shutil.rmtree(self.path, ignore_errors=True)


class BuildFolders:
    """All builds of an index, and the pointer to the live one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._pointer = root / "current"

    def current(self) -> BuildFolder | None:
        """Return the folder that the pointer names; None where it names none that is there."""
        try:
            name = self._pointer.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        folder = BuildFolder(self.root / name)
        named = name.startswith(_PREFIX) and "/" not in name and "\\" not in name
        return folder if named and folder.path.is_dir() else None

    def pointed(self) -> bool:
        """Return whether there is a pointer at all, sound or not."""
        return self._pointer.exists()

    def new(self) -> BuildFolder:
        """Make the directory of a new build."""
        folder = BuildFolder(self.root / f"{_PREFIX}{uuid4().hex[:12]}")
        with disk_errors(self.root):
            folder.path.mkdir(parents=True)
        return folder

    def point_to(self, folder: BuildFolder) -> None:
        """Make a build the live one, atomically and durably."""
        with disk_errors(self.root):
            sync_folder(folder.path)
            write_durably(self._pointer, folder.id.encode())

    def sweep(self, keep: BuildFolder | None) -> None:
        """Remove every other build: what a process that died had begun, and what is replaced."""
        for folder in self.others(keep):
            folder.remove()

    def others(self, keep: BuildFolder | None) -> list[BuildFolder]:
        """Return every other build's folder."""
        paths = sorted(self.root.glob(f"{_PREFIX}*"))
        return [BuildFolder(path) for path in paths if keep is None or path != keep.path]


def require_space(place: Path, needed: int) -> None:
    """Check that a disk has so many bytes left: an engine that maps files dies of a full disk.

    Raises:
        DataFolderBroken: it has not.
    """
    with disk_errors(place):
        free = shutil.disk_usage(place).free
    if free < needed:
        raise DataFolderBroken(
            f"The disk that holds {place} has {free // 1_000_000} MB left and a build needs "
            f"{needed // 1_000_000} MB: free some space."
        )


def size_on_disk(folder: Path) -> int:
    """Return the bytes that a directory's files take, holes not counted."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def copy_sparsely(source: Path, target: Path) -> None:
    """Copy a directory, leaving stretches of zeros as holes, and sync every file.

    An engine reserves its files in large pieces that are mostly empty: a plain copy is five times
    larger and slower.
    """
    files = []
    with disk_errors(target):
        for path in sorted(source.rglob("*")):
            to = target / path.relative_to(source)
            if path.is_dir():
                to.mkdir(parents=True, exist_ok=True)
            else:
                to.parent.mkdir(parents=True, exist_ok=True)
                files.append((path, to))
        with ThreadPoolExecutor(_COPIES) as copying:  # most of the time is waiting for the disk
            for _ in copying.map(_copy_file, *zip(*files, strict=True)):
                pass


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as reading, target.open("wb") as writing:
        size = os.fstat(reading.fileno()).st_size
        writing.truncate(size)
        for start, end in _written(reading.fileno(), size):
            reading.seek(start)
            writing.seek(start)
            _copy_stretch(reading, writing, end - start)
        writing.flush()
        os.fsync(writing.fileno())


def _copy_stretch(reading: BinaryIO, writing: BinaryIO, length: int) -> None:
    while length > 0 and (block := reading.read(min(_BLOCK, length))):
        if block == _ZEROS[: len(block)]:
            writing.seek(len(block), os.SEEK_CUR)
        else:
            writing.write(block)
        length -= len(block)


def _written(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a file that are no holes, where the system can tell."""
    if not hasattr(os, "SEEK_DATA"):
        yield 0, size
        return
    end = 0
    while end < size:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        end = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, end


def _info_json(info: BuildInfo, engine: str) -> bytes:
    stored = {
        "format": STORAGE_FORMAT,
        "engine": engine,
        "id": info.id,
        "fingerprint": info.fingerprint,
        "created_at": info.created_at.isoformat(),
        "sources": dict(info.sources),
        "documents": info.documents,
        "sections": info.sections,
        "passages": info.passages,
        "dimension": info.dimension,
        "uncommitted": dict(info.uncommitted),
    }
    return json.dumps(stored, indent=2).encode()


def _info_from(stored: Mapping[str, Any]) -> BuildInfo:
    return BuildInfo(
        id=stored["id"],
        fingerprint=stored["fingerprint"],
        created_at=datetime.fromisoformat(stored["created_at"]),
        sources=dict(stored["sources"]),
        documents=int(stored["documents"]),
        sections=int(stored["sections"]),
        passages=int(stored["passages"]),
        dimension=int(stored["dimension"]),
        uncommitted={name: tuple(p) for name, p in stored.get("uncommitted", {}).items()},
    )


def _frequencies_json(frequencies: Frequencies) -> bytes:
    stored = {
        "passages": frequencies.passages,
        "sections": frequencies.sections,
        "tokens": {str(token): counts for token, counts in frequencies.by_token.items()},
    }
    return json.dumps(stored, separators=(",", ":")).encode()


def _frequencies_from(stored: Mapping[str, Any]) -> Frequencies:
    tokens = {int(token): (int(p), int(s)) for token, (p, s) in stored["tokens"].items()}
    return Frequencies(int(stored["passages"]), int(stored["sections"]), tokens)
