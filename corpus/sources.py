"""Where documents come from: a Protocol, and folders.

All of it but `refresh` blocks: call it in a thread.
"""

import os
import stat
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Protocol

from core.errors import DocumentError, SourceError
from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.checkout import head
from corpus.folder_tree import files_below, why
from corpus.git_source import SECONDS, GitSource
from corpus.globs import Globs
from corpus.kinds import looks_like_markdown, markdown_suffix, suffix
from corpus.listing import FILE_BYTES, NO_SUFFIX, SNIFFED_BYTES, too_large
from corpus.listing import Listing as Listing


class Source(Protocol):
    """A place that documents come from. Paths are relative to it, with forward slashes."""

    @property
    def settings(self) -> SourceSettings:
        """Return what the source was configured with."""
        ...

    @property
    def root(self) -> Path | None:
        """Return the folder that the paths are relative to; None where there is none on disk."""
        ...

    @property
    def commit(self) -> str:
        """Return the commit that is read, as git names it; empty outside a checkout."""
        ...

    async def refresh(self) -> str:
        """Fetch what is new elsewhere; return a sentence where the last state is read instead.

        Raises:
            SourceError: nothing could be fetched, now or before.
        """
        ...

    def listing(self) -> Listing:
        """List the files, in the order of their paths.

        Raises:
            SourceError: the source as a whole cannot be read.
        """
        ...

    def read(self, path: str) -> bytes:
        """Return one file's bytes.

        Raises:
            DocumentError: this file vanished, is too large, or cannot or must not be read.
            SourceError: the source as a whole cannot be read any more.
        """
        ...


def open_source(
    settings: SourceSettings,
    *,
    file_bytes: int = FILE_BYTES,
    clones: Path | None = None,
    git_seconds: float = SECONDS,
) -> Source:
    """Return the source that the settings describe; nothing is read or fetched yet.

    `clones` is the folder that repositories are fetched into, each within `git_seconds`.

    Raises:
        SourceError: it is a repository, and there is no folder to fetch it into.
    """
    if settings.git is None:
        return DirectorySource(settings, file_bytes=file_bytes)
    if clones is None:
        raise SourceError(
            f"The source {settings.name} is a git repository, which is not fetched here: "
            "name a folder with --corpus."
        )
    home = clones / settings.name
    return GitSource(settings, home, file_bytes=file_bytes, seconds=git_seconds)


class DirectorySource:
    """The Markdown files below a folder, without hidden ones and without what lies outside.

    What a symbolic link leads to inside of it is read by the link, where it is listed nowhere else.
    """

    def __init__(self, settings: SourceSettings, *, file_bytes: int = FILE_BYTES) -> None:
        if settings.path is None:
            raise SourceError(f"The source {settings.name} has no path.")
        self.settings = settings
        self.root = _plain(Path(os.path.expanduser(settings.path)).absolute())
        self._file_bytes = file_bytes
        self._globs = Globs(settings.include, settings.exclude)

    async def refresh(self) -> str:
        """Do nothing: a folder is what it is."""
        return ""

    @property
    def commit(self) -> str:
        """Return git's HEAD of the folder; empty outside a checkout, without git, or when slow."""
        return head(self.root)

    def listing(self) -> Listing:
        """List the Markdown files below the folder, in the order of their paths.

        Raises:
            SourceError: the folder is not there or cannot be read.
        """
        home = self._home()
        files: list[str] = []
        refused: list[FailedFile] = []
        skipped: Counter[str] = Counter()
        for found in files_below(home, self._globs):
            if isinstance(found, FailedFile):
                refused.append(found)
            elif self._wanted(home, found):
                files.append(found)
            else:
                skipped[suffix(found) or NO_SUFFIX] += 1
        return Listing(
            tuple(sorted(files)),
            dict(sorted(skipped.items())),
            tuple(sorted(refused, key=lambda failed: failed.path)),
            self._globs.unmatched(files),
        )

    def read(self, path: str) -> bytes:
        """Return one file's bytes.

        Raises:
            DocumentError: it vanished, is too large, lies outside the folder or cannot be read.
        """
        place = PurePosixPath(path)
        if place.is_absolute() or ".." in place.parts:
            raise DocumentError("its path leads out of the source")
        data = _read(self.root.resolve(), self.root / place, self._file_bytes + 1)
        if len(data) > self._file_bytes:
            raise too_large(self._file_bytes)
        return data

    def _home(self) -> Path:
        try:
            home = self.root.resolve(strict=True)
            os.scandir(home).close()
        except FileNotFoundError:
            raise SourceError(
                f"The folder {self.root} of the source {self.settings.name} does not exist: "
                "make it, or correct its path."
            ) from None
        except (OSError, RuntimeError) as error:
            raise SourceError(
                f"The folder {self.root} of the source {self.settings.name} cannot be read: "
                f"{why(error)}."
            ) from None
        return home

    def _wanted(self, home: Path, path: str) -> bool:
        if markdown_suffix(path):
            return True
        if suffix(path):
            return False
        try:
            return looks_like_markdown(_read(home, home / path, SNIFFED_BYTES))
        except DocumentError:
            return False


def _plain(place: Path) -> Path:
    """Return a path without `..`; its symbolic links stay, unless one stands before a `..`."""
    if ".." not in place.parts:
        return place
    real, plain = os.path.realpath(place), os.path.normpath(place)
    return Path(plain if os.path.realpath(plain) == real else real)


def _read(home: Path, place: Path, count: int) -> bytes:
    """Read at most `count` bytes of a regular file inside `home`, never waiting for a pipe."""
    try:
        target = place.resolve(strict=True)
        if not target.is_relative_to(home):
            raise DocumentError("it is a symbolic link that leads out of the source")
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise DocumentError("it is not a regular file")
            with open(handle, "rb", closefd=False) as file:
                return file.read(count)
        finally:
            os.close(handle)
    except FileNotFoundError:
        raise DocumentError("it vanished while the source was read") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise DocumentError(f"it cannot be read: {why(error)}") from None
