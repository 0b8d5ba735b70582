"""A document as its points tell of it, gathered point by point. No vendor."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from core.points import IndexedDocument, metadata_from

DOCUMENT_FIELDS: Final = (
    "kind", "document_id", "document_hash", "tenant", "source", "path", "title", "service", "type",
    "owner", "last_reviewed", "alerts", "visibility", "headings", "start",
)  # fmt: skip
"""What must be read of every point for it."""


class Gathering:
    """Documents by id, from the payloads of their points in any order."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Gathered] = {}

    def add(self, payloads: Iterable[Mapping[str, Any]]) -> None:
        """Count these points to their documents."""
        for payload in payloads:
            self._by_id.setdefault(payload["document_id"], _Gathered()).add(payload)

    def documents(self) -> dict[str, IndexedDocument]:
        """Return the documents of which a section was seen, by id."""
        return {id_: one.document() for id_, one in sorted(self._by_id.items()) if one.sections}


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
