"""All sources read: every document there is now, and what could not become one."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from core.errors import DocumentError, SourceError
from core.models import Document
from core.reports import FailedFile, RedactedFile
from corpus.loader import load
from corpus.sources import Source

_FILES_AT_ONCE = 16

Told = Callable[[int, int], None]
"""Is told how many files are done, and of how many."""


@dataclass(slots=True)
class Corpus:
    """What the sources hold now. `commits` has every source that could be read, by name."""

    documents: dict[str, Document] = field(default_factory=dict)
    failed: list[FailedFile] = field(default_factory=list)
    warned: list[FailedFile] = field(default_factory=list)
    redacted: list[RedactedFile] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    commits: dict[str, str] = field(default_factory=dict)
    unread: dict[str, SourceError] = field(default_factory=dict)


async def read_sources(sources: Sequence[Source], told: Told | None = None) -> Corpus:
    """Read every file of every source, in threads.

    A source that cannot be read is kept among `unread` and reported as failed; the others are read.

    Raises:
        SourceError: one cannot be read any more while its files are being read.
    """
    corpus = Corpus()
    listed: list[tuple[Source, str]] = []
    fetched = await asyncio.gather(*(_refreshed(source, corpus) for source in sources))
    for source, there in zip(sources, fetched, strict=True):
        if there:
            listed += [(source, path) for path in await asyncio.to_thread(_listed, source, corpus)]
    waiting, done = iter(listed), 0
    while some := list(islice(waiting, _FILES_AT_ONCE)):
        await asyncio.to_thread(_load_all, some, corpus)
        done += len(some)
        if told:
            told(done, len(listed))
    corpus.failed.sort(key=lambda failed: failed.path)
    return corpus


def named(source: str, path: str) -> str:
    """Return how a report names a document."""
    return f"{source}/{path}"


async def _refreshed(source: Source, corpus: Corpus) -> bool:
    """Return whether there is something of a source to read."""
    name = source.settings.name
    try:
        stale = await source.refresh()
    except SourceError as error:
        corpus.unread[name] = error
        corpus.failed.append(FailedFile(name, str(error)))
        return False
    if stale:
        corpus.warned.append(FailedFile(name, stale))
    return True


def _listed(source: Source, corpus: Corpus) -> Sequence[str]:
    name = source.settings.name
    try:
        listing = source.listing()
    except SourceError as error:
        corpus.unread[name] = error
        corpus.failed.append(FailedFile(name, str(error)))
        return ()
    corpus.commits[name] = source.commit
    corpus.skipped.update(listing.skipped)
    corpus.failed += [
        FailedFile(named(name, one.path), one.reason, one.line) for one in listing.refused
    ]
    return listing.files


def _load_all(files: Sequence[tuple[Source, str]], corpus: Corpus) -> None:
    for source, path in files:
        where = named(source.settings.name, path)
        try:
            loaded = load(source.read(path), path, source.settings)
        except DocumentError as error:
            corpus.failed.append(FailedFile(where, error.reason, error.line))
            continue
        document = loaded.document
        corpus.documents[document.id] = document
        corpus.warned += [FailedFile(where, warning) for warning in loaded.warnings]
        corpus.redacted += [RedactedFile(where, one.line, one.kind) for one in document.redactions]
