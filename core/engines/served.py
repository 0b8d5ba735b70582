"""The build that an index serves, wherever its points lie. No vendor."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from core.engines.build_folder import REBUILD, BuildFolder, BuildFolders
from core.engines.uninterrupted import uninterrupted
from core.errors import IndexUnavailable
from core.index_port import EMPTY
from core.points import BuildInfo, Frequencies

Store = TypeVar("Store")
"""What holds the points of a build: an open shard, or a generation of a server's collection."""


@dataclass(frozen=True, slots=True)
class Served(Generic[Store]):
    """A sealed build, open to be read."""

    folder: BuildFolder
    store: Store
    info: BuildInfo
    frequencies: Frequencies

    def miscounted(self, there: int) -> str:
        """Return an empty string, or a sentence if it was built with another number of points."""
        expected = self.info.sections + self.info.passages
        if there == expected:
            return ""
        return f"The index holds {there} points and was built with {expected}: {REBUILD}."


class ServesBuild(Generic[Store]):
    """The half of an index that knows which build is live; it stands before the half that reads."""

    def __init__(self, folders: BuildFolders) -> None:
        super().__init__()
        self._folders = folders
        self._served: Served[Store] | None = None
        self._wrong = ""
        self._closed = False

    @property
    def info(self) -> BuildInfo | None:
        """Return what is served; None while nothing has been built."""
        return self._served.info if self._served else None

    @property
    def frequencies(self) -> Frequencies:
        """Return the document frequencies of what is served."""
        return self._served.frequencies if self._served else Frequencies()

    @property
    def _store(self) -> Store | None:
        if self._closed:
            raise IndexUnavailable("The index is closed: Nightlamp is stopping, ask again later.")
        return self._served.store if self._served else None

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
        return await self._fault(self._served)

    async def _fault(self, served: Served[Store]) -> str:
        """Return what is wrong with the points of the live build."""
        raise NotImplementedError
