"""What differs between the sources and the index. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import BuildRefused
from core.models import Document
from core.points import IndexedDocument

MOST_REMOVED = 0.3
"""The share of a source's documents that one run may remove without being forced."""
ENOUGH_TO_ASK = 10
"""Fewer removed documents than this are never too many."""

_Kind = TypeVar("_Kind", bound=Document | IndexedDocument)


@dataclass(frozen=True, slots=True)
class Changes:
    """Documents by what happens to them."""

    added: tuple[Document, ...]
    changed: tuple[Document, ...]
    unchanged: tuple[Document | IndexedDocument, ...]
    removed: tuple[IndexedDocument, ...]

    @property
    def none(self) -> bool:
        """Return whether the index has what the sources have."""
        return not (self.added or self.changed or self.removed)


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
    gone = [
        one
        for id_, one in indexed.items()
        if id_ not in documents and id_ not in same and one.source not in kept
    ]
    both = [one for id_, one in documents.items() if id_ in indexed]
    alike = [one for one in both if one.hash == indexed[one.id].hash]
    return Changes(
        added=_ordered(one for id_, one in documents.items() if id_ not in indexed),
        changed=_ordered(one for one in both if one.hash != indexed[one.id].hash),
        unchanged=_ordered([*alike, *(indexed[id_] for id_ in same)]),
        removed=tuple(sorted(gone, key=lambda one: (one.source, one.path))) if prune else (),
    )


def check_removals(
    removed: Sequence[IndexedDocument],
    indexed: Mapping[str, IndexedDocument],
    configured: Iterable[str],
) -> None:
    """Check that no source that is still configured loses much: an empty mount looks like that.

    Raises:
        BuildRefused: one would lose more than 30 % of its documents, and at least ten.
    """
    before = Counter(one.source for one in indexed.values())
    losing = Counter(one.source for one in removed)
    for source in configured:
        if losing[source] >= ENOUGH_TO_ASK and losing[source] > MOST_REMOVED * before[source]:
            raise BuildRefused(
                f"{losing[source]} of the {before[source]} documents of the source {source} are "
                "gone or cannot be read, so nothing was changed: bring them back, or run "
                "nightlamp index --force to remove them."
            )


def _ordered(documents: Iterable[_Kind]) -> tuple[_Kind, ...]:
    return tuple(sorted(documents, key=lambda one: (one.source, one.path)))
