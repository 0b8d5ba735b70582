"""The reading half of an embedded index, the same for the live one and for a build."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.engines.build_folder import BuildFolder
from core.engines.edge import Shard
from core.models import Section
from core.points import (
    BuildInfo,
    Filter,
    Frequencies,
    IndexedDocument,
    RawHits,
    SearchRequest,
    metadata_from,
    section_from,
)

_DOCUMENT_FIELDS = (
    "kind", "document_id", "document_hash", "tenant", "source", "path", "title", "service", "type",
    "owner", "last_reviewed", "alerts", "visibility", "headings", "start",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Served:
    """A sealed build with its shard open."""

    folder: BuildFolder
    shard: Shard
    info: BuildInfo
    frequencies: Frequencies


class EdgeReader:
    """Searches one shard; holds none while nothing has been built.

    Searching takes under a millisecond and is done where it is asked for. What reads many points
    lets the event loop go on after every page of them, under `_reading`, so that the shard is not
    closed in between.
    """

    def __init__(self) -> None:
        self._reading = asyncio.Lock()

    @property
    def info(self) -> BuildInfo | None:
        """Return what is served; None while nothing has been built."""
        raise NotImplementedError

    @property
    def frequencies(self) -> Frequencies:
        """Return the document frequencies of what is served."""
        raise NotImplementedError

    @property
    def _shard(self) -> Shard | None:
        raise NotImplementedError

    async def search(self, requests: Sequence[SearchRequest]) -> list[RawHits]:
        """Answer all requests in one batch, each by exact search under its filter.

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

    async def page_tokens(self, document_id: str) -> frozenset[int]:
        """Return the token numbers that occur anywhere in a document's sections."""
        if self._shard is None:
            return frozenset()
        pages = self._shard.scroll(
            None, kind="section", document_id=document_id, fields=("kind",), words=True
        )
        return frozenset(
            token for page in pages for _, words in page for token in words.get("section", ())
        )

    async def documents(self, where: Filter | None = None) -> dict[str, IndexedDocument]:
        """Return all documents by id, as their points tell; None sees every tenant."""
        gathered: dict[str, _Gathered] = {}
        async with self._reading:
            if self._shard is None:
                return {}
            for page in self._shard.scroll(where, fields=_DOCUMENT_FIELDS):
                for payload, _ in page:
                    gathered.setdefault(payload["document_id"], _Gathered()).add(payload)
                await asyncio.sleep(0)
        return {id_: one.document() for id_, one in sorted(gathered.items()) if one.sections}

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


@dataclass(slots=True)
class _Gathered:
    """What has been read of one document so far."""

    points: int = 0
    sections: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, payload: Mapping[str, Any]) -> None:
        self.points += 1
        if payload["kind"] == "section":
            self.sections.append(payload)

    def document(self) -> IndexedDocument:
        ordered = sorted(self.sections, key=lambda payload: payload["start"])
        first = ordered[0]
        return IndexedDocument(
            id=first["document_id"],
            tenant=first["tenant"],
            source=first["source"],
            path=first["path"],
            hash=first["document_hash"],
            metadata=metadata_from(first),
            headings=tuple(p["headings"][-1] for p in ordered if p["headings"]),
            points=self.points,
        )
