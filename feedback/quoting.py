"""Who may read what somebody asked: text inherits the visibility of the place it came from. Pure.

A place sees `everyone` and perhaps more labels. Words from a place that sees more than everyone
belong to those who see as much: a reader must hold every label of that place. What was asked in
private is counted, and never shown to anyone.
"""

from collections.abc import Collection, Iterable, Mapping

from core.exchanges import Exchange, ShownHit
from core.models import EVERYONE
from core.points import IndexedDocument
from feedback.models import SectionRef


def quotable(exchange: Exchange, visibility: Collection[str]) -> bool:
    """Return whether readers who see these labels may read an exchange's words."""
    place = exchange.question.scope.visibility
    if exchange.question.where.private or not place:
        return False
    return set(place) - {EVERYONE} <= set(visibility)


def quotable_on_page(exchange: Exchange, labels: Collection[str]) -> bool:
    """Return whether everybody may read an exchange's words who sees a page with these labels."""
    return bool(labels) and all(quotable(exchange, (label,)) for label in labels)


def visible(labels: Iterable[str], visibility: Collection[str]) -> bool:
    """Return whether readers who see these labels may see a document that has those."""
    return not set(visibility).isdisjoint(labels)


def seen_now(
    section: ShownHit | SectionRef,
    visibility: Collection[str],
    documents: Mapping[str, IndexedDocument],
) -> bool:
    """Return whether readers may be told of a section that the journal names.

    Its document must be in the index, and visible to them now as it was when it was shown: its
    name is of then, and it may have been made narrower, or been withheld, since.
    """
    document = documents.get(section.document_id)
    return (
        document is not None
        and visible(section.visibility, visibility)
        and visible(document.metadata.visibility, visibility)
    )
