"""Scope typed into a question: `service:payments`, `type:postmortem`. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.models import Scope
from core.points import IndexedDocument

TYPED = re.compile(r"(?<!\S)(service|type):([\w.-]*\w)[.,?!]*(?!\S)", re.IGNORECASE)
"""What may narrow a question, with the marks that a sentence puts after it: kind and name."""


def names_a_scope(text: str) -> bool:
    """Return whether a text has anything that might narrow it: if not, no value need be known."""
    return TYPED.search(text) is not None


def typed_scope(
    text: str, scope: Scope, *, services: Iterable[str], types: Iterable[str]
) -> tuple[str, Scope]:
    """Return the question without what narrows it, and the narrowed scope.

    Only values that some document has narrow; anything else (`service:nginx` in a pasted log) stays
    part of the question. A typed value never widens what the channel is narrowed to.
    """
    known = {
        "service": {value.casefold(): value for value in services if value},
        "type": {value.casefold(): value for value in types if value},
    }
    picked: dict[str, list[str]] = {"service": [], "type": []}

    def take(match: re.Match[str]) -> str:
        kind, value = match[1].lower(), known[match[1].lower()].get(match[2].casefold())
        if value is None:
            return match[0]
        picked[kind].append(value)
        return ""

    rest = TYPED.sub(take, text)
    if not any(picked.values()):
        return text, scope
    narrowed = replace(
        scope,
        service=_within(picked["service"], scope.service),
        type=_within(picked["type"], scope.type),
    )
    return " ".join(rest.split()), narrowed


def _within(typed: list[str], allowed: tuple[str, ...]) -> tuple[str, ...]:
    if not typed:
        return allowed
    return tuple(value for value in typed if not allowed or value in allowed) or allowed


def services(documents: Sequence[IndexedDocument]) -> list[str]:
    """Return the services that documents name, in order, each once."""
    return sorted({document.metadata.service for document in documents} - {""})
