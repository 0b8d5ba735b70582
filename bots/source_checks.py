"""Checks of the sources: whose they are, what can be read of them, where their links lead."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bots.behind import since_words, source_says
from bots.check import Check, Level
from bots.counted import counted
from bots.link_check import link_check
from core.errors import SourceError
from core.settings import Settings
from corpus.data_folder import DataFolder
from corpus.lagging import Lagging, LaggingSource
from corpus.listing import in_vain
from corpus.sources import Source
from corpus.starter import STARTER, sources_of


def source_checks(
    settings: Settings, data: Path, folders: Sequence[Path] | None
) -> Iterator[Check]:
    """Yield what is found of every source, its tenant and its links. Blocks; nothing is fetched."""
    try:
        opened = sources_of(
            settings.sources,
            folders,
            settings.limits.file_bytes,
            clones=DataFolder(data).sources,
            tenant=settings.only_tenant,
        )
    except SourceError as error:
        yield Check("sources", Level.PROBLEM, str(error))
        return
    yield from _tenants(settings, {source.settings.tenant for source in opened})
    lagging = {one.name: one for one in Lagging(DataFolder(data).lagging).read().sources}
    for source in opened:
        yield _source(source, lagging.get(source.settings.name))
        if source.settings.name != STARTER:
            yield link_check(source)


def _tenants(settings: Settings, with_sources: set[str]) -> Iterator[Check]:
    """Look for tenants that nobody fed, and for sources that nobody in the chats can reach."""
    named = {tenant.name for tenant in settings.tenants}
    for name in sorted(named - with_sources):
        says = f'it has no source: write tenant = "{name}" into a [[sources]]'
        yield Check(f"tenant {name}", Level.PROBLEM, says)
    for name in sorted(with_sources - named) if named else ():
        there = ", ".join(sorted(named))
        says = f"it has sources and no [[tenants]]: write whose they are into them ({there})"
        yield Check(f"tenant {name}", Level.PROBLEM, says)


def _source(source: Source, lagging: LaggingSource | None) -> Check:
    """Look at what is there of a source; that it could not be fetched, the last run has noted.

    A folder is looked at anew: it may be back.
    """
    name = f"source {source.settings.name}"
    if lagging and source.root is None:
        return Check(name, Level.PROBLEM, f"not fetched {source_says(lagging)}")
    try:
        listing = source.listing()
    except SourceError as error:
        says = f"not read {since_words(lagging.since)}: {error}" if lagging else str(error)
        return Check(name, Level.PROBLEM, says)
    where = source.root or f"commit {source.commit[:12]}"
    vain = in_vain(listing, source.settings)
    if not listing.files:
        says = vain if listing.unmatched else f"there are no Markdown files in {where}"
        return Check(name, Level.PROBLEM, says)
    says = counted(len(listing.files), "file")
    if str(where) != source.settings.name:  # a folder that was named by --corpus
        says += f" in {where}"
    if listing.refused:
        says += f", {len(listing.refused):,} more cannot be read: nightlamp index lists them"
    if vain:
        says += f"; {vain[:1].lower()}{vain[1:]}"
    return Check(name, Level.NOTE if listing.refused or vain else Level.OK, says)
