"""Patterns of paths, as in `docs/**/*.md`. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

_PIECE = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^\]/]+\]|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Globs:
    """Which paths of a source are its own: those included, all if none are, but none excluded.

    `*` and `?` stand for characters of one name, `**` for any folders, `[…]` for one of some
    characters. A pattern that names a folder means all below it.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def wants(self, path: str) -> bool:
        """Return whether a file is the source's own."""
        return (not self.include or _any(self.include, path)) and not _any(self.exclude, path)

    def shuts_out(self, folder: str) -> bool:
        """Return whether all below a folder is excluded, so that nobody need look there."""
        return _any(self.exclude, folder)


def _any(patterns: Iterable[str], path: str) -> bool:
    place = PurePosixPath(path)
    above = [parent.as_posix() for parent in place.parents if parent.name]
    return any(
        compiled.fullmatch(one)
        for compiled in map(_compiled, patterns)
        for one in (place.as_posix(), *above)
    )


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    pieces = _PIECE.findall(pattern.removeprefix("./").rstrip("/"))
    return re.compile("".join(map(_regex, pieces)), re.DOTALL)


def _regex(piece: str) -> str:
    match piece:
        case "**/":
            return "(?:[^/]+/)*"
        case "/**":
            return "/.+"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
    if len(piece) > 1:
        inside = re.sub(r"([\\\[&|~^])", r"\\\1", piece[1:-1].removeprefix("!"))
        found = f"[^/{inside}]" if piece[1] == "!" else f"[{inside}]"
        return found if _compiles(found) else re.escape(piece)
    return re.escape(piece)


def _compiles(regex: str) -> bool:
    """Return whether this is a regular expression; `[z-a]` is none."""
    try:
        re.compile(regex)
    except re.error:
        return False
    return True
