"""Exchanges to rows of the journal and back. Pure."""

import json
import struct
import sys
from array import array
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.exchanges import Exchange, OutcomeKind, Recorded, ShownHit
from core.models import Question, Scope, Span, Vector
from feedback.rows import (
    Row,
    as_json,
    instant,
    message_from,
    moment,
    storable,
    where_from,
    where_key,
)


def exchange_row(exchange_id: str, question: Question) -> dict[str, Any]:
    """Return the row of a question that has no outcome yet."""
    scope = question.scope
    return storable(
        where_key(question.where)
        | {
            "id": exchange_id,
            "tenant": question.tenant,
            "private": int(question.where.private),
            "user_id": question.asked_by,
            "event_id": question.event_id or None,
            "question": question.text,
            "scope": as_json(
                {"service": scope.service, "type": scope.type, "visibility": scope.visibility}
            ),
            "follows": question.follows,
            "asked_at": instant(question.asked_at),
        }
    )


def outcome_row(recorded: Recorded, answered_at: datetime) -> dict[str, Any]:
    """Return the columns of an outcome."""
    return storable(
        {
            "outcome": recorded.kind,
            "confidence": recorded.confidence,
            "distance": recorded.distance,
            "dense": int(recorded.dense),
            "ms": recorded.ms,
            "model": recorded.model,
            "vector": None if recorded.vector is None else packed(recorded.vector),
            "results": as_json([_shown_as_json(hit) for hit in recorded.results]),
            "answered_at": instant(answered_at),
        }
    )


def exchange_from(row: Row, messages: Sequence[Row]) -> Exchange:
    """Read an exchange from its row and those of its messages, in their order."""
    return Exchange(
        id=row["id"],
        question=_question_from(row),
        recorded=None if row["outcome"] is None else _recorded_from(row),
        messages=tuple(message_from(message) for message in messages),
    )


def packed(vector: Vector) -> bytes:
    """Return a vector as float32, little endian."""
    return struct.pack(f"<{len(vector)}f", *vector)


def unpacked(data: bytes) -> tuple[float, ...]:
    """Read a vector back."""
    return struct.unpack(f"<{len(data) // 4}f", data)


def unpacked_compactly(data: bytes) -> "array[float]":
    """Read a vector back in four bytes a figure, for where there are many."""
    vector = array("f", data)
    if sys.byteorder == "big":
        vector.byteswap()
    return vector


def _question_from(row: Row) -> Question:
    scope = json.loads(row["scope"])
    return Question(
        text=row["question"],
        tenant=row["tenant"],
        asked_by=row["user_id"],
        asked_at=moment(row["asked_at"]),
        where=where_from(row),
        scope=Scope(tuple(scope["service"]), tuple(scope["type"]), tuple(scope["visibility"])),
        follows=row["follows"],
        event_id=row["event_id"] or "",
    )


def _recorded_from(row: Row) -> Recorded:
    return Recorded(
        kind=OutcomeKind(row["outcome"]),
        confidence=row["confidence"],
        distance=row["distance"],
        results=tuple(_shown_from(shown) for shown in json.loads(row["results"])),
        dense=bool(row["dense"]),
        ms=row["ms"],
        vector=None if row["vector"] is None else unpacked(row["vector"]),
        model=row["model"],
    )


def _shown_as_json(hit: ShownHit) -> dict[str, Any]:
    return {
        "section_ids": hit.section_ids,
        "document_id": hit.document_id,
        "source": hit.source,
        "path": hit.path,
        "breadcrumb": hit.breadcrumb,
        "distance": hit.distance,
        "keyword_score": hit.keyword_score,
        "passage": (hit.passage.start, hit.passage.end),
        "visibility": hit.visibility,
    }


def _shown_from(shown: Row) -> ShownHit:
    lists = {name: tuple(shown[name]) for name in ("section_ids", "visibility")}
    return ShownHit(**{**shown, **lists, "passage": Span(*shown["passage"])})
