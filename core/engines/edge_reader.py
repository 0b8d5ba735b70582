"""The reading half of an embedded index, the same for the live one and for a build."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from core.engines.edge import Shard
from core.engines.gathered import DOCUMENT_FIELDS, Gathering
from core.models import Section
from core.points import (
    Filter,
    IndexedDocument,
    RawHits,
    SearchRequest,
    section_from,
)


class EdgeReader:
    """Searches one shard; holds none while nothing has been built.

    Searching takes a few milliseconds at most and is done where it is asked for. What reads many
    points lets the event loop go on after every page of them, under `_reading`, so that the shard
    is not closed in between.
    """

    def __init__(self) -> None:
        self._reading = asyncio.Lock()

    @property
    def _shard(self) -> Shard | None:
        raise NotImplementedError

    async def search(self, requests: Sequence[SearchRequest]) -> list[RawHits]:
        """Answer all requests in one batch, each by exact or approximate search under its filter.

        Raises:
            IndexUnavailable: the index cannot be read.
            IndexMisconfigured: a vector has the wrong length.
        """
        if self._shard is None:
            return [RawHits() for _ in requests]
        return self._shard.search(requests)

    async def sections(self, ids: Sequence[str]) -> dict[str, Section]:
        """Return the sections with these ids; an id that is not there is left out."""
        if self._shard is None:
            return {}
        found = {
            payload["section_id"]: section_from(payload)
            for payload in self._shard.payloads(ids)
            if payload["kind"] == "section"
        }
        return {id_: found[id_] for id_ in ids if id_ in found}

    async def lengths(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the characters of the sections with these ids, their texts unread."""
        return self._shard.section_chars(ids) if self._shard else {}

    async def page_tokens(self, document_id: str) -> frozenset[int]:
        """Return the token numbers that occur anywhere in a document's sections."""
        if self._shard is None:
            return frozenset()
        return self._shard.page_tokens(document_id)

    async def documents(self, where: Filter | None = None) -> dict[str, IndexedDocument]:
        """Return all documents by id, as their points tell; None sees every tenant."""
        gathering = Gathering()
        async with self._reading:
            if self._shard is None:
                return {}
            points = self._shard.points_by_document()
            for page in self._shard.scroll(where, kind="section", fields=DOCUMENT_FIELDS):
                gathering.add(payload for payload, _ in page)
                await asyncio.sleep(0)
        documents = gathering.documents().items()
        return {id_: replace(one, points=points[id_]) for id_, one in documents}

    async def page(self, document_id: str) -> list[Section]:
        """Return a document's sections in their order."""
        if self._shard is None:
            return []
        sections = [
            section_from(payload)
            for page in self._shard.scroll(None, kind="section", document_id=document_id)
            for payload, _ in page
        ]
        return sorted(sections, key=lambda section: (section.span.start, section.id))

    async def count(self) -> int:
        """Return how many points there are."""
        return self._shard.count() if self._shard else 0
