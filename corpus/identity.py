"""The ids of documents, sections and passages, and the hash of a document. Pure.

The same words always give the same.
"""

import hashlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict

from core.models import Document

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


def hash_of(document: Document, tenant: str, source: str) -> str:
    """Return the SHA-256 of all that reaches the index from a document, as if it were of these.

    Neither its path nor its id is part of it, so a document that is moved keeps its hash.
    """
    whole = [tenant, source, document.host, document.first_line, asdict(document.metadata)]
    whole += [document.text, *(asdict(one) for one in document.asked)]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode("ascii")).hexdigest()


def _id(*parts: object) -> str:
    return str(uuid.uuid5(_NAMESPACE, json.dumps(parts, separators=(",", ":"))))
