"""Patterns of paths, as in `docs/**/*.{md,mdx}`. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

_PIECE = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^\]/]+\]|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Globs:
    """Which paths of a source are its own: those included, all if none are, but none excluded.

    `*` and `?` stand for characters of one name, `**` for any folders, `[…]` for one of some
    characters, `{…,…}` for one of some patterns. A pattern that names a folder means all below it.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def wants(self, path: str) -> bool:
        """Return whether a file is the source's own."""
        return (not self.include or _any(self.include, path)) and not _any(self.exclude, path)

    def shuts_out(self, folder: str) -> bool:
        """Return whether all below a folder is excluded, so that nobody need look there."""
        return _any(self.exclude, folder)

    def reaches(self, folder: str) -> bool:
        """Return whether something below a folder may be wanted, whatever lies there."""
        if self.shuts_out(folder):
            return False
        return not self.include or any(_reaches(pattern, folder) for pattern in self.include)

    def settles(self, path: str) -> bool:
        """Return whether a file is listed or excluded where it lies, whatever links lead to it."""
        return self.shuts_out(path) or (not is_hidden(path) and self.wants(path))

    def settles_all(self, folder: str) -> bool:
        """Return whether that is so of everything below a folder."""
        return self.shuts_out(folder) or not (self.include or is_hidden(folder))

    def unmatched(self, files: Sequence[str]) -> tuple[str, ...]:
        """Return the patterns that were to choose files, and choose none of these."""
        return tuple(
            pattern for pattern in self.include if not any(_any((pattern,), path) for path in files)
        )


def is_hidden(path: str) -> bool:
    """Return whether a path has a name that begins with a dot."""
    return path != "." and any(name.startswith(".") for name in path.split("/"))


def _any(patterns: Iterable[str], path: str) -> bool:
    place = PurePosixPath(path)
    above = [parent.as_posix() for parent in place.parents if parent.name]
    return any(
        compiled.fullmatch(one)
        for compiled in map(_compiled, patterns)
        for one in (place.as_posix(), *above)
    )


def _reaches(pattern: str, folder: str) -> bool:
    """Return whether a pattern may mean something below a folder, name by name."""
    names = _bare(pattern).split("/")
    for wanted, given in zip(names, PurePosixPath(folder).parts, strict=False):
        if "**" in wanted or _is_open(wanted):
            return True
        if not _compiled(wanted).fullmatch(given):
            return False
    return True


def _is_open(name: str) -> bool:
    """Return whether braces go on after a name, so that they hold a slash."""
    depth = 0
    for piece in _PIECE.findall(name):
        depth = max(0, depth + (piece == "{") - (piece == "}"))
    return depth > 0


def _bare(pattern: str) -> str:
    return pattern.removeprefix("./").rstrip("/")


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    pieces = _PIECE.findall(_bare(pattern))
    marks = _alternatives(pieces)
    found = (marks.get(at) or _regex(piece) for at, piece in enumerate(pieces))
    return re.compile("".join(found), re.DOTALL)


def _alternatives(pieces: Sequence[str]) -> dict[int, str]:
    """Return what braces and their commas mean in a regular expression, by where they stand.

    Braces without a comma are characters of a name, as they are in a shell.
    """
    marks: dict[int, str] = {}
    opened: list[list[int]] = []
    for at, piece in enumerate(pieces):
        if piece == "{":
            opened.append([at])
        elif piece == "," and opened:
            opened[-1].append(at)
        elif piece == "}" and opened:
            start, *commas = opened.pop()
            if commas:
                marks |= {start: "(?:", at: ")"} | dict.fromkeys(commas, "|")
    return marks


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
