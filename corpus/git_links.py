"""What the symbolic links of a commit add to its files, as they would on a disk. Pure.

A link to a file stands for it. A link to a folder stands for the files below it that are listed
nowhere else: hidden where they lie, or not chosen by the patterns there.
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.reports import FailedFile
from corpus.folder_tree import MOST_LINKS, MOST_WAYS, TOO_MANY
from corpus.git_tree import Folder, files_in, followed
from corpus.globs import Globs, is_hidden
from corpus.kinds import suffix


@dataclass(frozen=True, slots=True)
class Linked:
    """The files of the commit that are listed by another path, by that path; and what is not."""

    files: dict[str, str] = field(default_factory=dict)
    refused: list[FailedFile] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Link:
    """A link where it lies, the path it is met by, and the folders of the links before it."""

    own: str
    path: str
    through: tuple[str, ...] = ()


def linked(files: Sequence[str], targets: Mapping[str, str], globs: Globs) -> Linked:
    """Return what links add that are not hidden; `files` are all paths, in their order.

    `targets` has what each link says.
    """
    walk = _Walk(files, targets, globs)
    waiting = deque(_Link(link, link) for link in sorted(targets) if not is_hidden(link))
    while waiting:
        waiting.extend(walk.follow(waiting.popleft()))
    return walk.found


class _Walk:
    """What has been found on the way through the links of a commit."""

    def __init__(self, files: Sequence[str], targets: Mapping[str, str], globs: Globs) -> None:
        self.found = Linked()
        self._files, self._targets, self._globs = files, targets, globs
        self._met: set[str] = set()
        self._ways: Counter[str] = Counter()
        self._behind = 0

    def follow(self, link: _Link) -> Iterator[_Link]:
        """Take in what a link leads to; yield the links that lie behind it."""
        globs = self._globs
        self._behind += bool(link.through)
        if self._behind > MOST_LINKS:
            if self._behind == MOST_LINKS + 1:
                self.found.refused.append(FailedFile(link.path, TOO_MANY))
            return
        match followed(link.own, self._files, self._targets):
            case FailedFile(reason=reason):
                if globs.wants(link.path) or (not suffix(link.path) and globs.reaches(link.path)):
                    self.found.refused.append(FailedFile(link.path, reason))
            case Folder(path=folder):
                if self._adds(link, folder):
                    yield from self._enter(link, folder)
            case file:
                if globs.wants(link.path) and not (link.through and globs.settles(file)):
                    self.found.files[link.path] = file

    def _enter(self, link: _Link, folder: str) -> Iterator[_Link]:
        through = (*link.through, _above(link.own))
        for path, file in _behind(link.path, folder, self._files):
            if file in self._met:
                continue
            if file in self._targets:
                yield _Link(file, path, through)
            elif self._globs.wants(path) and not self._globs.settles(file):
                self._met.add(file)
                self.found.files[path] = file

    def _adds(self, link: _Link, folder: str) -> bool:
        """Return whether a link to a folder may add files, and does not lead back."""
        if any(_is_in(one, folder) for one in (*link.through, _above(link.own))):
            return False
        if self._globs.settles_all(folder) or not self._globs.reaches(link.path):
            return False
        self._ways[folder] += 1
        return self._ways[folder] <= MOST_WAYS


def _behind(path: str, folder: str, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the files below a folder that are not hidden in it, each with its path by a link."""
    for file in files_in(folder, files):
        rest = file[len(folder) :].lstrip("/")
        if not is_hidden(rest):
            yield f"{path}/{rest}", file


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _is_in(place: str, folder: str) -> bool:
    return not folder or f"{place}/".startswith(f"{folder}/")
