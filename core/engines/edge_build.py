"""A build in an embedded index: filled in small flushed batches, searched, sealed, activated."""

import asyncio
import threading
from collections.abc import Sequence
from itertools import chain, islice

from core.engines.build_folder import BuildFolder
from core.engines.edge import BATCH, ENGINE, Shard
from core.engines.edge_reader import EdgeReader
from core.engines.open_build import Home, OpenBuild
from core.engines.sound_points import check_count, check_points
from core.engines.token_counts import tokens_of
from core.points import BuildInfo, Frequencies, Point


class EdgeBuild(OpenBuild[Shard], EdgeReader):
    """A candidate in a directory of its own, filled by one task.

    A large one that `optimizes` is given its graph for approximate search before it is sealed,
    which stops all else for seconds.
    """

    def __init__(
        self,
        home: Home[Shard],
        folder: BuildFolder,
        shard: Shard,
        start: Frequencies,
        info: BuildInfo | None = None,
        *,
        optimizes: bool = False,
    ) -> None:
        super().__init__(home, folder, shard, start, info)
        self._optimizes = optimizes
        self._writing = threading.Lock()

    @property
    def _shard(self) -> Shard | None:
        return self._open

    async def upsert(self, points: Sequence[Point]) -> None:
        """Add or replace points, counted into the frequencies, durable when it returns.

        Raises:
            IndexMisconfigured: a vector has the wrong length or is not finite; none is written.
            DataFolderBroken: the disk is full.
        """
        shard = self._filled()
        check_points(points, shard.dimension)
        waiting = iter({point.id: point for point in points}.values())
        while batch := list(islice(waiting, BATCH)):
            await asyncio.to_thread(self._write, shard, batch)

    async def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Remove every point of these documents, and their share of the frequencies."""
        shard = self._filled()
        for document_id in document_ids:
            await asyncio.to_thread(self._delete, shard, document_id)

    async def seal(self, info: BuildInfo) -> None:
        """Count what is there and write the book-keeping; after this the build may be activated.

        Raises:
            BuildFailed: it does not hold what was written to it.
        """
        shard = self._filled()
        counted = self.frequencies
        check_count(shard.count(), counted.sections + counted.passages)
        if self._optimizes and shard.large:
            await asyncio.to_thread(shard.optimize)
        await asyncio.to_thread(self._folder.write, info, self.frequencies, ENGINE)
        self._info = info

    async def leave(self) -> None:
        """Close the build as it is, for another process to open. Does nothing the second time."""
        shard, self._open = self._open, None
        if shard is not None:
            await asyncio.to_thread(shard.close)

    async def drop(self) -> None:
        """Throw the build away. Does nothing after `activate`, and nothing the second time."""
        shard, self._open = self._open, None
        if shard is not None:
            await asyncio.to_thread(self._discard, shard)

    def _write(self, shard: Shard, batch: Sequence[Point]) -> None:
        with self._writing:
            before = shard.stored([point.id for point in batch])
            shard.write(batch)
            for _, words in before:
                self._counts.count(words, -1)
            for point in batch:
                self._counts.count(tokens_of(point), 1)

    def _delete(self, shard: Shard, document_id: str) -> None:
        with self._writing:
            pages = list(shard.scroll(None, document_id=document_id, fields=("kind",), words=True))
            shard.delete((document_id,))
            for _, words in chain.from_iterable(pages):
                self._counts.count(words, -1)

    def _discard(self, shard: Shard) -> None:
        with self._writing:
            shard.close()
            self._folder.remove()
