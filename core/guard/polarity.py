"""Whether a sentence says the opposite of the place that it is about. Pure."""

from core.guard.order import MARKS, Order, orders_in
from core.guard.places import Place
from core.guard.spoken import Spoken
from core.guard.stand import Stand, leaning, stand_of, whole

_ENOUGH = 0.6
"""Share of a sentence's words that a place must have to be what the sentence is about."""
_AS_GOOD = 0.9
"""Share of the best place's likeness from which another place counts as well."""


def turned_round(spoken: Spoken) -> str:
    """Return what a sentence turns round of the place that it is about; empty without anything."""
    denies, scales = leaning(spoken.row)
    if not denies and not [
        one
        for one in spoken.sources
        if not (one.denied.isdisjoint(spoken.keys) and one.scales.isdisjoint(scales))
    ]:
        return ""
    place, likeness = about(spoken)
    if place is None or not (
        denies
        or not place.stand.denied.isdisjoint(spoken.keys)
        or [one for one in place.stand.leans if one.scale in scales]
    ):
        return ""
    stand = stand_of(spoken.row)
    turned = _turned(stand, place)
    if not turned or spoken.is_quoted():
        return ""
    if turned in stand.denied and _denied_elsewhere(spoken, stand):
        return ""
    others = _as_good(spoken, likeness * _AS_GOOD)
    return turned if all(_turned(stand, other) for other in others) else ""


def about(spoken: Spoken) -> tuple[Place | None, float]:
    """Return the place that shares most with a sentence, and how much; None if it is too little."""
    best, place = 0.0, None
    for one, alike in zip(spoken.sources, spoken.shares, strict=True):
        told = alike[: one.told]
        if (most := max(told)) > best:
            best, place = most, one.all[told.index(most)]
    if place is None:
        return None, 0.0
    told_keys = [(whole(one),) if one.code else one.keys for one in spoken.row if one.keys]
    shared = len(told_keys) - sum(map(place.keys.isdisjoint, told_keys))
    return (place if shared >= max(2, _ENOUGH * len(told_keys)) else None), best


def _denied_elsewhere(spoken: Spoken, stand: Stand) -> bool:
    """Return whether some place denies most of what a sentence denies: `never do X: Y happens`."""
    least = max(2, _ENOUGH * len(stand.denied))
    return any(
        len(stand.denied & place.stand.denied) >= least
        for one in spoken.sources
        for place in one.all
    )


def _as_good(spoken: Spoken, least: float) -> list[Place]:
    return [
        one.all[number]
        for one, alike in zip(spoken.sources, spoken.shares, strict=True)
        for number, score in enumerate(alike[: one.told])
        if score >= least
    ]


def _turned(stand: Stand, place: Place) -> str:
    other = place.stand
    taken, given = stand.denied & other.affirmed, stand.affirmed & other.denied
    if not taken and len(given) == 1 and _is_object_alone(min(given), other):
        given = frozenset()
    if stand.denied and other.denied:
        if taken and given and not stand.denied & other.denied:
            return min(taken)
    elif taken or given:
        return min(taken | given)
    for lean in stand.leans:
        same = [one for one in other.leans if one.scale == lean.scale and one.near & lean.near]
        both = any(one.scale == lean.scale and one.side != lean.side for one in stand.leans)
        if same and not both and all(one.side != lean.side for one in same):
            return f"scale {lean.scale}"
    return ""


def _is_object_alone(word: str, place: Stand) -> bool:
    """Return whether a word is what a place forbids to do something to, and not the deed."""
    return bool(place.forbidden) and word not in place.forbidden and word[0] != "`"


def order_turned(spoken: Spoken) -> str:
    """Return what a sentence puts before what its sections put it after; empty without any."""
    if MARKS.isdisjoint(spoken.words):
        return ""
    told = [one for one in orders_in(spoken.row) if one.first and one.second]
    if not told or spoken.is_quoted():
        return ""
    said = [
        order
        for one, alike in zip(spoken.sources, spoken.shares, strict=True)
        for number in one.ordered
        if alike[number] and len(spoken.keys & one.all[number].keys) > 1
        for order in one.all[number].orders
    ]
    said += [order for one in spoken.sources for order in one.sequence]
    for order in told:
        likes = [_likeness(order, one) for one in said]
        if min(likes, default=0) < 0 < -min(likes) - max(likes):
            return f"{' '.join(sorted(order.first))} before {' '.join(sorted(order.second))}"
    return ""


def _likeness(order: Order, other: Order) -> int:
    """Return how many words two orders share, negative where they share them crosswise."""
    if order.first.isdisjoint(other.first) and order.first.isdisjoint(other.second):
        return 0
    straight = len(order.first & other.first), len(order.second & other.second)
    across = len(order.first & other.second), len(order.second & other.first)
    if min(across) and sum(across) > sum(straight):
        return -sum(across)
    return sum(straight) if min(straight) else 0
