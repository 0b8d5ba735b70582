"""Filling a build: documents cut, embedded and written, whatever process does it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from core.engines.build_folder import STORAGE_FORMAT
from core.keywords import KEYWORDS_VERSION, passage_vector, section_vector
from core.models import CutDocument, Document, Vector
from core.points import (
    FINGERPRINT_SEPARATOR,
    BuildInfo,
    Point,
    passage_point,
    searchable,
    section_point,
)
from core.ports import Build, Embedder
from core.settings_groups import SplitterSettings
from corpus.splitters import split, splitter_fingerprint

PASSAGES_AT_ONCE = 256
"""Passages embedded before their documents are written: as many vectors are in memory."""
_DOCUMENTS_AT_ONCE = 8

Told = Callable[[str, int, int], None]
"""Is told the phase, how much of it is done, and of how much."""


def fingerprint(embedder: Embedder, splitter: SplitterSettings) -> str:
    """Return what an index depends on beside its documents: another one needs another index."""
    return FINGERPRINT_SEPARATOR.join(
        (
            embedder.fingerprint,
            f"splitter {splitter_fingerprint(splitter)}",
            f"keywords {KEYWORDS_VERSION}",
            f"storage {STORAGE_FORMAT}",
        )
    )


def model_of(print_: str) -> str:
    """Return the embedder's part of an index's fingerprint."""
    return print_.partition(FINGERPRINT_SEPARATOR)[0]


async def fill(
    build: Build,
    documents: Sequence[Document],
    embedder: Embedder,
    splitter: SplitterSettings,
    told: Told,
) -> None:
    """Cut documents, embed their passages and write both kinds of point.

    Raises:
        EmbedderError: a passage could not be embedded.
        VectorIndexError, DataFolderBroken: a point could not be written.
    """
    async for group, vectors in embedded(documents, embedder, splitter, told):
        await build.upsert(await asyncio.to_thread(points_of, group, vectors))


async def embedded(
    documents: Sequence[Document], embedder: Embedder, splitter: SplitterSettings, told: Told
) -> AsyncIterator[tuple[list[CutDocument], list[Vector]]]:
    """Cut documents; yield some of them at a time, with the vectors of their passages in order.

    Raises:
        EmbedderError: a passage could not be embedded.
    """
    pieces = await _cut_all(documents, embedder, splitter, told)
    total = sum(len(piece.passages) for piece in pieces)
    done = 0
    for group in _groups(pieces):
        texts = [passage.embedded for piece in group for passage in piece.passages]
        yield group, await embedder.embed_passages(texts, _embedding(told, done, total))
        done += len(texts)


async def seal(
    build: Build,
    embedder: Embedder,
    splitter: SplitterSettings,
    *,
    documents: int,
    sources: Mapping[str, str],
    created_at: datetime,
) -> BuildInfo:
    """Write the book-keeping of a build that has been filled; `sources` are commits by name.

    `documents` is how many it holds: counting them would read every point.

    Raises:
        DataFolderBroken: the disk is full.
    """
    frequencies = build.frequencies
    info = BuildInfo(
        id=build.id,
        fingerprint=fingerprint(embedder, splitter),
        created_at=created_at,
        sources=sources,
        documents=documents,
        sections=frequencies.sections,
        passages=frequencies.passages,
        dimension=embedder.dimension,
    )
    await build.seal(info)
    return info


def _embedding(told: Told, before: int, total: int) -> Callable[[int], None]:
    return lambda done: told("embedding", before + done, total)


async def _cut_all(
    documents: Sequence[Document], embedder: Embedder, splitter: SplitterSettings, told: Told
) -> list[CutDocument]:
    waiting = iter(documents)
    pieces: list[CutDocument] = []
    while some := list(islice(waiting, _DOCUMENTS_AT_ONCE)):
        pieces += await asyncio.to_thread(_cut_some, some, embedder, splitter)
        told("cutting", len(pieces), len(documents))
    return pieces


def _cut_some(
    documents: Sequence[Document], embedder: Embedder, splitter: SplitterSettings
) -> list[CutDocument]:
    def fits(text: str) -> bool:
        return embedder.count_tokens(text) <= embedder.window

    return [split(one, splitter, fits) for one in documents]


def _groups(pieces: Sequence[CutDocument]) -> Iterator[list[CutDocument]]:
    """Yield documents in groups of about as many passages as are embedded at once."""
    group: list[CutDocument] = []
    passages = 0
    for piece in pieces:
        group.append(piece)
        passages += len(piece.passages)
        if passages >= PASSAGES_AT_ONCE:
            yield group
            group, passages = [], 0
    if group:
        yield group


def points_of(group: Sequence[CutDocument], vectors: Sequence[Vector]) -> list[Point]:
    """Return the points of cut documents; the vectors are those of their passages, in order."""
    left = iter(vectors)
    points: list[Point] = []
    for piece in group:
        sections = {section.id: section for section in piece.sections}
        counts = dict.fromkeys(sections, 0)
        for passage in piece.passages:
            counts[passage.section_id] += 1
            section = sections[passage.section_id]
            words = passage_vector(passage.embedded)
            points.append(passage_point(section, passage, next(left), words))
        points += [
            section_point(section, section_vector(section), counts[section.id])
            for section in searchable(piece)
        ]
    return points
