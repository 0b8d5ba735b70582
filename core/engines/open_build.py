"""A build until it is activated, wherever its points lie. No vendor."""

from typing import Generic, Protocol

from core.engines.build_folder import BuildFolder
from core.engines.served import Served, Store
from core.engines.token_counts import TokenCounts
from core.errors import IndexMisconfigured, IndexUnavailable
from core.points import BuildInfo, Frequencies


class Home(Protocol[Store]):
    """The index that a build is made for."""

    async def serve(self, served: Served[Store]) -> None:
        """Make this the live one, atomically."""
        ...

    async def retire(self) -> None:
        """Let go of what was live before."""
        ...


class OpenBuild(Generic[Store]):
    """The half of a build that keeps its books; it stands before the half that reads.

    `info` is there where another process has filled and sealed it.
    """

    def __init__(
        self,
        home: Home[Store],
        folder: BuildFolder,
        store: Store,
        start: Frequencies,
        info: BuildInfo | None = None,
    ) -> None:
        super().__init__()
        self._home = home
        self._folder = folder
        self._open: Store | None = store
        self._counts = TokenCounts(start)
        self._info = info

    @property
    def id(self) -> str:
        """Return the build's name."""
        return self._folder.id

    @property
    def info(self) -> BuildInfo | None:
        """Return the book-keeping; None until the build is sealed."""
        return self._info

    @property
    def frequencies(self) -> Frequencies:
        """Return the document frequencies of what the build holds now."""
        return self._counts.frequencies()

    async def activate(self) -> None:
        """Make this build the live one, atomically. What was live before is then dropped.

        Raises:
            DataFolderBroken: the pointer cannot be written; what was live goes on answering.
        """
        store = self._filled()
        if self._info is None:
            raise IndexMisconfigured("A build is sealed before it is activated.")
        await self._home.serve(Served(self._folder, store, self._info, self.frequencies))
        self._open = None
        await self._home.retire()

    def _filled(self) -> Store:
        """Return what is being filled, or is full.

        Raises:
            IndexUnavailable: nothing any more.
        """
        if self._open is None:
            raise IndexUnavailable("The build was activated or dropped already.")
        return self._open
