"""The files below a folder, and those that its symbolic links lead to inside of it. Blocks.

What is hidden is left out, unless a link that is not hidden leads there: so are folders mounted
(a Kubernetes ConfigMap) and shared. A file that is listed where it lies is not listed by a link to
its folder again, and what is excluded where it lies stays so.
"""

import os
import stat
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

from core.reports import FailedFile
from corpus.globs import Globs
from corpus.kinds import markdown_suffix, suffix

MOST_WAYS = 8
"""By so many links one folder is looked into: links can lay out more ways than there is time."""
MOST_LINKS = 10_000
"""So many links that lie behind other links are followed in all: each takes a quarter of a ms."""
TOO_MANY = (
    f"it is not followed: more than {MOST_LINKS:,} symbolic links lie behind others, so exclude "
    "folders that link to each other"
)
_MOST_TURNS = 40
_NOWHERE = "it is a symbolic link that leads nowhere"
_OUT = "it is a symbolic link that leads out of the source"


def files_below(
    home: Path, globs: Globs, folders: set[Path] | None = None
) -> Iterator[str | FailedFile]:
    """Yield the paths of the files that the patterns want, and what is refused of them.

    `home` is a real path. The order is the same as long as the files are. `folders` takes in the
    real folders on which the answer depends: those entered, and those on the way of a link.
    """
    tree = _Tree(home, globs, set() if folders is None else folders)
    yield from tree.walk(home)
    while tree.links:
        yield from tree.walk(*tree.links.popleft())


class _Tree:
    """A walk through a folder, and then through the folders that links in it lead to."""

    def __init__(self, home: Path, globs: Globs, folders: set[Path]) -> None:
        self.links: deque[tuple[Path, tuple[Path, ...]]] = deque()
        self._home = home
        self._globs = globs
        self._folders = folders
        self._ways: Counter[Path] = Counter()
        self._kept: Counter[Path] = Counter()
        self._behind = 0
        self._turned: set[Path] = set()
        self._met: set[Path] = set()

    def walk(self, top: Path, through: tuple[Path, ...] = ()) -> Iterator[str | FailedFile]:
        """Yield what lies below a folder, which is the home or a link to a folder.

        `through` are the real folders of the links that lead there: none leads back to them.
        """
        unreadable: list[OSError] = []
        for found, folders, names in os.walk(top, onerror=unreadable.append):
            here = Path(found)
            real = here.resolve() if through else here
            if through and not self._enters(real):
                folders.clear()
                continue
            self._folders.add(real)
            inside = {name for name in folders if self._goes_into(here / name)}
            others = sorted({*names, *folders} - inside)
            folders[:] = sorted(inside)
            for name in others:
                if not name.startswith(".") and real / name not in self._met:
                    yield from self._entry(here / name, (*through, real))
        for error in unreadable:
            path = self._shown(Path(str(error.filename)))
            if self._globs.reaches(path):
                yield FailedFile(path, f"it cannot be read: {why(error)}")

    def _goes_into(self, folder: Path) -> bool:
        """Return whether what lies below a folder belongs to this walk."""
        if folder.name.startswith(".") or os.path.islink(folder):
            return False
        return not self._globs.shuts_out(self._shown(folder))

    def _entry(self, place: Path, through: tuple[Path, ...]) -> Iterator[str | FailedFile]:
        """Yield a file's path or why it is refused, whether it is there or linked."""
        bare = not suffix(place.name)
        try:
            linked = stat.S_ISLNK(place.lstat().st_mode)
        except OSError as error:
            if bare or markdown_suffix(place.name):
                yield from self._refused(place, f"it cannot be read: {why(error)}", reaches=bare)
            return
        yield from self._link(place, through) if linked else self._file(place, place, through)

    def _link(self, place: Path, through: tuple[Path, ...]) -> Iterator[str | FailedFile]:
        """Yield what a link to a file adds or why it is refused; keep one to a folder."""
        self._behind += len(through) > 1
        if self._behind > MOST_LINKS:
            if self._behind == MOST_LINKS + 1:
                yield FailedFile(self._shown(place), TOO_MANY)
            return
        self._turn(through[-1] / place.name)
        try:
            target = place.resolve(strict=True)
        except (OSError, RuntimeError):
            yield from self._refused(place, _NOWHERE, reaches=not suffix(place.name))
            return
        is_folder = os.path.isdir(target)
        if not target.is_relative_to(self._home):
            yield from self._refused(place, _OUT, reaches=is_folder)
        elif is_folder:
            self._keep(place, target, through)
        else:
            yield from self._file(place, target, through)

    def _file(
        self, place: Path, target: Path, through: tuple[Path, ...]
    ) -> Iterator[str | FailedFile]:
        """Yield a file's path; by a link to its folder only if it is not listed where it lies."""
        path, linked = self._shown(place), len(through) > 1
        if not self._globs.wants(path):
            return
        if linked and self._globs.settles(self._shown(target.resolve())):
            return
        if linked:
            self._met.add(through[-1] / place.name)
        if path == place.relative_to(self._home).as_posix():
            yield path
        else:
            yield FailedFile(path, "its name is not valid UTF-8")

    def _refused(self, place: Path, reason: str, *, reaches: bool) -> Iterator[FailedFile]:
        """Yield why a link is not followed, if what it leads to could be wanted."""
        path = self._shown(place)
        if self._globs.wants(path) or (reaches and self._globs.reaches(path)):
            yield FailedFile(path, reason)

    def _keep(self, link: Path, target: Path, through: tuple[Path, ...]) -> None:
        """Keep a link to a folder for later, unless it leads back or adds nothing."""
        back = any(folder.is_relative_to(target) for folder in through)
        if back or self._globs.settles_all(self._shown(target)):
            return
        if not self._globs.reaches(self._shown(link)):
            return
        self._kept[target] += 1
        if self._kept[target] <= MOST_WAYS:
            self.links.append((link, through))

    def _turn(self, link: Path) -> None:
        """Take in the folders where the way of a link could be turned elsewhere."""
        for _ in range(_MOST_TURNS):
            if link in self._turned:
                return
            self._turned.add(link)
            try:
                place = Path(os.path.normpath(link.parent / os.readlink(link)))
                above = place.parent.resolve()
            except (OSError, RuntimeError):  # no link, or not to be read
                return
            link = above / place.name
            for folder in (above, *above.parents):
                if folder in self._folders or not folder.is_relative_to(self._home):
                    break
                if os.path.isdir(folder) and not self._globs.shuts_out(self._shown(folder)):
                    self._folders.add(folder)

    def _enters(self, real: Path) -> bool:
        self._ways[real] += 1
        excluded = self._globs.shuts_out(self._shown(real))
        return not excluded and self._ways[real] <= MOST_WAYS

    def _shown(self, place: Path) -> str:
        within = place.relative_to(self._home).as_posix()
        return os.fsencode(within).decode("utf-8", "replace")


def why(error: Exception) -> str:
    """Return an error's reason, to stand in the middle of a sentence."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return reason[:1].lower() + reason[1:]
