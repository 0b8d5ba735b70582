"""When a document is withheld for what its frontmatter says, or means to say, of who may see it."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import DocumentError
from corpus.frontmatter_access import (
    VISIBILITY,
    Mention,
    Place,
    access_key,
    key_of,
    mentions,
    plain,
)

_REMEDY = "frontmatter begins on the first line and stands between two lines of ---"


def visibility_line(parsed: Mapping[Any, Any], inside: str, above: int) -> int | None:
    """Return the line in the file that names who may see it, or None if none does.

    Raises:
        DocumentError: it is named twice, not as a key of the block itself, or by a slip.
    """
    lines = plain(inside).split("\n")
    sure = _named(lines, Place.LINE)
    keys = [key for key in parsed if access_key(key_of(key)) == VISIBILITY]
    if not sure and not keys and not _holds(parsed):
        return None
    loose = _named(lines, Place.LOOSE)
    line = above + 1 + next((one.line for one in sure or loose), 0)
    if len(keys) > 1 or (keys and len(sure) > 1):
        raise _twice(sure or loose, above)
    if not keys:
        raise DocumentError(
            "its frontmatter names visibility, but not as a key of its own at the top level, "
            "so it is withheld",
            line,
        )
    if key_of(keys[0]) != VISIBILITY:
        raise DocumentError(
            f"its frontmatter names {str(keys[0])!r}, which may mean visibility, so it is withheld",
            line,
        )
    return line


def named_twice(inside: str, above: int) -> DocumentError:
    """Return the error of a block of which a parser says that it names `visibility` twice."""
    return _twice(_named(plain(inside).split("\n"), Place.LOOSE), above)


def _twice(found: Sequence[Mention], above: int) -> DocumentError:
    line = above + 1 + (found[:2][-1].line if found else 0)
    return DocumentError("its frontmatter names visibility twice, so it is withheld", line)


def _named(lines: Sequence[str], up_to: Place) -> list[Mention]:
    return [one for one in mentions(lines, up_to) if one.key == VISIBILITY]


def _holds(parsed: object) -> bool:
    """Tell whether anything in a value names `visibility`; aliases may make it a graph."""
    seen: set[int] = set()
    left = [parsed]
    while left:
        value = left.pop()
        if not isinstance(value, dict | list | tuple | set) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict | set) and any(key_of(key) == VISIBILITY for key in value):
            return True
        left.extend(value.values() if isinstance(value, dict) else value)
    return False


def refuse_unread(named: Mention | None, warning: str) -> None:
    """Withhold a document whose author said who may see it, in a way that cannot be read."""
    if named is not None:
        why = warning.removesuffix(", ignored") or _REMEDY
        raise DocumentError(
            f"its frontmatter names {named.key} but cannot be read ({why}), so it is withheld",
            named.line + 1,
        )
