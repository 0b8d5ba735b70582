"""What differs between the sources and the index. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from core.errors import BuildRefused
from core.models import Document, Metadata
from core.points import IndexedDocument
from corpus.identity import hash_of

MOST_REMOVED = 0.3
"""The share of a source's documents that one run may remove without being forced."""
ENOUGH_TO_ASK = 10
"""Fewer removed documents than this are never too many."""
MOST_WAYS = 10
"""In so many ways an added page is compared with removed ones of its title alone: a hash each."""

_Kind = TypeVar("_Kind", bound=Document | IndexedDocument)
_Whose = tuple[str, str, Metadata]
"""A document's tenant, source and metadata."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Documents by what happens to them.

    `replaced` is what the index holds in place of those that changed. A page that is another
    tenant's now has another id and has changed all the same: it is where it was.
    """

    added: tuple[Document, ...]
    changed: tuple[Document, ...]
    unchanged: tuple[Document | IndexedDocument, ...]
    removed: tuple[IndexedDocument, ...]
    replaced: tuple[IndexedDocument, ...] = ()

    @property
    def none(self) -> bool:
        """Return whether the index has what the sources have."""
        return not (self.added or self.changed or self.dropped)

    @property
    def dropped(self) -> tuple[IndexedDocument, ...]:
        """Return what the index no longer holds afterwards as it does now."""
        return (*self.replaced, *self.removed)


def compare(
    documents: Mapping[str, Document],
    indexed: Mapping[str, IndexedDocument],
    *,
    same: Collection[str],
    keep: Iterable[str],
    prune: bool,
) -> Changes:
    """Compare hashes.

    `same` are the ids of what the index holds as it is, beside `documents`. Documents of the
    sources to `keep` are never removed: these were not read.
    """
    kept = frozenset(keep)
    there = {_place(one) for one in documents.values()} | {_place(indexed[id_]) for id_ in same}
    left = [
        one
        for id_, one in indexed.items()
        if id_ not in documents and id_ not in same and one.source not in kept
    ]
    moved = [one for one in left if _place(one) in there]
    gone = [one for one in left if _place(one) not in there]
    before = {_place(one) for one in moved}
    new = [one for id_, one in documents.items() if id_ not in indexed]
    both = [one for id_, one in documents.items() if id_ in indexed]
    edited = [one for one in both if one.hash != indexed[one.id].hash]
    alike = [one for one in both if one.hash == indexed[one.id].hash]
    return Changes(
        added=_ordered(one for one in new if _place(one) not in before),
        changed=_ordered([*edited, *(one for one in new if _place(one) in before)]),
        unchanged=_ordered([*alike, *(indexed[id_] for id_ in same)]),
        removed=_ordered(gone) if prune else (),
        replaced=_ordered([*(indexed[one.id] for one in edited), *moved]),
    )


def check_removals(
    changes: Changes,
    indexed: Mapping[str, IndexedDocument],
    configured: Iterable[str],
    *,
    dry_run: bool = False,
) -> str:
    """Check that no source that is still configured loses much: an empty mount looks like that.

    A page whose text has been added elsewhere was moved, and is not lost. A dry run lists what
    would be: it is told why the run that it foretells is refused, with an empty text where not.

    Raises:
        BuildRefused: one would lose more than 30 % of its documents, and at least ten.
    """
    before = Counter(one.source for one in indexed.values())
    losing = Counter(one.source for one in changes.removed)
    if not any(_too_many(losing[source], before[source]) for source in before):
        return ""
    losing = Counter(one.source for one in _lost(changes.removed, changes.added))
    for source in configured:
        if _too_many(losing[source], before[source]):
            much = (
                f"{losing[source]} of the {before[source]} documents of the source {source} are "
                "gone, left out or cannot be read"
            )
            cure = "bring them back, or run nightlamp index --force to remove them."
            if dry_run:
                return f"{much}: {cure}"
            which = "see which with nightlamp index --dry-run"
            raise BuildRefused(f"{much}, so nothing was changed: {which}, and {cure}")
    return ""


def _too_many(losing: int, before: int) -> bool:
    return losing >= ENOUGH_TO_ASK and losing > MOST_REMOVED * before


def _lost(removed: Sequence[IndexedDocument], added: Sequence[Document]) -> list[IndexedDocument]:
    """Return what is removed without that its text was added elsewhere; each can be found once.

    The index keeps no hash of a text alone. So the hashes are made that an added document would
    have with what the index knows of the removed ones: of those of the same title, which is mostly
    the text's own first heading, and, where they are many, alike in all that no move changes.
    """
    titled: defaultdict[str, set[_Whose]] = defaultdict(set)
    alike: defaultdict[Metadata, set[_Whose]] = defaultdict(set)
    for gone in removed:
        whose = gone.tenant, gone.source, gone.metadata
        titled[gone.metadata.title].add(whose)
        alike[_lasting(gone.metadata)].add(whose)
    there: defaultdict[str, list[str]] = defaultdict(list)
    for one in added:
        ways = titled[one.metadata.title]
        if len(ways) > MOST_WAYS:
            ways = alike[_lasting(one.metadata)]
        for tenant, source, metadata in ways:
            there[hash_of(replace(one, metadata=metadata), tenant, source)].append(one.id)
    lost, found = [], set[str]()
    for gone in removed:
        ids = there[gone.hash]
        while ids and ids[-1] in found:
            ids.pop()
        if ids:
            found.add(ids.pop())
        else:
            lost.append(gone)
    return lost


def _lasting(metadata: Metadata) -> Metadata:
    """Return metadata without what a page's folder or source may say in its place."""
    return replace(metadata, type="", visibility=())


def _place(one: Document | IndexedDocument) -> tuple[str, str]:
    return one.source, one.path


def _ordered(documents: Iterable[_Kind]) -> tuple[_Kind, ...]:
    return tuple(sorted(documents, key=lambda one: (one.source, one.path)))
