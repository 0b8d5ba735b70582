"""A build on a server: filled in batches, searched, sealed, activated. Nobody else sees it."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from core.engines.build_folder import BuildFolder
from core.engines.open_build import Home, OpenBuild
from core.engines.server_collection import BATCH
from core.engines.server_points import Stored
from core.engines.server_reader import At, ServerReader
from core.engines.sound_points import check_count, check_points
from core.engines.token_counts import tokens_of
from core.errors import VectorIndexError
from core.points import BuildInfo, Frequencies, Point

_DOCUMENTS: Final = 50
"""Documents whose points are ended at once."""

_PAUSES: Final = (0.0, 0.1, 0.4)
"""Seconds before each count of what was written."""

log = logging.getLogger(__name__)


class ServerBuild(OpenBuild[At], ServerReader):
    """A candidate: the next generation of the live collection, or the first of a new one.

    `fresh` says that the collection is the build's own. Filled by one task.
    """

    def __init__(
        self, home: Home[At], folder: BuildFolder, at: At, start: Frequencies, *, fresh: bool
    ) -> None:
        super().__init__(home, folder, at, start)
        self._fresh = fresh
        self._written: set[str] = set()
        self._writing = asyncio.Lock()

    @property
    def _at(self) -> At | None:
        return self._open

    async def upsert(self, points: Sequence[Point]) -> None:
        """Add or replace points, counted into the frequencies, durable when it returns.

        Raises:
            IndexMisconfigured: a vector has the wrong length or is not finite; none is written.
            IndexUnavailable: the server is away.
        """
        at = self._filled()
        check_points(points, at.collection.dimension)
        waiting = iter({point.id: point for point in points}.values())
        while batch := list(islice(waiting, BATCH)):
            async with self._writing:
                await self._write(at, batch)

    async def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Remove every point of these documents, and their share of the frequencies."""
        at = self._filled()
        waiting = iter(document_ids)
        while some := list(islice(waiting, _DOCUMENTS)):
            async with self._writing:
                gone = await at.collection.written(at.generation, "document_id", some)
                await at.collection.erase(_own(gone, at.generation))
                await at.collection.end(_older(gone, at.generation), at.generation)
                self._written.difference_update(one.payload["point_id"] for one in gone)
                self._count_out(gone)

    async def seal(self, info: BuildInfo) -> None:
        """Count what is there and write the book-keeping; after this the build may be activated.

        Raises:
            BuildFailed: the server does not hold what it was given.
            IndexUnavailable: the server is away.
        """
        await self._check_whole(self._filled())
        await asyncio.to_thread(self._folder.write, info, self.frequencies)
        self._info = info

    async def drop(self) -> None:
        """Throw the build away. Does nothing after `activate`, and nothing the second time.

        What a server that is away keeps is hidden, and removed before the next build begins.
        """
        at, self._open = self._open, None
        if at is None:
            return
        async with self._writing:
            try:
                if self._fresh:
                    await at.collection.remove()
                else:
                    await at.collection.keep_only(at.generation - 1)
            except VectorIndexError as error:
                log.warning("a dropped build is left on the server for later: %s", error)
                return
        await asyncio.to_thread(self._folder.remove)

    async def _check_whole(self, at: At) -> None:
        """Check that the server holds what it acknowledged: all points, and those of this build.

        As many old points as there should be new ones would be the old text. A replica that is
        behind by a moment is waited for.
        """
        counted, written = self.frequencies, len(self._written)
        expected = counted.sections + counted.passages
        for pause in _PAUSES:
            await asyncio.sleep(pause)
            there = await at.collection.count(at.generation)
            new = written if self._fresh else await at.collection.count_since(at.generation)
            if (there, new) == (expected, written):
                return
        check_count(there, expected)
        check_count(new, written, "new points")

    async def _write(self, at: At, batch: Sequence[Point]) -> None:
        """Write a batch, then hide what of an older generation it replaces."""
        ids = [point.id for point in batch]
        known = ids if not self._fresh else [id_ for id_ in ids if id_ in self._written]
        replaced = await at.collection.written(at.generation, "point_id", known) if known else []
        await at.collection.write(batch, at.generation)
        await at.collection.end(_older(replaced, at.generation), at.generation)
        self._written.update(ids)
        self._count_out(replaced)
        for point in batch:
            self._counts.count(tokens_of(point), 1)

    def _count_out(self, gone: Iterable[Stored]) -> None:
        for one in gone:
            self._counts.count(one.words, -1)


def _own(points: Iterable[Stored], generation: int) -> list[str]:
    return [one.id for one in points if one.payload["since"] == generation]


def _older(points: Iterable[Stored], generation: int) -> list[str]:
    return [one.id for one in points if one.payload["since"] < generation]
