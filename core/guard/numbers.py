"""Whether the numbers of a sentence stand together in the places that the sentence is about. Pure.

The sentence without its numbers is laid over its sections: each figure gets the slot whose place
and neighbours are most alike, figures that follow each other rather in one place and in their
order. The numbers must then be those that stand there. Since the laying knows no number, of all
sentences that differ in numbers alone at most one passes.
"""

from collections.abc import Sequence
from typing import NamedTuple

from core.guard.claims import DIMENSION
from core.guard.figures import Figure, figures_of
from core.guard.places import Places, Slot
from core.guard.spoken import Spoken
from core.guard.words import PLAIN, Token

_PLACES = 6
"""Places, the most alike first, whose figures are looked at."""
_SLOTS = 5
"""Figures of them that may be what one of the answer is."""
_EQUAL = 1e-6
_CLAUSE = 0.5
_NEAR, _BESIDE, _NEXT, _NAMED, _UNIT, _OTHER_UNIT = 1.0, 0.8, 0.3, 1.0, 1.5, 2.0
_TOGETHER, _IN_ORDER, _TWICE = 0.6, 0.5, 4.0


class _Candidate(NamedTuple):
    source: int
    slot: Slot
    score: float


def wrong_number(spoken: Spoken) -> str:
    """Return the first figure of a sentence that its place does not bear out; empty without any."""
    told = [one for one in spoken.row if one.value and _is_told(one, spoken.sources)]
    if not told:
        return ""
    if spoken.is_quoted_but_for_numbers():
        return "" if spoken.is_quoted() else told[0].value
    if not _says_something(spoken.row) and all(one.kind != PLAIN for one in told):
        return ""
    kinds = {one.kind for one in told}
    figures = [one for one in figures_of(spoken.row) if one.kind in kinds]
    found = [_candidates(one, spoken) for one in figures]
    for figure, chosen in zip(figures, _laid(found), strict=True):
        if not (_bears_out(figure, chosen, spoken) or _may_be_any(figure, spoken)):
            return "" if spoken.is_quoted() else f"{figure.value} {figure.unit}".strip()
    return ""


def _says_something(row: Sequence[Token]) -> bool:
    """Return whether a sentence has words beside its names: `it is X` has none."""
    return bool([token for token in row if token.keys and not token.value])


def _is_told(token: Token, sources: Sequence[Places]) -> bool:
    """Return whether a figure has to be judged here: not a name, time or version without rivals."""
    kind = token.kind
    if kind == PLAIN:
        return True
    values = frozenset[str]().union(*[one.values.get(kind, ()) for one in sources])
    if any(map(str.isalpha, kind)):
        return len(values) > 1
    return values != {token.value}


def _may_be_any(figure: Figure, spoken: Spoken) -> bool:
    """Return whether code stands in one of several places that no word of a sentence tells apart.

    Letter for letter it stands in the section anyhow: `query it with A` of a list of queries.
    """
    if not figure.kind.startswith("`"):
        return False
    found = _candidates(figure, spoken, places=None)
    return any(
        one.slot.figure.value == figure.value and one.score > found[0].score - _EQUAL
        for one in found
    )


def _candidates(figure: Figure, spoken: Spoken, places: int | None = _PLACES) -> list[_Candidate]:
    """Return what a figure may be, the most alike first; all of it if `places` is None."""
    alike = [
        (-shares[number], source, number)
        for source, (one, shares) in enumerate(zip(spoken.sources, spoken.shares, strict=True))
        for number in one.slots.get(figure.kind, ())
        if shares[number]
    ]
    best: list[tuple[float, int, int]] = []
    for score, source, number in sorted(alike)[: places and 2 * places]:
        one = spoken.sources[source]
        near = one.shared(figure.near & one.all[number].keys)
        best.append((score - _CLAUSE * near, source, number))
    best = sorted(best)[:places]
    sources = spoken.sources
    found = [
        _Candidate(source, slot, -score + _fit(figure, slot.figure, sources[source]))
        for score, source, number in best
        for slot in sources[source].slots[figure.kind][number]
    ]
    found.sort(key=_by_score)
    return found[: places and _SLOTS]


def _by_score(one: _Candidate) -> float:
    return -one.score


def _fit(figure: Figure, other: Figure, source: Places) -> float:
    """Return how like the surroundings of two figures are, whatever their values."""
    near = figure.near & other.near
    score = _NEAR * source.shared(near) if near else 0.0
    if figure.names and figure.names & other.names:
        score += _NAMED
    if figure.before and figure.before == other.before:
        score += _BESIDE
    if figure.after and figure.after == other.after:
        score += _BESIDE
    score += _NEXT * ((figure.left == other.left) + (figure.right == other.right))
    unit, told = figure.unit, other.unit
    if DIMENSION.get(unit, unit) == DIMENSION.get(told, told):
        score += _UNIT if unit else 0.0
    else:
        score -= _OTHER_UNIT
    return score


def _laid(found: Sequence[Sequence[_Candidate]]) -> list[_Candidate | None]:
    """Return the candidate for each figure such that all together fit best."""
    if len(found) == 1:
        return [found[0][0] if found[0] else None]
    ends: list[tuple[float, list[_Candidate | None]]] = [(0.0, [])]
    for candidates in found:
        if not candidates:
            ends = [(score, [*path, None]) for score, path in ends]
            continue
        ends = [
            max(
                [(score + one.score + _step(path, one), [*path, one]) for score, path in ends],
                key=lambda end: end[0],
            )
            for one in candidates
        ]
    return max(ends, key=lambda end: end[0])[1]


def _step(path: Sequence[_Candidate | None], one: _Candidate) -> float:
    last = path[-1] if path else None
    if last is None or last.source != one.source or last.slot.place != one.slot.place:
        return 0.0
    if (
        last.slot.figure.at == one.slot.figure.at
        and last.slot.figure.value == one.slot.figure.value
    ):
        return -_TWICE
    return _TOGETHER + (_IN_ORDER if last.slot.figure.at < one.slot.figure.at else 0.0)


def _bears_out(figure: Figure, chosen: _Candidate | None, spoken: Spoken) -> bool:
    if chosen is None:
        return False
    other = chosen.slot.figure
    keys = spoken.keys
    place = spoken.sources[chosen.source].all[chosen.slot.place]
    if figure.value != other.value:
        return False
    if figure.unit != other.unit and (other.unit or not _names_unit(figure.unit, place.over)):
        return False
    least = min(2, (len(keys) + 1) // 2 if len(keys) < 2 else len(keys) // 2)
    return len(keys & (place.keys | place.over)) >= least


def _names_unit(unit: str, keys: frozenset[str]) -> bool:
    return unit == "%" and "percent" in keys
