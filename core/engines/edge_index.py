"""The embedded index: a folder of builds, one of them live, changed only by activating another."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from core.engines.build_folder import (
    EMPTY,
    REBUILD,
    BuildFolder,
    BuildFolders,
    copy_sparsely,
    require_space,
    size_on_disk,
)
from core.engines.durable import disk_errors
from core.engines.edge import ENGINE, Shard
from core.engines.edge_build import EdgeBuild
from core.engines.edge_candidate import Candidate
from core.engines.edge_reader import EdgeReader, Served
from core.engines.uninterrupted import uninterrupted
from core.errors import IndexUnavailable, NightlampError
from core.points import BuildInfo, Frequencies

ROOM: Final = 256_000_000
"""Bytes that must be free for a new build: the engine reserves files of that size, mostly holes,
and dies where a hole cannot be filled."""


class EdgeIndex(EdgeReader):
    """Serves the build that the pointer names. One process at a time may have it open."""

    def __init__(self, folders: BuildFolders, dimension: int) -> None:
        super().__init__()
        self._folders = folders
        self._dimension = dimension
        self._served: Served | None = None
        self._replaced: list[Served] = []
        self._unreadable: BuildFolder | None = None
        self._wrong = ""
        self._closed = False

    @classmethod
    async def open(cls, root: Path, dimension: int) -> "EdgeIndex":
        """Open what is live and remove what a process that died had begun.

        `dimension` is the length of the vectors of a build that starts from nothing. An index that
        is missing, damaged or of an older format is one in which nothing has been built.

        Raises:
            DataFolderBusy: another process has it open.
            DataFolderBroken: the folder cannot be made.
        """
        index = cls(BuildFolders(root), dimension)
        await asyncio.to_thread(index._load)
        return index

    def _load(self) -> None:
        with disk_errors(self._folders.root):
            self._folders.root.mkdir(parents=True, exist_ok=True)
        folder = self._folders.current()
        if folder is not None:
            try:
                self._served = _opened(folder)
            except IndexUnavailable as error:
                self._unreadable, self._wrong = folder, str(error)
        elif self._folders.pointed():
            self._wrong = f"The live build is missing: {REBUILD}."
        self._folders.sweep(keep=folder)

    @property
    def info(self) -> BuildInfo | None:
        """Return what is served; None while nothing has been built."""
        return self._served.info if self._served else None

    @property
    def frequencies(self) -> Frequencies:
        """Return the document frequencies of what is served."""
        return self._served.frequencies if self._served else Frequencies()

    @property
    def _shard(self) -> Shard | None:
        if self._closed:
            raise IndexUnavailable("The index is closed: Nightlamp is stopping, ask again later.")
        return self._served.shard if self._served else None

    async def begin(self, *, from_live: bool) -> EdgeBuild:
        """Start a build: a copy of the live one, or empty.

        Raises:
            DataFolderBroken: the disk is full or not writable.
        """
        served = self._served if from_live else None
        folder = self._folders.new()
        shard = await asyncio.to_thread(self._make, folder, served)
        start = served.frequencies if served else Frequencies()
        return EdgeBuild(self, folder, shard, start, optimizes=served is None)

    async def reserve(self, *, from_live: bool) -> Candidate:
        """Make the directory of a build that another process fills: a copy of the live one, or new.

        Raises:
            DataFolderBroken: the disk is full or not writable.
        """
        served = self._served if from_live else None
        folder = self._folders.new()
        await asyncio.to_thread(_prepare, folder, served, counted=True)
        return Candidate(self, folder)

    def _make(self, folder: BuildFolder, served: Served | None) -> Shard:
        _prepare(folder, served)
        try:
            if served is None:
                return Shard.create(folder.vectors, self._dimension)
            return Shard.load(folder.vectors, served.info.dimension, like=served.shard)
        except NightlampError:
            folder.remove()
            raise

    async def serve(self, served: Served) -> None:
        """Make a build the live one: the pointer, then what is searched, cancelled or not.

        Raises:
            DataFolderBroken: the pointer cannot be written; nothing has changed then.
        """
        await uninterrupted(self._folders.point_to, served.folder)
        if self._served is not None:
            self._replaced.append(self._served)
        self._served = served
        self._wrong = ""

    async def retire(self) -> None:
        """Close what was replaced, once nobody reads it, and remove its directory."""
        async with self._reading:
            while self._replaced:
                await asyncio.to_thread(_discard, self._replaced.pop())
            if self._unreadable and self._served:
                await asyncio.to_thread(self._unreadable.remove)
                self._unreadable = None

    async def record(
        self, sources: Mapping[str, str], uncommitted: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Write down at which commits the live build was read, atomically; it stays that build.

        Raises:
            IndexUnavailable: there is none, or its book-keeping is lost.
            DataFolderBroken: the disk is full or not writable.
        """
        served = self._served
        if served is None:
            raise IndexUnavailable(EMPTY)
        await uninterrupted(served.folder.record, sources, uncommitted)
        info = replace(served.info, sources=dict(sources), uncommitted=dict(uncommitted))
        self._served = replace(served, info=info)

    async def health(self) -> str:
        """Return an empty string, or one sentence that says what is wrong."""
        if self._served is None:
            return self._wrong or EMPTY
        expected = self._served.info.sections + self._served.info.passages
        if (there := await self.count()) != expected:
            return f"The index holds {there} points and was built with {expected}: {REBUILD}."
        return ""

    async def aclose(self) -> None:
        """Close the shard. What is asked afterwards is an error, never that nothing is found."""
        self._closed = True
        await self.retire()
        served, self._served = self._served, None
        if served is not None:
            await asyncio.to_thread(served.shard.close)


def _prepare(folder: BuildFolder, served: Served | None, *, counted: bool = False) -> None:
    """See to it that there is room, and copy what is served, if anything is to be kept of it.

    It is `counted` with its document frequencies, for a process that does not have them.
    """
    try:
        if served is None:
            require_space(folder.path, ROOM)
            return
        require_space(folder.path, ROOM + size_on_disk(served.folder.vectors))
        copy_sparsely(served.folder.vectors, folder.vectors)
        if counted:
            folder.write_frequencies(served.frequencies)
    except NightlampError:
        folder.remove()
        raise


def _opened(folder: BuildFolder) -> Served:
    """Open a build; one that another version of the engine wrote differs in its fingerprint.

    It answers for as long as it can be read, and the next run builds it anew.
    """
    info, frequencies = folder.read()
    if (engine := folder.engine()) != ENGINE:
        info = replace(info, fingerprint=f"{info.fingerprint} by {engine or 'an older engine'}")
    return Served(folder, Shard.load(folder.vectors, info.dimension), info, frequencies)


def _discard(served: Served) -> None:
    served.shard.close()
    served.folder.remove()
