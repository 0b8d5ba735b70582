"""Questions with exact quotes as evidence: reading them, and finding each quote in its document.

One JSON object a line: `{"id", "category", "question", "relevant": [{"doc", "evidence"}]}`, with an
empty `relevant` for a question that must be refused, and an optional `"follows": {"question"}`.
`doc` is a path relative to its source, or `source/path`. A quote, its white space folded, must
occur exactly once in the document's cleaned text: the labels then judge any splitter or model.

Other people's formats are read too. A record with `source_file` has its evidence in the lines
`source_lines` of the original file (`12`, `"12-20"` or `[12, 20]`, from 1), may lack id and
category, and must be refused where `source_file` is null: its id is then its line, with its file
where several are read. A folder is a BEIR set (eval/beir.py); of several, ids begin with theirs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import UsageError
from core.models import Document
from eval.beir import HOMES, Query, beir_queries, home_names, page_name
from eval.lines import DatasetError as DatasetError
from eval.lines import Unfit, lines_of, object_of, parsed, placed, text_of
from eval.shelf import Absent, Shelf
from eval.shelf import Relevant as Relevant

MULTI = "multi"
MINED = "mined"
UNANSWERABLE = "unanswerable"
_LINES = re.compile(r"(\d{1,9})(?:\s*[-–:]\s*(\d{1,9}))?")


class Kind(StrEnum):
    """What a question tests: that it is answered, or, however near the pages come, refused.

    A mined question is answerable too, but nobody asked it: it is reported apart.
    """

    ANSWERABLE = "answerable"
    MINED = "mined"
    NEAR = "near"
    UNRELATED = "unrelated"
    UNANSWERABLE = "unanswerable"

    @property
    def answerable(self) -> bool:
        """Return whether the corpus has an answer."""
        return self in {Kind.ANSWERABLE, Kind.MINED}


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
        words = set(re.split(r"[^a-z]+", self.category.casefold()))
        if self.relevant:
            return Kind.MINED if MINED in words else Kind.ANSWERABLE
        if words & {"far", "unrelated"}:
            return Kind.UNRELATED
        return Kind.NEAR if "near" in words else Kind.UNANSWERABLE

    @property
    def needs_all(self) -> bool:
        """Return whether all of its stretches are needed, where otherwise any one will do."""
        return self.category == MULTI


@dataclass(slots=True)
class Loaded:
    """The records read, and the ids of those whose evidence is in no document any more."""

    records: list[Record] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


def load_questions(paths: Sequence[Path], documents: Iterable[Document]) -> tuple[Record, ...]:
    """Read files of questions, or BEIR folders, over these documents, in their order.

    Raises:
        DatasetError: a file is missing, empty or not UTF-8, a line is not such a record, an id
            stands there twice, a document does not exist, or a quote is not in it exactly once.
    """
    return tuple(_loaded(paths, Shelf(documents), strict=True).records)


def answerable_of(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the questions with an answer that people asked: those to compare by.

    Raises:
        UsageError: there are none.
    """
    found = tuple(record for record in records if record.kind is Kind.ANSWERABLE)
    if not found:
        raise UsageError("No question of the set has an answer: there is nothing to compare.")
    return found


def load_what_is_there(paths: Sequence[Path], documents: Iterable[Document]) -> Loaded:
    """Read questions whose documents may have changed since they were written.

    A record keeps the stretches that still stand there once. Without any, or without one where all
    are needed, it is gone. What was exported and waits for a person (`"reviewed": false`) is passed
    over.

    Raises:
        DatasetError: as `load_questions`, but not for evidence that is not there.
    """
    return _loaded(paths, Shelf(documents), strict=False)


def documents_named(paths: Sequence[Path]) -> frozenset[str]:
    """Return the documents that files of questions name, as they name them.

    Raises:
        DatasetError: a file cannot be read, or a line is no JSON object.
    """
    names: set[object] = set()
    for path in paths:
        for number, line in lines_of(path):
            with placed(path, number):
                raw = parsed(line)
            entries = raw.get("relevant")
            if isinstance(entries, list):
                names.update(str(one.get("doc")) for one in entries if isinstance(one, dict))
            names.add(raw.get("source_file"))
    return frozenset(name for name in names if isinstance(name, str))


def _loaded(paths: Sequence[Path], shelf: Shelf, *, strict: bool) -> Loaded:
    loaded = Loaded()
    seen: dict[str, str] = {}
    names = _names(paths)
    folders = [path for path in paths if path.is_dir()]
    homes = dict(zip(folders, home_names(folders), strict=True))
    for path in paths:
        rows = (
            _beir(path, names[path], homes[path], shelf)
            if path in homes
            else _rows(path, names[path], shelf, strict=strict)
        )
        for file, number, record, whole in rows:
            with placed(file, number):
                _claim(record.id, f"{file}, line {number}", seen)
            if whole:
                loaded.records.append(record)
            else:
                loaded.gone.append(record.id)
    return loaded


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """Return what each path is called in ids that the questions do not bring: nothing if alone."""
    if len(paths) == 1:
        return {paths[0]: ""}
    shared = Counter(path.name for path in dict.fromkeys(paths))
    return {path: path.name if shared[path.name] == 1 else str(path) for path in paths}


_Row = tuple[Path, int, Record, bool]
"""File, line, record, and whether enough of its evidence is there."""


def _rows(path: Path, name: str, shelf: Shelf, *, strict: bool) -> Iterable[_Row]:
    for number, line in lines_of(path):
        id_ = f"{name}-line-{number}" if name else f"line-{number}"
        with placed(path, number):
            raw = parsed(line)
            if strict or raw.get("reviewed", True):
                yield path, number, *_record(raw, id_, shelf, strict=strict)


def _beir(folder: Path, name: str, home: str, shelf: Shelf) -> Iterable[_Row]:
    own = shelf.sources_in(HOMES, home)
    for query in beir_queries(folder):
        with placed(query.file, query.line):
            id_ = f"{name}/{query.id}" if name else query.id
            yield query.file, query.line, _judged(query, id_, own, shelf), True


def _judged(query: Query, id_: str, own: Sequence[str], shelf: Shelf) -> Record:
    relevant = [one for document in query.documents for one in _page(document, own, shelf)]
    if not relevant:
        wanted = ", ".join(query.documents)
        raise Unfit(f"the documents that are relevant to it hold no text: {wanted}")
    return Record(id_, "beir", query.text, tuple(relevant))


def _page(id_: str, own: Sequence[str], shelf: Shelf) -> tuple[Relevant, ...]:
    """Return the sections of a page: of its own set's, by its path, or as sets are written out."""
    name = page_name(id_)
    for doc in (*(f"{source}/{name}" for source in own), id_):
        with suppress(Absent):
            return shelf.whole(doc)
    return shelf.whole(name)


def _claim(id_: str, place: str, seen: dict[str, str]) -> None:
    if id_ in seen:
        raise Unfit(f"the id {id_} stands already in {seen[id_]}")
    seen[id_] = place


def _record(
    raw: Mapping[str, Any], line: str, shelf: Shelf, *, strict: bool
) -> tuple[Record, bool]:
    """Return a record, and whether enough of its evidence is there; `line` is an id for it."""
    if "source_file" in raw:
        return _with_lines(raw, line, shelf, strict=strict)
    category = text_of(raw, "category")
    entries = raw.get("relevant")
    if not isinstance(entries, list):
        raise Unfit("“relevant” must be a list, empty for a question that must be refused")
    if entries and category.casefold().startswith(UNANSWERABLE):
        raise Unfit(f"the category is {category}, and yet it has evidence")
    relevant = []
    for entry in entries:
        place = object_of(entry, "each entry of “relevant”")
        try:
            relevant.append(shelf.quoted(text_of(place, "doc"), text_of(place, "evidence")))
        except Absent:
            if strict:
                raise
    record = Record(
        id=text_of(raw, "id"),
        category=category,
        question=text_of(raw, "question"),
        relevant=tuple(relevant),
        follows=text_of(object_of(raw["follows"], "follows"), "question")
        if "follows" in raw
        else "",
    )
    needed = len(entries) if record.needs_all else min(1, len(entries))
    return record, len(relevant) >= needed


def _with_lines(
    raw: Mapping[str, Any], line: str, shelf: Shelf, *, strict: bool
) -> tuple[Record, bool]:
    refused = raw["source_file"] is None
    relevant: tuple[Relevant, ...] = ()
    if not refused:
        first, last = _range(raw.get("source_lines"))
        try:
            relevant = (shelf.lines(text_of(raw, "source_file"), first, last),)
        except Absent:
            if strict:
                raise
    id_ = raw.get("id")
    record = Record(
        id=str(id_) if isinstance(id_, int) else text_of(raw, "id", line),
        category=text_of(raw, "category", UNANSWERABLE if refused else "lines"),
        question=text_of(raw, "question"),
        relevant=relevant,
    )
    return record, refused or bool(relevant)


def _range(value: object) -> tuple[int, int]:
    """Return the first and the last of some lines: `12`, `"12-20"` or `[12, 20]`."""
    ends = "-".join(map(str, value)) if isinstance(value, list) else str(value)
    found = _LINES.fullmatch(ends.strip())
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last:
        raise Unfit('“source_lines” must be lines from 1, such as 12, "12-20" or [12, 20]')
    return first, last
