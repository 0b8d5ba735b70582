"""Patterns of paths, as in `docs/**/*.{md,mdx}`. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from corpus.glob_match import Matcher, bare, pieces_of


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
        matched: set[int] = set()
        for path in files:
            matched |= _matcher(self.include).covering(path)
        return tuple(
            pattern for number, pattern in enumerate(self.include) if number not in matched
        )


def is_hidden(path: str) -> bool:
    """Return whether a path has a name that begins with a dot."""
    return path != "." and any(name.startswith(".") for name in path.split("/"))


def _any(patterns: tuple[str, ...], path: str) -> bool:
    return bool(patterns) and _matcher(patterns).covers(path or ".")


def _reaches(pattern: str, folder: str) -> bool:
    """Return whether a pattern may mean something below a folder, name by name."""
    names = bare(pattern).split("/")
    for wanted, given in zip(names, PurePosixPath(folder).parts, strict=False):
        if "**" in wanted or _is_open(wanted):
            return True
        if not _matcher((wanted,)).matches(given):
            return False
    return True


def _is_open(name: str) -> bool:
    """Return whether braces go on after a name, so that they hold a slash."""
    depth = 0
    for piece in pieces_of(name):
        depth = max(0, depth + (piece == "{") - (piece == "}"))
    return depth > 0


@lru_cache(maxsize=512)
def _matcher(patterns: tuple[str, ...]) -> Matcher:
    return Matcher(patterns)
