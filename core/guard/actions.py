"""The actions that an answer tells, and whether its sections bear them out. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from core.guard.lists import words
from core.guard.mentions import Mention
from core.guard.objects import contents, object_of, points, row_of
from core.guard.tokens import Deed, deeds, is_denied
from core.guard.verbs import MILD, SOFT
from core.guard.words import Token, parts, stem

_CONDITIONS = words(
    """only if when unless once after before while until except where whenever provided case
    otherwise with without as"""
)
ORDERS: Final = words("before after then first")
"""Words without which a sentence tells no order of deeds."""


class Action(NamedTuple):
    """An action as an answer tells it: `words` and `codes` are its object, head last."""

    deed: str
    words: tuple[str, ...]
    codes: tuple[str, ...]
    advice: bool
    denied: bool
    noun: bool
    gerund: bool
    direct: bool
    pronoun: bool
    conditional: bool
    commanded: bool


def actions_of(row: Sequence[Token], before: str = "") -> tuple[Action, ...]:
    """Return the actions of an answer's sentence; `before` is the sentence that `it` may mean."""
    named = tuple(deeds(row))
    if not named:
        return ()
    conditional = not _CONDITIONS.isdisjoint([token.word for token in row])
    commanded = bool([token for token in row if " " in token.code])
    told = [
        _action(row, deed, before, conditional=conditional, commanded=commanded) for deed in named
    ]
    return tuple(told)


def _action(
    row: Sequence[Token], deed: Deed, before: str, *, conditional: bool, commanded: bool
) -> Action:
    taken = contents(object_of(row, deed))
    direct = bool(taken) and not deed.passive
    if not direct and not points(row, deed):
        taken = contents((*row[: deed.at], *row[deed.end :]))
    elif not direct:
        taken = contents(row[: deed.at]) or taken
    stands_alone = bool(taken)
    if not stands_alone:
        taken = contents(row_of(before))
    return Action(
        deed.name,
        tuple([stem(one.word) for one in taken if not one.code]),
        tuple([one.code for one in taken if one.code]),
        advice=deed.advice,
        denied=deed.denied,
        noun=deed.noun,
        gerund=deed.gerund,
        direct=direct,
        pronoun=not stands_alone,
        conditional=conditional,
        commanded=commanded,
    )


def orders(rows: Iterable[Sequence[Token]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of deeds of which sentences say that the first is done before the second."""
    for row in rows:
        if ORDERS.isdisjoint([token.word for token in row]):
            continue
        named = [deed for deed in deeds(row) if not deed.noun]
        for one, other in pairwise(named):
            between = {token.word for token in row[one.end : other.at]}
            first = row[0].word if one is named[0] else ""
            if "after" in between or first == "before":
                yield other.name, one.name
            elif between & {"before", "then", "first"} or first == "after":
                yield one.name, other.name


def spans_denied(rows: Iterable[Sequence[Token]]) -> Iterator[tuple[str, bool]]:
    """Yield the code spans of sentences, each with whether its sentence forbids it."""
    for row in rows:
        for at, token in enumerate(row):
            if token.code:
                yield token.code, is_denied(row, at)


def judged(action: Action, mentions: Mapping[str, Sequence[Mention]]) -> str:
    """Return why the sections do not bear an action out: `action`, `negation`, `condition`, or ``.

    `mentions` are what the sections name, by deed. Advice needs a section that advises the same of
    the same object; one that only forbids it bears out nothing but the warning. What is told and
    not advised needs a section that names the deed at all.
    """
    if not action.advice and action.deed in MILD:
        return ""
    same = _of_deed(action.deed, mentions)
    allowed = _fitting(action, [one for one in same if not one.denied])
    forbidden = _touches(action, [one for one in same if one.denied])
    if action.deed in SOFT:
        return "negation" if forbidden and not (allowed or action.denied) else ""
    if not same:
        return "action"
    if not action.advice:
        return "negation" if action.noun and forbidden and not (allowed or action.denied) else ""
    if action.denied:
        forbidden = forbidden or (not action.direct and any(one.denied for one in same))
        return "" if forbidden or _quoted(action, allowed) else "negation" if allowed else "action"
    if not allowed:
        return "negation" if forbidden else "action"
    if forbidden and not (action.words or action.codes):
        return "negation"
    return _of_advice(action, allowed, forbidden=forbidden)


def _of_advice(action: Action, allowed: Sequence[Mention], *, forbidden: bool) -> str:
    if _quoted(action, allowed):
        return ""
    if not any(one.advice for one in allowed):
        if forbidden:
            return "negation"
        if not action.commanded and not any(one.gerund for one in allowed):
            return "action"
    return "condition" if not action.conditional and all(one.narrowed for one in allowed) else ""


def _of_deed(asked: str, mentions: Mapping[str, Sequence[Mention]]) -> Sequence[Mention]:
    """Return the mentions of a deed; `scale` goes with either direction, never both ways."""
    opposite = {"scale-up": "scale-down", "scale-down": "scale-up"}.get(asked, "")
    if opposite in mentions and asked not in mentions:
        return []
    if not opposite and asked != "scale":
        return mentions.get(asked, ())
    alike = {asked, "scale"} if opposite else {"scale", "scale-up", "scale-down"}
    return [one for name in sorted(alike) for one in mentions.get(name, ())]


def _quoted(action: Action, allowed: Sequence[Mention]) -> bool:
    """Return whether a section speaks of doing just that, in all these words: `stopping X …`."""
    return action.gerund and any(one.gerund and _is_all_of(action, one.objects) for one in allowed)


def _is_all_of(action: Action, objects: frozenset[str]) -> bool:
    return set(action.words) <= objects and all(one.casefold() in objects for one in action.codes)


def _touches(action: Action, denied: Sequence[Mention]) -> bool:
    """Return whether a forbidden deed is about this object at all: one word of it is enough."""
    if not denied or not (action.words or action.codes):
        return bool(denied)
    named = frozenset(action.words).union(*map(parts, action.codes))
    return any(not named.isdisjoint(one.objects) for one in denied)


def _fitting(action: Action, allowed: list[Mention]) -> list[Mention]:
    """Return the deeds that have this object: all its code, or one of its words.

    Of an object that is only pointed at (`it`) any word of what it may mean is enough.
    """
    if not allowed or not (action.words or action.codes):
        return [] if action.direct else allowed
    words = frozenset(action.words)
    if not action.codes:
        return [one for one in allowed if not words.isdisjoint(one.objects)]
    codes = frozenset([code.casefold() for code in action.codes])
    if action.direct:
        return [one for one in allowed if codes <= one.objects]
    named = codes | words
    return [one for one in allowed if not named.isdisjoint(one.objects)]
