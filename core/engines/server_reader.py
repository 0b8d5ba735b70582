"""The reading half of an index on a server, the same for the live one and for a build."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.engines.gathered import DOCUMENT_FIELDS, Gathering
from core.engines.server import CollectionMissing
from core.engines.server_collection import Collection
from core.engines.server_points import any_of, narrowed, sees_nothing
from core.models import Section
from core.points import (
    Filter,
    IndexedDocument,
    RawHits,
    SearchRequest,
    section_from,
)

_REMEMBERED = 64
"""Filters whose documents are remembered: about one a channel."""


@dataclass(frozen=True, slots=True)
class At:
    """A generation of a collection, which is what is read."""

    collection: Collection
    generation: int


class ServerReader:
    """Searches one generation of one collection; has none while nothing has been built."""

    def __init__(self) -> None:
        self._readings: set[asyncio.Future[None]] = set()
        self._remembered: tuple[At | None, dict[Filter, dict[str, IndexedDocument]]] = (None, {})

    @property
    def _at(self) -> At | None:
        raise NotImplementedError

    @contextmanager
    def _reading(self) -> Iterator[At | None]:
        """Read one generation to the end: what it sees is not deleted before."""
        reading: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._readings.add(reading)
        try:
            yield self._at
        finally:
            self._readings.discard(reading)
            reading.set_result(None)

    async def _read_to_the_end(self) -> None:
        """Wait for what is being read now; each has its own deadline."""
        if self._readings:
            await asyncio.wait(set(self._readings))

    async def search(self, requests: Sequence[SearchRequest]) -> list[RawHits]:
        """Answer all requests in one batch; dense lists by exact search where that is set.

        Raises:
            IndexUnavailable: the server is away, or lacks the collection.
            IndexMisconfigured: a vector has the wrong length.
        """
        with self._reading() as at:
            if at is None or not requests:
                return [RawHits() for _ in requests]
            return await at.collection.search(requests, at.generation)

    async def sections(self, ids: Sequence[str]) -> dict[str, Section]:
        """Return the sections with these ids; an id that is not there is left out."""
        payloads = await self._sections(ids)
        return {id_: section_from(payload) for id_, payload in payloads.items()}

    async def lengths(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the characters of the sections with these ids, their texts unread."""
        payloads = await self._sections(ids, fields=("section_id", "start", "end"))
        return {id_: payload["end"] - payload["start"] for id_, payload in payloads.items()}

    async def _sections(
        self, ids: Sequence[str], fields: Sequence[str] = ()
    ) -> dict[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        with self._reading() as at:
            if at is None or not ids:
                return {}
            wanted = (any_of("kind", ("section",)), any_of("section_id", ids))
            async for page in at.collection.scroll(at.generation, *wanted, fields=fields):
                found |= {one.payload["section_id"]: one.payload for one in page}
        return {id_: found[id_] for id_ in ids if id_ in found}

    async def page_tokens(self, document_id: str) -> frozenset[int]:
        """Return the token numbers that occur anywhere in a document's sections."""
        tokens: set[int] = set()
        with self._reading() as at:
            if at is None:
                return frozenset()
            mine = (any_of("kind", ("section",)), any_of("document_id", (document_id,)))
            async for page in at.collection.scroll(
                at.generation, *mine, fields=("kind",), words=True
            ):
                for one in page:
                    tokens.update(one.words.get("section", ()))
        return frozenset(tokens)

    async def documents(self, where: Filter | None = None) -> dict[str, IndexedDocument]:
        """Return all documents by id, as their points tell; None sees every tenant.

        For the book-keeping (None) a collection that is gone holds no documents, so that a run puts
        them back. For a person it is unavailable; what a filter sees is read once a build.
        """
        with self._reading() as at:
            if at is None or sees_nothing(where):
                return {}
            if where is None:
                try:
                    return await _documents(at, None)
                except CollectionMissing:
                    return {}
            known = self._known(at)
            if where not in known:
                found = await _documents(at, where)
                if len(known) >= _REMEMBERED:
                    known.clear()
                known[where] = found
            return dict(known[where])

    def _known(self, at: At) -> dict[Filter, dict[str, IndexedDocument]]:
        if self._remembered[0] != at:
            self._remembered = (at, {})
        return self._remembered[1]

    async def page(self, document_id: str) -> list[Section]:
        """Return a document's sections in their order."""
        sections: list[Section] = []
        with self._reading() as at:
            if at is None:
                return []
            mine = (any_of("kind", ("section",)), any_of("document_id", (document_id,)))
            async for page in at.collection.scroll(at.generation, *mine):
                sections += [section_from(one.payload) for one in page]
        return sorted(sections, key=lambda section: (section.span.start, section.id))

    async def count(self) -> int:
        """Return how many points there are; none where the collection is gone."""
        with self._reading() as at:
            if at is None:
                return 0
            try:
                return await at.collection.count(at.generation)
            except CollectionMissing:
                return 0


async def _documents(at: At, where: Filter | None) -> dict[str, IndexedDocument]:
    gathering = Gathering()
    async for page in at.collection.scroll(at.generation, *narrowed(where), fields=DOCUMENT_FIELDS):
        gathering.add(one.payload for one in page)
    return gathering.documents()
