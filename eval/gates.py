"""What a run can be held to, as it is typed: `mrr10=0.8`. Pure."""

from collections.abc import Mapping, Sequence

from core.errors import UsageError
from eval.summary import MORE_IS_BETTER, Summary


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


def gates_from(typed: Sequence[str]) -> dict[str, float]:
    """Read the least value that each named figure must have.

    Raises:
        UsageError: no such figure, one of which less is better, or no number.
    """
    return {name: _least(name, value) for name, value in pairs_from(typed, "--fail-under").items()}


def broken_gates(gates: Mapping[str, float], summary: Summary) -> list[str]:
    """Return a sentence for each figure that is below its gate or could not be measured."""
    values = summary.values()
    broken = []
    for name, least in gates.items():
        if name not in values:
            broken.append(f"{name} could not be measured: no question of the set is of its kind.")
        elif values[name] < least:
            broken.append(f"{name} is {values[name]:.4f}, below {least:g}.")
    return broken


def _least(name: str, value: str) -> float:
    if name not in MORE_IS_BETTER:
        raise UsageError(
            f"--fail-under knows no figure {name}; it knows {', '.join(MORE_IS_BETTER)}."
        )
    try:
        least = float(value)
    except ValueError:
        raise UsageError(f"--fail-under {name} wants a number, not {value!r}.") from None
    if not 0 <= least <= 1:
        raise UsageError(f"--fail-under {name} wants a number from 0 to 1, not {value}.")
    return least
