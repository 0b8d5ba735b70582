"""What a question is narrowed to, and names among it that no document has."""

import re
from collections.abc import Mapping, Set
from difflib import get_close_matches

from core.models import Question, Scope
from core.outcomes import UnknownName
from core.points import Filter
from core.ports import SearchableIndex
from core.scoping import TYPED, names_a_scope, typed_scope

_Known = Mapping[str, Set[str]]
"""What documents have: their services, their types, and the ids of these documents."""
_DIGITS = re.compile(r"\d+")
_ALIKE = 0.8
"""Similarity (difflib's, 0 to 1) from which a typed name is taken for a slip: paymets, payments."""
_NEAREST = 5
_LONGEST = 80
"""Characters of a name that are compared and shown."""


async def narrowed(question: Question, index: SearchableIndex) -> tuple[str, Scope] | UnknownName:
    """Take what is typed as scope out of the text; values of unseen documents are not known.

    A name that starts or ends the text and is nearly one that a document has is a slip; one that
    differs in a number (payments-v2, payments-v1) is another.
    """
    if not names_a_scope(question.text):
        return question.text, question.scope
    known = await _known(question, index)
    return _slip(question.text, known) or typed_scope(
        question.text, question.scope, services=known["service"], types=known["type"]
    )


async def unknown_name(
    question: Question, scope: Scope, index: SearchableIndex
) -> UnknownName | None:
    """Return what lets a scope find nothing: a service or type of which no document is.

    None where the question is narrowed to something that there is, or nothing is indexed for it.
    """
    if not (scope.service or scope.type):
        return None
    known = await _known(question, index)
    for kind, names in (("service", scope.service), ("type", scope.type)):
        if names and known[kind].isdisjoint(names):
            return _unknown(kind, names[0], known) if known["document"] else None
    return None


async def _known(question: Question, index: SearchableIndex) -> _Known:
    """Return the services and types of what can be seen where it was asked, and the documents."""
    seen = await index.documents(Filter(question.tenant, question.scope.visibility))
    return {
        "service": {one.metadata.service for one in seen.values()} - {""},
        "type": {one.metadata.type for one in seen.values()} - {""},
        "document": set(seen),
    }


def _slip(text: str, known: _Known) -> UnknownName | None:
    text = text.strip()
    for found in TYPED.finditer(text):
        kind, name = found[1].lower(), found[2].casefold()
        if found.start() and found.end() < len(text):
            continue
        there = {value.casefold() for value in known[kind]}
        alike = [one for one in there if _DIGITS.findall(one) == _DIGITS.findall(name)]
        if name not in there and get_close_matches(name[:_LONGEST], alike, 1, _ALIKE):
            return _unknown(kind, found[2], known)
    return None


def _unknown(kind: str, name: str, known: _Known) -> UnknownName:
    name = name[:_LONGEST]
    by_fold = {value.casefold(): value for value in sorted(known[kind])}
    nearest = get_close_matches(name.casefold(), list(by_fold), _NEAREST, 0.0)
    return UnknownName(kind, name, tuple(by_fold[one] for one in nearest))
