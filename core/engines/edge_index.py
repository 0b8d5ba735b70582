"""The embedded index: a folder of builds, one of them live, changed only by activating another."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Final

from core.engines.build_folder import (
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
from core.engines.edge_reader import EdgeReader
from core.engines.edge_reserved import ReservedBuild
from core.engines.served import Served, ServesBuild
from core.engines.uninterrupted import uninterrupted
from core.errors import IndexUnavailable, NightlampError
from core.points import Frequencies

ROOM: Final = 256_000_000
"""Bytes that must be free for a new build: the engine reserves files of that size, mostly holes,
and dies where a hole cannot be filled."""


class EdgeIndex(ServesBuild[Shard], EdgeReader):
    """Serves the build that the pointer names. One process at a time may have it open."""

    def __init__(self, folders: BuildFolders, dimension: int) -> None:
        super().__init__(folders)
        self._dimension = dimension
        self._replaced: list[Served[Shard]] = []
        self._unreadable: BuildFolder | None = None

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
    def _shard(self) -> Shard | None:
        return self._store

    async def begin(self, *, from_live: bool) -> EdgeBuild:
        """Start a build: a copy of the live one, or empty.

        Raises:
            DataFolderBroken: the disk is full or not writable.
        """
        served = self._served if from_live else None
        folder = await asyncio.to_thread(self._folders.new)
        shard = await asyncio.to_thread(self._make, folder, served)
        start = served.frequencies if served else Frequencies()
        return EdgeBuild(self, folder, shard, start, optimizes=served is None)

    async def reserve(self, *, from_live: bool) -> ReservedBuild:
        """Make the directory of a build that another process fills: a copy of the live one, or new.

        Raises:
            DataFolderBroken: the disk is full or not writable.
        """
        served = self._served if from_live else None
        folder = await asyncio.to_thread(self._folders.new)
        await asyncio.to_thread(_prepare, folder, served, counted=True)
        return ReservedBuild(self, folder)

    def _make(self, folder: BuildFolder, served: Served[Shard] | None) -> Shard:
        _prepare(folder, served)
        try:
            if served is None:
                return Shard.create(folder.vectors, self._dimension)
            return Shard.load(folder.vectors, served.info.dimension, like=served.store)
        except NightlampError:
            folder.remove()
            raise

    async def serve(self, served: Served[Shard]) -> None:
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

    async def _fault(self, served: Served[Shard]) -> str:
        return served.miscounted(await self.count())

    async def aclose(self) -> None:
        """Close the shard. What is asked afterwards is an error, never that nothing is found."""
        self._closed = True
        await self.retire()
        served, self._served = self._served, None
        if served is not None:
            await asyncio.to_thread(served.store.close)


def _prepare(folder: BuildFolder, served: Served[Shard] | None, *, counted: bool = False) -> None:
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


def _opened(folder: BuildFolder) -> Served[Shard]:
    """Open a build; one that another version of the engine wrote differs in its fingerprint.

    It answers for as long as it can be read, and the next run builds it anew.
    """
    info, frequencies = folder.read()
    if (engine := folder.engine()) != ENGINE:
        info = replace(info, fingerprint=f"{info.fingerprint} by {engine or 'an older engine'}")
    return Served(folder, Shard.load(folder.vectors, info.dimension), info, frequencies)


def _discard(served: Served[Shard]) -> None:
    served.store.close()
    served.folder.remove()
