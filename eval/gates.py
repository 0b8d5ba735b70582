"""What a run can be held to, as it is typed: `mrr10=0.8` at least, `refused=0.05` at most. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from core.errors import UsageError
from eval.summary import IN_CHARACTERS, LESS_IS_BETTER, MORE_IS_BETTER, Summary

UNDER, OVER = "--fail-under", "--fail-over"


@dataclass(frozen=True, slots=True)
class Gates:
    """The least that some figures must be, and the most that others may be."""

    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)


def pairs_from(typed: Sequence[str], option: str) -> dict[str, str]:
    """Read `name=value` as often as it was typed; of one name the last counts.

    Raises:
        UsageError: there is no equals sign, or no name before it.
    """
    pairs = {}
    for text in typed:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} wants name=value, not {text!r}.")
        pairs[name.strip()] = value.strip()
    return pairs


def gates_from(under: Sequence[str], over: Sequence[str] = ()) -> Gates:
    """Read what figures must be at least, and at most.

    Raises:
        UsageError: no such figure, one that is better the other way, or no number.
    """
    least = {
        name: _number(name, value, UNDER, MORE_IS_BETTER)
        for name, value in pairs_from(under, UNDER).items()
    }
    most = {
        name: _number(name, value, OVER, LESS_IS_BETTER)
        for name, value in pairs_from(over, OVER).items()
    }
    return Gates(least, most)


def broken_gates(gates: Gates, summary: Summary) -> list[str]:
    """Return a sentence for each figure that is past its gate or could not be measured."""
    values = summary.values()
    broken = [
        f"{name} could not be measured: no question of its kind got an outcome."
        for name in (*gates.least, *gates.most)
        if name not in values
    ]
    for name, least in gates.least.items():
        if values.get(name, least) < least:
            broken.append(f"{name} is {values[name]:.4f}, below {least:g}.")
    for name, most in gates.most.items():
        if values.get(name, most) > most:
            broken.append(f"{name} is {values[name]:.4f}, above {most:g}.")
    return broken


def _number(name: str, value: str, option: str, known: Sequence[str]) -> float:
    if name not in known:
        raise UsageError(f"{option} knows no figure {name}; it knows {', '.join(known)}.")
    try:
        number = float(value)
    except ValueError:
        raise UsageError(f"{option} {name} wants a number, not {value!r}.") from None
    if name in IN_CHARACTERS:
        if not (isfinite(number) and number >= 0):
            raise UsageError(f"{option} {name} wants a number of characters, not {value}.")
    elif not 0 <= number <= 1:
        raise UsageError(f"{option} {name} wants a number from 0 to 1, not {value}.")
    return number
