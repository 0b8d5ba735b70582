"""The rank of each known question, kept for every build; and a build that loses many is held back.

Known questions are the files of `DATA/eval/known/`: mined, exported or written by hand. Of what
was exported, only what a person has reviewed.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from core.answering import Answerer
from core.models import Document, Section
from core.outcomes import shown
from core.points import IndexedDocument, alike
from core.ports import SearchableIndex
from core.reports import Verdict
from core.settings_groups import LimitSettings
from corpus.calibrating import Search
from corpus.calibrations import SHIPPED
from corpus.data_folder import DataFolder
from eval.dataset import DatasetError, Loaded, Record, documents_named, load_what_is_there
from eval.metrics import first, ranks
from eval.rank_rows import RankRow, joined, ranked_of, read_ranks, verdict_on, write_ranks
from eval.run import asking, whole_scope
from eval.samples import breadcrumb, seen

DEPTH = 20
"""Results that are looked through for each question."""


class KnownRanks:
    """Admits a build by what it finds for the known questions, whose ranks it writes beside it."""

    def __init__(self, search: Search, folder: DataFolder, limits: LimitSettings) -> None:
        self._search = search
        self._folder = folder
        self._limits = limits

    async def admit(self, live: SearchableIndex, candidate: SearchableIndex) -> Verdict:
        """Compare what both find for the known questions; without any, every build is admitted.

        Raises:
            IndexUnavailable: a build cannot be searched.
            DataFolderBroken: the ranks cannot be written.
        """
        files = await asyncio.to_thread(known_files, self._folder)
        if not files or candidate.info is None:
            return Verdict(admitted=True)
        try:
            of = await asyncio.to_thread(told_apart, files)
            now = await measured(candidate, self._search, files, self._limits)
            before = await self._before(live, candidate, files, of)
        except DatasetError as error:
            return Verdict(admitted=False, reason=f"A known question cannot be read. {error}")
        rows = joined(now, before)
        path = ranks_file(self._folder, candidate.info.id)
        await asyncio.to_thread(write_ranks, path, rows, of)
        return verdict_on(rows, self._limits.lost_places)

    async def _before(
        self,
        live: SearchableIndex,
        candidate: SearchableIndex,
        files: Sequence[Path],
        of: str,
    ) -> dict[str, RankRow]:
        """Return the live build's rows; those of another model only as they were written."""
        if live.info is None:
            return {}
        path = ranks_file(self._folder, live.info.id)
        stored = await asyncio.to_thread(read_ranks, path)
        info = candidate.info
        same = info is not None and alike(info.fingerprint, live.info.fingerprint)
        if not same or (stored and await asyncio.to_thread(ranked_of, path) == of):
            return stored
        rows = await measured(live, self._search, files, self._limits)
        return {row.id: row for row in rows}


def known_files(folder: DataFolder) -> list[Path]:
    """Return the files of known questions of a data folder. Blocks."""
    return sorted(known_folder(folder).glob("*.jsonl"))


def told_apart(files: Sequence[Path]) -> str:
    """Return what tells files of questions, as they are now, from all others. Blocks."""
    digest = sha256()
    for path in files:
        with suppress(OSError):  # whoever reads its questions tells that it cannot be read
            data = path.read_bytes()
            digest.update(f"{path.name} {len(data)}\n".encode(errors="surrogateescape"))
            digest.update(data)
    return digest.hexdigest()


def known_folder(folder: DataFolder) -> Path:
    """Return where known questions lie."""
    return folder.eval / "known"


def ranks_file(folder: DataFolder, build: str) -> Path:
    """Return where a build's ranks lie: beside its vectors."""
    return folder.index / build / "ranks.jsonl"


async def measured(
    index: SearchableIndex, search: Search, files: Sequence[Path], limits: LimitSettings
) -> list[RankRow]:
    """Ask an index every question that it should answer, and return where the answers stand.

    Questions that must be refused are passed over.

    Raises:
        DatasetError: a file cannot be read.
        IndexUnavailable: the index cannot be reached.
    """
    names = await asyncio.to_thread(documents_named, files)
    shelf = await _shelf(index, names)
    documents = [document for document, _ in shelf]
    loaded = await asyncio.to_thread(load_what_is_there, files, documents)
    answerer = Answerer(search(index), SHIPPED, longest=limits.question_chars)
    asker = _Asker(answerer, shelf)
    rows = [await asker.row(record) for record in loaded.records if record.relevant]
    return [*rows, *_gone(loaded)]


@dataclass(frozen=True, slots=True)
class _Asker:
    """Asks each question in the tenant of its evidence, whatever its visibility."""

    answerer: Answerer
    shelf: Sequence[tuple[Document, IndexedDocument]]

    async def row(self, record: Record) -> RankRow:
        """Ask one question and return where its answer stands; of several needed, the last."""
        place = record.relevant[0]
        tenant = next(
            document.tenant
            for document, _ in self.shelf
            if (document.source, document.path) == (place.source, place.path)
        )
        scope = whole_scope(document for document, _ in self.shelf)
        ask = asking(self.answerer, tenant, scope, DEPTH)
        answered = await ask(record.question, await breadcrumb(record.follows, ask))
        results = [seen(one) for one in shown(answered.outcome)]
        found = ranks(record.relevant, results)
        rank = first(found)
        if record.needs_all:
            rank = None if None in found else max(one for one in found if one is not None)
        return RankRow(
            id=record.id,
            category=record.category,
            question=record.question,
            expected=f"{place.source}/{place.path}",
            rank=rank,
            chars=tuple(accumulate(one.chars for one in results)),
        )


def _gone(loaded: Loaded) -> list[RankRow]:
    return [RankRow(id_, "", "", "", None, state="gone") for id_ in loaded.gone]


async def _shelf(
    index: SearchableIndex, names: Iterable[str]
) -> list[tuple[Document, IndexedDocument]]:
    """Return the documents with these names, their texts put together from their sections."""
    wanted = frozenset(names)
    there = [
        one
        for one in (await index.documents()).values()
        if one.path in wanted or f"{one.source}/{one.path}" in wanted
    ]
    return [(_document(one, await index.page(one.id)), one) for one in there]


def _document(known: IndexedDocument, sections: Sequence[Section]) -> Document:
    """Return a document as the index holds it: what no section shows is blank, lines kept."""
    text = ""
    first_line = sections[0].line_start if sections else 1
    for section in sections:
        missing = section.span.start - len(text)
        if missing > 0:
            lines = section.line_start - first_line - text.count("\n")
            text += " " * (missing - lines) + "\n" * lines
        text += section.text[max(0, -missing) :]
    return Document(
        id=known.id,
        tenant=known.tenant,
        source=known.source,
        path=known.path,
        metadata=known.metadata,
        text=text,
        first_line=first_line,
        hash=known.hash,
    )
