"""Cards whose texts command nothing and mislead nobody, wherever they came from. Pure."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from bots.card import Card
from bots.harmless import harmless, on_one_line

_LINES = frozenset({"label", "detail", "place", "near", "meta"})
"""The fields that stand on one line each, whatever holds them: names of files come into these."""


def harmless_card(card: Card) -> Card:
    """Return a card with every text in it made harmless, for a terminal."""
    shown: Card = _harmless(card, harmless)
    return shown


def harmless_around(card: Card) -> Card:
    """Return a card with every text but a runbook's own made harmless, for a chat.

    That own text is pasted into shells, and so not a character of it is changed.
    """
    own = [part.text for part in card.parts]
    shown = harmless_card(card)
    parts = (replace(part, text=text) for part, text in zip(shown.parts, own, strict=True))
    return replace(shown, parts=tuple(parts))


def _harmless(value: Any, shown: Callable[[str], str]) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return shown(value)
    if isinstance(value, tuple):
        return tuple(_harmless(one, shown) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        cleaned = {
            one.name: _harmless(
                getattr(value, one.name), on_one_line if one.name in _LINES else harmless
            )
            for one in fields(value)
        }
        return replace(value, **cleaned)
    return value
