"""The ids of documents, sections and passages: the same words always give the same id. Pure."""

import json
import uuid
from collections.abc import Sequence

_NAMESPACE = uuid.UUID("6f1d3c0e-3b52-5c1a-9d0e-7f3b8a1c2e54")


def document_id(tenant: str, source: str, path: str) -> str:
    """Return the id of a document: UUIDv5 of whose it is and where it lies."""
    return _id("document", tenant, source, path)


def section_id(tenant: str, source: str, path: str, headings: Sequence[str], nth: int) -> str:
    """Return the id of the `nth` section (from 0) of a document with exactly these headings.

    An insertion above a section leaves its id alone, so that votes stay with their text.
    """
    return _id("section", tenant, source, path, list(headings), nth)


def passage_id(section: str, ordinal: int) -> str:
    """Return the id of a section's passage, counted from 0."""
    return _id("passage", section, ordinal)


def _id(*parts: object) -> str:
    return str(uuid.uuid5(_NAMESPACE, json.dumps(parts, separators=(",", ":"))))
