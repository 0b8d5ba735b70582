"""What a commit holds: its files by path, and where its symbolic links lead. Pure."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath

from core.reports import FailedFile

SUBMODULE = "(submodule)"
_LINK, _SUBMODULE = "120000", "160000"
_MOST_LINKS = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit: git's mode and object, and its size in bytes."""

    mode: str
    object: str
    size: int

    @property
    def is_link(self) -> bool:
        """Return whether it is a symbolic link, its target the content."""
        return self.mode == _LINK

    @property
    def is_submodule(self) -> bool:
        """Return whether it is another repository's commit, of which nothing is here."""
        return self.mode == _SUBMODULE


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a commit; the commit itself has an empty path."""

    path: str


class TreeBroken(Exception):
    """The repository lacks an object of the commit."""


def entries_in(listed: bytes) -> Iterator[tuple[bytes, Entry]]:
    """Yield the files that `git ls-tree -r -l -z` lists, by the bytes of their paths.

    Raises:
        TreeBroken: git does not know an object's size, so it is not there.
    """
    for line in filter(None, listed.split(b"\0")):
        head, _, path = line.partition(b"\t")
        mode, kind, object_, size = head.decode("ascii").split()
        if kind == "blob" and not size.isdecimal():
            raise TreeBroken(object_)
        yield path, Entry(mode, object_, int(size) if size.isdecimal() else 0)


def named(raw: bytes) -> str | FailedFile:
    """Return a path as text, or why it cannot be one of a document's."""
    try:
        path = raw.decode("utf-8")
    except UnicodeDecodeError:
        return FailedFile(raw.decode("utf-8", "replace"), "its name is not valid UTF-8")
    if path.startswith("/") or {"", ".", ".."} & set(path.split("/")):
        return FailedFile(path, "its path leads out of the source")
    return path


def followed(
    path: str, files: Sequence[str], targets: Mapping[str, str]
) -> str | Folder | FailedFile:
    """Return the file or folder that a symbolic link leads to, or why it is refused.

    `files` are all paths of the commit in their order, `targets` has what each link says.
    """
    place, links = path, 0
    while (link := _first_link(place, targets)) is not None:
        links += 1
        if links > _MOST_LINKS:
            return FailedFile(path, "it is a symbolic link that leads nowhere")
        above = PurePosixPath(link).parent
        whole = _resolved(above, targets[link], place[len(link) :].lstrip("/"))
        if whole is None:
            return FailedFile(path, "it is a symbolic link that leads out of the source")
        place = whole
    at = bisect_left(files, place)
    if files[at : at + 1] == [place]:
        return place
    if not place or next(files_in(place, files), None) is not None:
        return Folder(place)
    return FailedFile(path, "it is a symbolic link that leads nowhere")


def files_in(folder: str, files: Sequence[str]) -> Iterator[str]:
    """Yield the files below a folder, given all in the order of their paths."""
    start = f"{folder}/" if folder else ""
    first = bisect_left(files, start)
    rest = (files[at] for at in range(first, len(files)))
    return takewhile(lambda path: path.startswith(start), rest)


def _first_link(path: str, targets: Mapping[str, str]) -> str | None:
    """Return the shortest beginning of a path that is a symbolic link."""
    parts = path.split("/")
    starts = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((start for start in starts if start in targets), None)


def _resolved(above: PurePosixPath, target: str, rest: str) -> str | None:
    """Return where a link's target leads within the commit, None for out of it."""
    if target.startswith("/"):
        return None
    found: list[str] = list(above.parts)
    for part in (*target.split("/"), *rest.split("/")):
        if part == "..":
            if not found:
                return None
            found.pop()
        elif part not in {"", "."}:
            found.append(part)
    return "/".join(found)
