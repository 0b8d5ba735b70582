"""What the core needs from an index of vectors, in the core's own words."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from core.models import Section
from core.points import (
    BuildInfo,
    Filter,
    Frequencies,
    IndexedDocument,
    Point,
    RawHits,
    SearchRequest,
)

EMPTY: Final = "Nothing is indexed yet: run nightlamp index."
"""What is said wherever a live build is needed and there is none."""


class SearchableIndex(Protocol):
    """The reading half of an index: the live one, or a build before it is activated."""

    @property
    def info(self) -> BuildInfo | None:
        """Return what is served; None while nothing has been built."""
        ...

    @property
    def frequencies(self) -> Frequencies:
        """Return the document frequencies of what is served."""
        ...

    async def search(self, requests: Sequence[SearchRequest]) -> list[RawHits]:
        """Answer all requests in one batch, each by exact or approximate search under its filter.

        Raises:
            IndexUnavailable: it cannot be reached.
            IndexMisconfigured: a vector has the wrong length.
        """
        ...

    async def sections(self, ids: Sequence[str]) -> dict[str, Section]:
        """Return the sections with these ids; an id that is not there is left out."""
        ...

    async def lengths(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the characters of the sections with these ids, their texts unread."""
        ...

    async def page_tokens(self, document_id: str) -> frozenset[int]:
        """Return the token numbers that occur anywhere in a document's sections."""
        ...

    async def documents(self, where: Filter | None = None) -> dict[str, IndexedDocument]:
        """Return all documents by id, as their points tell; None sees every tenant."""
        ...

    async def page(self, document_id: str) -> list[Section]:
        """Return a document's sections in their order."""
        ...

    async def count(self) -> int:
        """Return how many points there are."""
        ...


class Build(SearchableIndex, Protocol):
    """A candidate that is filled and searched before it answers anybody."""

    @property
    def id(self) -> str:
        """Return the build's name."""
        ...

    async def upsert(self, points: Sequence[Point]) -> None:
        """Add or replace points, counted into the frequencies, durable when it returns.

        Raises:
            IndexMisconfigured: a vector has the wrong length or is not finite.
        """
        ...

    async def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Remove every point of these documents, and their share of the frequencies."""
        ...

    async def seal(self, info: BuildInfo) -> None:
        """Count what is there and write the book-keeping; after this the build may be activated.

        Raises:
            BuildFailed: the build does not hold what was written to it.
        """
        ...

    async def activate(self) -> None:
        """Make this build the live one, atomically. What was live before is then dropped."""
        ...

    async def drop(self) -> None:
        """Throw the build away. Safe to call twice, and after a failure."""
        ...


class VectorIndex(SearchableIndex, Protocol):
    """The live index and the only way to change it: begin a build, fill it, activate it."""

    async def begin(self, *, from_live: bool) -> Build:
        """Start a build: a copy of the live one, or empty.

        Raises:
            DataFolderBroken: the disk is full or not writable.
        """
        ...

    async def record(
        self, sources: Mapping[str, str], uncommitted: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Write down at which commits the live build was read, atomically; it stays that build.

        Raises:
            IndexUnavailable: there is none, or its book-keeping is lost.
            DataFolderBroken: the disk is full or not writable.
        """
        ...

    async def health(self) -> str:
        """Return an empty string, or one sentence that says what is wrong."""
        ...

    async def aclose(self) -> None:
        """Let go of files and connections."""
        ...
