"""Who may read what somebody asked: text inherits the visibility of the place it came from. Pure.

A place sees `everyone` and perhaps more labels. Words from a place that sees more than everyone
belong to those who see as much: a reader must hold every label of that place. What was asked in
private is counted, and never shown to anyone.
"""

from collections.abc import Collection, Iterable

from core.exchanges import Exchange
from core.models import EVERYONE


def quotable(exchange: Exchange, visibility: Collection[str]) -> bool:
    """Return whether readers who see these labels may read an exchange's words."""
    place = exchange.question.scope.visibility
    if exchange.question.where.private or not place:
        return False
    return set(place) - {EVERYONE} <= set(visibility)


def visible(labels: Iterable[str], visibility: Collection[str]) -> bool:
    """Return whether readers who see these labels may see a document that has those."""
    return not set(visibility).isdisjoint(labels)
