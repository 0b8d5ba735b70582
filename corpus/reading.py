"""All sources read: every document there is now, and what could not become one."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from core.errors import DocumentError, SourceError
from core.models import Document
from core.reports import FailedFile, RedactedFile
from core.settings_lists import SourceSettings
from corpus.checkout import uncommitted
from corpus.identity import document_id
from corpus.known_files import Before, KnownFile, KnownFiles, known_file
from corpus.links import template_of
from corpus.listing import in_vain
from corpus.loader import Loaded, load
from corpus.sources import Source

_FILES_AT_ONCE = 16
SOURCES_AT_ONCE = 3
"""A fetch holds one of the threads in which all else is done, for up to two minutes where a host
is silent; asyncio makes at least five."""

log = logging.getLogger(__name__)

Told = Callable[[int, int], None]
"""Is told how many files are done, and of how many."""

Fetching = Callable[[str, bool], None]
"""Is told the name of a source that is being fetched, and again when that is over (True)."""


@dataclass(slots=True)
class Corpus:
    """What the sources hold now.

    `commits` has every source that could be read, by name, and `uncommitted` every one whose links
    name the commit of a checkout: the paths of the files that this lacks or has otherwise. `same`
    are the ids of documents that were not loaded, for the index holds them as they are;
    `documents` are all others, by id.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    same: set[str] = field(default_factory=set)
    files: KnownFiles = field(default_factory=KnownFiles)
    failed: list[FailedFile] = field(default_factory=list)
    warned: list[FailedFile] = field(default_factory=list)
    redacted: list[RedactedFile] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    commits: dict[str, str] = field(default_factory=dict)
    uncommitted: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unread: dict[str, SourceError] = field(default_factory=dict)
    stale: dict[str, str] = field(default_factory=dict)

    @property
    def lagging(self) -> dict[str, str]:
        """Return why a source was not read anew, by its name: now not at all, or as it was."""
        return self.stale | {name: str(error) for name, error in self.unread.items()}


async def read_sources(
    sources: Sequence[Source],
    told: Told | None = None,
    before: Before | None = None,
    *,
    fetching: Fetching | None = None,
) -> Corpus:
    """Read every file of every source, in threads; load those that the index does not hold already.

    A source that cannot be read is kept among `unread` and reported as failed; the others are read.

    Raises:
        SourceError: one cannot be read any more while its files are being read.
    """
    corpus, before = Corpus(), before or Before()
    found: list[tuple[Source, Sequence[str]]] = []
    at_once = asyncio.Semaphore(SOURCES_AT_ONCE)

    async def refreshed(source: Source) -> bool:
        async with at_once:
            return await _refreshed(source, corpus, fetching)

    fetched = await asyncio.gather(*map(refreshed, sources))
    for source, there in zip(sources, fetched, strict=True):
        if there and (files := await asyncio.to_thread(_listed, source, corpus)) is not None:
            found.append((source, files))
    listed = [(source, path) for source, files in found for path in files]
    waiting, done = iter(listed), 0
    while some := list(islice(waiting, _FILES_AT_ONCE)):
        await asyncio.to_thread(_load_all, some, before, corpus)
        done += len(some)
        if told:
            told(done, len(listed))
    # After the files, by the commit of before: what is edited or committed meanwhile has no link.
    for source, files in found:
        await asyncio.to_thread(_find_lacked, source, files, corpus)
    corpus.failed.sort(key=lambda failed: failed.path)
    return corpus


def named(source: str, path: str) -> str:
    """Return how a report names a document."""
    return f"{source}/{path}"


async def _refreshed(source: Source, corpus: Corpus, fetching: Fetching | None) -> bool:
    """Return whether there is something of a source to read."""
    name = source.settings.name
    told = fetching if source.settings.git is not None else None
    if told:
        told(name, False)
    try:
        stale = await source.refresh()
    except SourceError as error:
        corpus.unread[name] = error
        corpus.failed.append(FailedFile(name, str(error)))
        return False
    finally:
        if told:
            told(name, True)
    if stale:
        corpus.stale[name] = stale
        corpus.warned.append(FailedFile(name, stale))
    return True


def _listed(source: Source, corpus: Corpus) -> Sequence[str] | None:
    """Return the paths of a source's files, and keep its commit; None if it cannot be read."""
    name = source.settings.name
    try:
        listing = source.listing()
    except SourceError as error:
        corpus.unread[name] = error
        corpus.failed.append(FailedFile(name, str(error)))
        return None
    corpus.commits[name] = source.commit
    corpus.skipped.update(listing.skipped)
    if listing.unlinked:
        corpus.uncommitted[name] = listing.unlinked
    if vain := in_vain(listing, source.settings):
        corpus.warned.append(FailedFile(name, vain))
    corpus.failed += [
        FailedFile(named(name, one.path), one.reason, one.line) for one in listing.refused
    ]
    return listing.files


def _find_lacked(source: Source, files: Sequence[str], corpus: Corpus) -> None:
    """Say which files a source's commit lacks where links lead to it."""
    name = source.settings.name
    commit = corpus.commits[name]
    if commit and source.root is not None and "{commit}" in template_of(source.settings):
        lacked = uncommitted(source.root, commit, files)
        if lacked is not None:
            corpus.uncommitted[name] = lacked


def _load_all(files: Sequence[tuple[Source, str]], before: Before, corpus: Corpus) -> None:
    for source, path in files:
        where = named(source.settings.name, path)
        try:
            file = _known(source, path, before, corpus)
        except DocumentError as error:
            corpus.failed.append(FailedFile(where, error.reason, error.line))
            continue
        corpus.warned += [FailedFile(where, warning) for warning in file.warnings]
        corpus.redacted += [RedactedFile(where, one.line, one.kind) for one in file.redactions]


def _known(source: Source, path: str, before: Before, corpus: Corpus) -> KnownFile:
    """Return what a file is loaded to, known from before or loaded now.

    Raises:
        DocumentError: it cannot be read, or is withheld. Nothing is kept of it then.
    """
    settings = source.settings
    id_ = document_id(settings.tenant, settings.name, path)
    data = source.read(path)
    file = before.find(id_, settings, data)
    if file is not None:
        corpus.same.add(id_)
    else:
        loaded = _loaded(data, path, settings)
        file = known_file(loaded.document, loaded.warnings, settings, data)
        corpus.documents[id_] = loaded.document
    corpus.files.add(id_, file)
    return file


def _loaded(data: bytes, path: str, settings: SourceSettings) -> Loaded:
    """Load one file; a fault of ours that it brings to light must not cost the other files.

    Raises:
        DocumentError: it is no document, or not one that can be loaded.
    """
    try:
        return load(data, path, settings)
    except (DocumentError, MemoryError):
        raise
    except Exception as error:
        log.exception("%r cannot be loaded", named(settings.name, path))
        kind = type(error).__name__
        raise DocumentError(f"an unexpected {kind} came up in loading it (see the log)") from error
