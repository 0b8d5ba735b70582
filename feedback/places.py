"""From what somebody pasted to the section that it names: an id, a link, or `path#anchor`."""

from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from core.errors import NotFound
from core.models import Scope, Section
from core.points import Filter, IndexedDocument
from core.ports import SearchableIndex

_UNKNOWN = "No runbook that can be seen here has this section: paste its link, or path#anchor."


async def section_named(index: SearchableIndex, tenant: str, scope: Scope, text: str) -> Section:
    """Return the section that a text names, among those that a scope sees.

    Without an anchor it is the page's first.

    Raises:
        NotFound: there is none, or there are several; one sentence that says what to do.
        IndexUnavailable: the index cannot be reached.
    """
    typed = text.strip().strip("<>").partition("|")[0]
    if found := (await index.sections([typed])).get(typed):
        if found.tenant == tenant and set(found.metadata.visibility) & set(scope.visibility):
            return found
        raise NotFound(_UNKNOWN)
    address, _, anchor = typed.partition("#")
    documents = await index.documents(Filter(tenant, scope.visibility))
    named = _named(_path(address), list(documents.values()))
    if not named:
        raise NotFound(_UNKNOWN)
    if len(named) > 1:
        places = " or ".join(sorted(f"{one.source}/{one.path}" for one in named)[:3])
        raise NotFound(f"Several runbooks have this path: write {places}.")
    sections = await index.page(named[0].id)
    wanted = unquote(anchor)
    for section in sections:
        if section.anchor == wanted or not wanted:
            return section
    raise NotFound(f"{named[0].path} has no heading with the anchor {wanted}: copy its link again.")


def _path(address: str) -> str:
    """Return the path of a link, or of what is a path already, with a slash before it.

    What only looks like a link has none.
    """
    if "://" in address:
        try:
            address = urlsplit(address).path
        except ValueError:  # a bracket in its host, say
            address = ""
    return f"/{unquote(address).strip('/')}"


def _named(path: str, documents: Sequence[IndexedDocument]) -> list[IndexedDocument]:
    """Return the documents with the longest path that ends this one, else those that it ends."""
    ending = [one for one in documents if path.endswith(f"/{one.path}")]
    exact = [one for one in ending if path.endswith(f"/{one.source}/{one.path}")]
    if ending:
        found = exact or ending
        longest = max(len(one.path) for one in found)
        return [one for one in found if len(one.path) == longest]
    return [one for one in documents if path != "/" and f"/{one.path}".endswith(path)]
