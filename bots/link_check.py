"""Whether a source's links can be made: a real one, and how many pages have none."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import assert_never

from bots.check import Check, Level
from core.errors import DocumentError, SourceError
from corpus.checkout import uncommitted
from corpus.links import Unlinked, link_to, template_of, unlinked
from corpus.listing import Listing
from corpus.loader import load
from corpus.markdown import parse
from corpus.sources import Source
from corpus.splitter import parts_of, section_of

LOOKED_AT = 20
"""Pages that are read, one after another, until one makes an example."""


def link_check(source: Source) -> Check:
    """Look at where the links of a source's pages lead. Blocks; a few pages are read, none fetched.

    The commit is that which the next run would read. A source that cannot be listed is left to its
    own check.
    """
    template = template_of(source.settings)
    if not template:
        says = "none that a chat can open: give the source a link in nightlamp.toml"
        return _check(source, Level.NOTE, says)
    if "{commit}" in template and source.root is not None and not source.commit:
        says = (
            f"none: {source.root} is no git checkout that has a {{commit}}; "
            "write a branch in its place, or name the repository by git"
        )
        return _check(source, Level.PROBLEM, says)
    try:
        listing = source.listing()
        return _pages_check(source, template, listing)
    except SourceError:
        return _check(source, Level.OK, template)


def _pages_check(source: Source, template: str, listing: Listing) -> Check:
    if len(listing.files) != 1 and not ("{path}" in template or "{page}" in template):
        says = "has neither {path} nor {page}: every answer links to one and the same page"
        return _check(source, Level.NOTE, f"{template} {says}")
    commits = _commits(source, template, listing)
    found = {path: unlinked(path, source.settings, commit) for path, commit in commits.items()}
    none = Counter(why for why in found.values() if why)
    linked = [path for path, why in found.items() if why is None]
    if not linked:
        if not none:
            return _check(source, Level.OK, template)
        says = f"none of the pages has one ({len(found):,}): {_reasons(none, source)}"
        return _check(source, Level.PROBLEM, says)
    tried = (_example(source, path, commits[path]) for path in linked[:LOOKED_AT])
    example = next(filter(None, tried), "")
    unread = "none of the pages looked at can be read: nightlamp index says why"
    says = f"such as {example}" if example else unread
    if not none:
        return _check(source, Level.OK if example else Level.NOTE, says)
    count = f"{none.total():,} of {len(found):,} pages {'has' if none.total() == 1 else 'have'}"
    return _check(source, Level.NOTE, f"{says}; {count} none: {_reasons(none, source)}")


def _check(source: Source, level: Level, says: str) -> Check:
    return Check(f"links of {source.settings.name}", level, says)


def _commits(source: Source, template: str, listing: Listing) -> Mapping[str, str]:
    """Return the commit that has each file as it is; empty where none does."""
    commit, lacked = source.commit, listing.unlinked
    if "{commit}" in template and source.root is not None:
        found = uncommitted(source.root, commit, listing.files)
        lacked = listing.files if found is None else found
    lacking = set(lacked)
    return {path: "" if path in lacking else commit for path in listing.files}


def _example(source: Source, path: str, commit: str) -> str:
    """Return the link to a page's first section that has an anchor; empty if it cannot be read."""
    try:
        document = load(source.read(path), path, source.settings).document
    except DocumentError:
        return ""
    parts = list(parts_of(document, parse(document.text).headings))
    part = next((one for one in parts if one.anchor), parts[0])
    return link_to(section_of(document, part), source.settings, commit, source.root)


def _reasons(none: Counter[Unlinked], source: Source) -> str:
    """Return why pages have no link, with their numbers where there are several reasons."""
    return "; ".join(_each(none, source))


def _each(none: Counter[Unlinked], source: Source) -> Iterator[str]:
    for why, count in none.most_common():
        says = _reason(why, source, one=count == 1)
        yield f"{says} ({count:,})" if len(none) > 1 else says


def _reason(why: Unlinked, source: Source, *, one: bool) -> str:
    they, them = ("it lies", "it") if one else ("they lie", "them")
    match why:
        case Unlinked.NO_COMMIT if source.root is None:
            return f"the commit has {them} elsewhere, behind a link to a folder"
        case Unlinked.NO_COMMIT:
            return (
                f"the commit lacks {them}, or has {them} otherwise: commit {them}, or write a "
                "branch in the place of {commit}"
            )
        case Unlinked.OUTSIDE:
            return f"{they} outside of {source.settings.site_root} (site_root)"
        case Unlinked.NO_PAGE:
            return f"{source.settings.host} makes no pages of files of that kind"
        case Unlinked.LEFT_OUT:
            return f"{source.settings.host} makes no pages of what begins with _"
        case _:
            assert_never(why)
