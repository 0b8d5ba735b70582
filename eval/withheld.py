"""An index with one document taken out: what is left to find for whoever asks for that document."""

from collections.abc import Sequence

from core.models import Section
from core.points import BuildInfo, Filter, Frequencies, IndexedDocument, RawHit, RawHits
from core.points import SearchRequest as Request
from core.ports import SearchableIndex


class WithoutDocument:
    """The reading half of another index, whose lists leave out one document's hits."""

    def __init__(self, index: SearchableIndex, document_id: str) -> None:
        self._index = index
        self._out = document_id

    @property
    def info(self) -> BuildInfo | None:
        """Return what the whole index serves."""
        return self._index.info

    @property
    def frequencies(self) -> Frequencies:
        """Return the document frequencies of the whole index."""
        return self._index.frequencies

    async def search(self, requests: Sequence[Request]) -> list[RawHits]:
        """Answer the requests; a list may be shorter than its limit by what was left out.

        Raises:
            IndexUnavailable: the index cannot be reached.
        """
        found = await self._index.search(requests)
        return [
            RawHits(self._left(hits.dense), self._left(hits.passage), self._left(hits.section))
            for hits in found
        ]

    async def sections(self, ids: Sequence[str]) -> dict[str, Section]:
        """Return the sections with these ids, whosever they are."""
        return await self._index.sections(ids)

    async def lengths(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the characters of the sections with these ids, whosever they are."""
        return await self._index.lengths(ids)

    async def page_tokens(self, document_id: str) -> frozenset[int]:
        """Return the token numbers that occur anywhere in a document's sections."""
        return await self._index.page_tokens(document_id)

    async def documents(self, where: Filter | None = None) -> dict[str, IndexedDocument]:
        """Return all documents but one."""
        found = await self._index.documents(where)
        return {id_: one for id_, one in found.items() if id_ != self._out}

    async def page(self, document_id: str) -> list[Section]:
        """Return a document's sections in their order."""
        return await self._index.page(document_id)

    async def count(self) -> int:
        """Return how many points the whole index has."""
        return await self._index.count()

    def _left(self, hits: Sequence[RawHit]) -> tuple[RawHit, ...]:
        return tuple(hit for hit in hits if hit.document_id != self._out)
