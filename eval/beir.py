"""Sets in the layout of BEIR (Thakur et al., 2021): corpus.jsonl, queries.jsonl, qrels/*.tsv.

A set brings its own documents. They are written out as pages, one an entry, and relevance is a
matter of pages: any section of a relevant one will do. Over other documents, given with --corpus,
the ids of its corpus must be their paths.
"""

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from core.errors import DataFolderBroken
from eval.lines import DatasetError, Unfit, lines_of, parsed, placed, text_of

HOMES: Final = "beir"
"""The folder that sets are written out below, each in one of its own."""
_COLUMNS = 3
_SCORE = re.compile(r"-?[0-9]{1,9}")
_LONGEST_NAME = 200
_DIGEST_BYTES = 8
_FRONTMATTER = ("---", "+++", ";;;", "{")


@dataclass(frozen=True, slots=True)
class Query:
    """A query with the ids of the documents that are relevant to it, and where it stands."""

    id: str
    text: str
    documents: tuple[str, ...]
    file: Path
    line: int


def beir_queries(folder: Path) -> list[Query]:
    """Return the queries that have judgements, in the order of queries.jsonl.

    Raises:
        DatasetError: a file is missing or broken, or a judgement is of a query that is not there.
    """
    judged = _judgements(folder)
    path = folder / "queries.jsonl"
    queries = []
    for number, line in lines_of(path):
        with placed(path, number):
            raw = parsed(line)
            id_ = text_of(raw, "_id")
            if id_ in judged:
                documents = tuple(judged.pop(id_))
                queries.append(Query(id_, text_of(raw, "text"), documents, path, number))
    if judged:
        raise DatasetError(path, f"the query {next(iter(judged))} of qrels is not in it")
    return queries


def is_beir(path: Path) -> bool:
    """Return whether a path is a folder with a corpus of its own."""
    return (path / "corpus.jsonl").is_file()


def home_names(folders: Sequence[Path]) -> tuple[str, ...]:
    """Return for each set what its pages' folder is called: as its own, with a digest if shared."""
    resolved = [folder.resolve() for folder in folders]
    shared = Counter(one.name.casefold() for one in dict.fromkeys(resolved))
    return tuple(
        one.name if shared[one.name.casefold()] == 1 else f"{one.name}-{_digest(str(one))}"
        for one in resolved
    )


def written_out(folder: Path, pages: Path) -> Path:
    """Write the set's corpus as Markdown pages below a folder, which is made anew; return it.

    Raises:
        DatasetError: corpus.jsonl is broken, or an id stands in it twice.
        DataFolderBroken: a page cannot be written.
    """
    path = folder / "corpus.jsonl"
    texts: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, line in lines_of(path, "documents"):
        with placed(path, number):
            raw = parsed(line)
            id_ = text_of(raw, "_id")
            if id_ in lines:
                raise Unfit(f"the id {id_} stands already in line {lines[id_]}")
            lines[id_] = number
            texts[page_name(id_)] = _page(raw, id_)
    try:
        shutil.rmtree(pages, ignore_errors=True)
        pages.mkdir(parents=True)
        for name, text in texts.items():
            # "x": where capitals make no difference, no page may take the place of another.
            with (pages / name).open("x", encoding="utf-8", errors="replace") as file:
                file.write(text)
    except OSError as error:
        raise DataFolderBroken(f"{pages} cannot be written: {error.strerror}.") from error
    return pages


def page_name(id_: str) -> str:
    """Return the file's name of a document of the corpus: not hidden, and no other id's."""
    name = quote(id_, safe="")
    if name.startswith("."):
        name = f"%2E{name[1:]}"
    if len(name) > _LONGEST_NAME:
        digest = _digest(id_)
        name = f"{name[: _LONGEST_NAME - len(digest) - 1]}-{digest}"
    return f"{name}.md"


def _page(raw: Mapping[str, Any], id_: str) -> str:
    title, text = raw.get("title") or "", raw.get("text") or ""
    if not isinstance(title, str) or not isinstance(text, str):
        raise Unfit("“title” and “text” must be texts")
    text = text.replace("\0", "\ufffd")
    heading = " ".join(title.replace("\0", "\ufffd").split())
    if not heading and text.lstrip().startswith(_FRONTMATTER):
        # Below a heading it is text, whatever a page could begin with.
        heading = " ".join(id_.split())
    return f"# {heading}\n\n{text}\n" if heading else text


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def _judgements(folder: Path) -> dict[str, list[str]]:
    """Return the relevant documents by query: of the test split, else of every split there is."""
    files = sorted((folder / "qrels").glob("*.tsv"))
    test = [path for path in files if path.stem == "test"]
    if not files:
        raise DatasetError(folder, "it is no BEIR set: there is no qrels/*.tsv in it")
    judged: dict[str, list[str]] = {}
    for path in test or files:
        for query, document in _rows(path):
            documents = judged.setdefault(query, [])
            if document not in documents:
                documents.append(document)
    return judged


def _rows(path: Path) -> Iterator[Sequence[str]]:
    """Yield query and document of each judgement above 0, past the line that names the columns."""
    for number, line in lines_of(path, "judgements"):
        cells = line.decode("utf-8", errors="replace").strip("\r\n").split("\t")
        if number == 1 and cells[-1:] == ["score"]:
            continue
        with placed(path, number):
            if len(cells) != _COLUMNS or not _SCORE.fullmatch(cells[2].strip()):
                raise Unfit("a judgement is query, document and a whole number, with tabs between")
        if int(cells[2]) > 0:
            yield cells[0], cells[1]
