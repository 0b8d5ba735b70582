"""Questions with exact quotes as evidence: reading them, and finding each quote in its document.

One JSON object a line: `{"id", "category", "question", "relevant": [{"doc", "evidence"}]}`, with an
empty `relevant` for a question that must be refused, and an optional `"follows": {"question"}`.
`doc` is a path relative to its source, or `source/path`. A quote, its white space folded, must
occur exactly once in the document's cleaned text: the labels then judge any splitter or model.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import NightlampError
from core.models import Document, Span
from core.redaction import redact

MULTI = "multi"
QUOTE_SHOWN = 60


class DatasetError(NightlampError):
    """A set of questions cannot be used; the sentence names file, line and reason."""

    exit_code = 2

    def __init__(self, path: Path, reason: str, line: int | None = None) -> None:
        place = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(f"{place}: {reason}.")
        self.path = path
        self.line = line
        self.reason = reason


class _Unfit(Exception):
    """Why a line is no record: the reason, to which the loader adds file and line."""


class Kind(StrEnum):
    """What a question tests: that it is answered, or, however near the pages come, refused."""

    ANSWERABLE = "answerable"
    NEAR = "near"
    UNRELATED = "unrelated"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Relevant:
    """A stretch of a document's cleaned text that answers a question."""

    source: str
    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class Record:
    """A question and where its answer stands; `follows` is the question that it follows up."""

    id: str
    category: str
    question: str
    relevant: tuple[Relevant, ...] = ()
    follows: str = ""

    @property
    def kind(self) -> Kind:
        """Return what it tests; of unanswerable ones the category's name says how near they are."""
        if self.relevant:
            return Kind.ANSWERABLE
        words = set(re.split(r"[^a-z]+", self.category.casefold()))
        if words & {"far", "unrelated"}:
            return Kind.UNRELATED
        return Kind.NEAR if "near" in words else Kind.UNANSWERABLE

    @property
    def needs_all(self) -> bool:
        """Return whether all of its stretches are needed, where otherwise any one will do."""
        return self.category == MULTI


class _Shelf:
    """The documents that quotes are looked up in, by path and by `source/path`."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_name: dict[str, list[Document]] = {}
        for document in documents:
            for name in (document.path, f"{document.source}/{document.path}"):
                self._by_name.setdefault(name, []).append(document)

    def find(self, doc: str, quote: str) -> Relevant:
        """Return where a quote stands.

        Raises:
            _Unfit: no such document, several of them, or the quote is not there exactly once.
        """
        found = self._by_name.get(doc, [])
        if not found:
            raise _Unfit(f"there is no document {doc}")
        if len(found) > 1:
            names = " and ".join(f"{document.source}/{document.path}" for document in found)
            raise _Unfit(f"{doc} names more than one document: {names}")
        return _located(found[0], quote)


def load_questions(paths: Sequence[Path], documents: Iterable[Document]) -> tuple[Record, ...]:
    """Read files of questions over these documents, in the order of their lines.

    Raises:
        DatasetError: a file is missing, empty or not UTF-8, a line is not such a record, an id
            stands there twice, a document does not exist, or a quote is not in it exactly once.
    """
    shelf = _Shelf(documents)
    seen: dict[str, str] = {}
    records: list[Record] = []
    for path in paths:
        for number, line in _lines(path):
            try:
                record = _record(line, shelf)
                _claim(record.id, f"{path}, line {number}", seen)
            except _Unfit as error:
                raise DatasetError(path, str(error), number) from None
            records.append(record)
    return tuple(records)


def _lines(path: Path) -> list[tuple[int, bytes]]:
    """Return the lines that are not blank with their numbers, split at line feeds only."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DatasetError(path, f"it cannot be read ({error.strerror})") from None
    rows = enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1)
    lines = [(number, line) for number, line in rows if line.strip()]
    if not lines:
        raise DatasetError(path, "it holds no questions")
    return lines


def _claim(id_: str, place: str, seen: dict[str, str]) -> None:
    if id_ in seen:
        raise _Unfit(f"the id {id_} stands already in {seen[id_]}")
    seen[id_] = place


def _record(line: bytes, shelf: _Shelf) -> Record:
    raw = _parsed(line)
    category = _text(raw, "category")
    quotes = raw.get("relevant")
    if not isinstance(quotes, list):
        raise _Unfit("“relevant” must be a list, empty for a question that must be refused")
    if quotes and category.casefold().startswith("unanswerable"):
        raise _Unfit(f"the category is {category}, and yet it has evidence")
    return Record(
        id=_text(raw, "id"),
        category=category,
        question=_text(raw, "question"),
        relevant=tuple(_relevant(quote, shelf) for quote in quotes),
        follows=_text(_object(raw["follows"], "follows"), "question") if "follows" in raw else "",
    )


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise _Unfit("the line is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise _Unfit(f"the line is not JSON ({error.msg}, column {error.colno})") from None
    except (ValueError, RecursionError):
        raise _Unfit("the line is JSON that is too long or too deep") from None
    return _object(value, "the line")


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _Unfit(f"{name} must be a JSON object")
    return value


def _text(raw: Mapping[str, Any], key: str) -> str:
    """Return a text of a record: there, not blank, and something that UTF-8 can write."""
    value = raw.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _Unfit(f"“{key}” must be a text that is not empty")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise _Unfit(f"“{key}” holds half a surrogate pair, which is no text")
    return value


def _relevant(value: object, shelf: _Shelf) -> Relevant:
    raw = _object(value, "each entry of “relevant”")
    return shelf.find(_text(raw, "doc"), _text(raw, "evidence"))


def _located(document: Document, quote: str) -> Relevant:
    spans = _spans(quote, document.text) or _spans(redact(quote)[0], document.text)
    if len(spans) != 1:
        start = " ".join(quote.split())
        cut = start if len(start) <= QUOTE_SHOWN else start[: QUOTE_SHOWN - 1] + "…"
        times = "does not occur" if not spans else f"occurs {len(spans)} times"
        raise _Unfit(f"the evidence “{cut}” {times} in {document.path}")
    return Relevant(document.source, document.path, spans[0])


def _spans(quote: str, text: str) -> list[Span]:
    """Return each stretch that equals the quote but for its white space, overlapping ones too."""
    pattern = r"\s+".join(re.escape(word) for word in quote.split())
    return [Span(*match.span(1)) for match in re.finditer(f"(?=({pattern}))", text)]
