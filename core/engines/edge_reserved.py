"""A build that one process reserves and adopts, and another one fills and seals."""

import asyncio
from pathlib import Path

from core.engines.build_folder import BuildFolder
from core.engines.edge import Shard
from core.engines.edge_build import EdgeBuild
from core.engines.open_build import Home
from core.engines.served import Served
from core.engines.sound_points import check_count
from core.errors import BuildFailed, IndexMisconfigured, IndexUnavailable

_UNFINISHED = (
    "The new index was not finished, so the one before goes on answering: "
    "run nightlamp index again."
)


class ReservedBuild:
    """The directory of a build, on the side of the process that serves."""

    def __init__(self, home: Home[Shard], folder: BuildFolder) -> None:
        self._home = home
        self._folder = folder

    @property
    def place(self) -> Path:
        """Return the directory, which `filling` opens in the other process."""
        return self._folder.path

    async def adopt(self) -> EdgeBuild:
        """Open the sealed build, which the other process has closed, and check that it is whole.

        Raises:
            BuildFailed: it is not sealed, or does not hold what its book-keeping says.
        """
        return await asyncio.to_thread(self._adopt)

    async def abandon(self) -> None:
        """Remove the directory and all in it."""
        await asyncio.to_thread(self._folder.remove)

    def _adopt(self) -> EdgeBuild:
        try:
            info, frequencies = self._folder.read()
            shard = Shard.load(self._folder.vectors, info.dimension)
        except IndexUnavailable as error:
            raise BuildFailed(_UNFINISHED) from error
        build = EdgeBuild(self._home, self._folder, shard, frequencies, info)
        try:
            expected = info.sections + info.passages
            check_count(shard.count(), expected)
            check_count(frequencies.sections + frequencies.passages, expected, "counted points")
            if info.id != self._folder.id:
                raise BuildFailed(_UNFINISHED)
        except BuildFailed:
            shard.close()
            raise
        return build


def filling(place: Path, dimension: int) -> EdgeBuild:
    """Open a reserved directory to fill it, in the process that does so. Blocks.

    `seal` and `leave` it in the end; the process that reserved it activates it.

    Raises:
        VectorIndexError, DataFolderBroken: it cannot be made or opened.
    """
    folder = BuildFolder(place)
    frequencies = folder.read_frequencies()
    copied = folder.vectors.is_dir()
    shard = (Shard.load if copied else Shard.create)(folder.vectors, dimension)
    return EdgeBuild(_Elsewhere(), folder, shard, frequencies, optimizes=True)


class _Elsewhere:
    """The index is another process's: nothing is activated here."""

    async def serve(self, served: Served[Shard]) -> None:
        raise IndexMisconfigured("A build is activated by the process that reserved it.")

    async def retire(self) -> None:
        raise IndexMisconfigured("Nothing is replaced here.")
