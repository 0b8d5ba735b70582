"""A git repository as a source: fetched into the data folder, read at one commit.

The repository is kept bare and files are read as git's objects. So nothing changes under a reader,
the bytes are those that were committed (no line ends turned, no filter, no LFS download run), and
neither the machine's symbolic links nor its upper and lower case play any part.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from core.errors import DocumentError, SourceError
from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.git_clone import GitClone
from corpus.git_command import Git, GitFailed
from corpus.git_links import linked
from corpus.git_tree import SUBMODULE, Entry, TreeBroken, named
from corpus.globs import Globs, is_hidden
from corpus.kinds import looks_like_markdown, markdown_suffix, suffix
from corpus.listing import NO_SUFFIX, SNIFFED_BYTES, Listing, too_large

SECONDS = 120.0
_AT_ONCE_BYTES = 8_000_000
_LONGEST_TARGET = 4096
_SHORT_HASH = re.compile(r"[0-9a-f]{4,39}", re.IGNORECASE)
_UNKNOWN_REF = "find remote ref"
"""In what git says of a ref that the repository does not have."""


class GitSource:
    """The Markdown files of a repository at the commit that was fetched last."""

    root = None

    def __init__(
        self, settings: SourceSettings, home: Path, *, file_bytes: int, seconds: float = SECONDS
    ) -> None:
        if settings.git is None:
            raise SourceError(f"The source {settings.name} has no git repository.")
        self.settings = settings
        self._clone = GitClone(home, settings.git, settings.ref, seconds)
        self._file_bytes = file_bytes
        self._globs = Globs(settings.include, settings.exclude)
        self._commit = ""
        self._files: dict[str, Entry] = {}
        self._order: dict[str, int] = {}
        self._ahead: dict[str, bytes] = {}

    @property
    def commit(self) -> str:
        """Return the commit that was listed; empty before."""
        return self._commit

    async def refresh(self) -> str:
        """Fetch what is new; return a sentence where that failed and the last state is read.

        Raises:
            SourceError: it failed, and nothing has been fetched before.
        """
        git = self._clone.git()
        try:
            return await asyncio.to_thread(self._refreshed, git)
        except asyncio.CancelledError:
            git.stop()
            raise

    def listing(self) -> Listing:
        """List the Markdown files of the commit that was fetched last, in the order of their paths.

        Raises:
            SourceError: nothing has been fetched yet, or it cannot be read.
        """
        try:
            git = self._clone.git()
            self._commit = self._clone.commit(git)
            if self._commit:
                return self._listed(git)
        except (GitFailed, TreeBroken, OSError) as error:
            raise self._unreadable(error) from None
        raise SourceError(
            f"The source {self.settings.name} has not been fetched yet: run nightlamp index."
        )

    def read(self, path: str) -> bytes:
        """Return one file's bytes, as they were committed.

        Raises:
            DocumentError: it is not there, or too large.
            SourceError: the repository cannot be read.
        """
        entry = self._files.get(path)
        if entry is None:
            raise DocumentError("it is not in the repository")
        if entry.size > self._file_bytes:
            raise too_large(self._file_bytes)
        if path not in self._ahead:
            try:
                self._ahead = self._clone.contents(self._clone.git(), self._from(path))
            except (GitFailed, TreeBroken) as error:
                raise self._unreadable(error) from None
        return self._ahead.pop(path)

    def _refreshed(self, git: Git) -> str:
        try:
            self._clone.refresh(git)
        except (GitFailed, OSError) as error:
            return self._left_with(error)
        return ""

    def _left_with(self, error: Exception) -> str:
        """Return the sentence of a failed fetch where something is left to be read.

        Raises:
            SourceError: nothing is.
        """
        said = (
            f"The repository {self._clone.shown} of the source {self.settings.name} cannot be "
            f"fetched ({_reason(error)})"
        )
        try:
            # The time for the fetch may be over; what is here takes a moment of its own.
            commit = self._clone.commit(self._clone.git())
        except (GitFailed, OSError):
            commit = ""
        if not commit:
            cure = "see that git can fetch it from here"
            if _SHORT_HASH.fullmatch(self.settings.ref) and _UNKNOWN_REF in str(error):
                cure = "write the full hash where ref names a commit"
            raise SourceError(f"{said}: {cure}.") from None
        return f"{said}, so its last state is used, commit {commit[:12]}."

    def _listed(self, git: Git) -> Listing:
        refused: list[FailedFile] = []
        files: dict[str, Entry] = {}
        for raw, entry in self._clone.entries(git, self._commit):
            path = named(raw)
            if isinstance(path, FailedFile):
                refused.append(path)
            else:
                files[path] = entry
        behind = linked(sorted(files), self._targets(git, files), self._globs)
        refused += behind.refused
        seen = {
            path: entry
            for path, entry in files.items()
            if not entry.is_link and not is_hidden(path) and self._globs.wants(path)
        }
        seen |= {path: files[file] for path, file in behind.files.items()}
        markdown = self._markdown(git, seen)
        skipped = Counter(
            SUBMODULE if entry.is_submodule else suffix(path) or NO_SUFFIX
            for path, entry in seen.items()
            if path not in markdown
        )
        self._files = {path: seen[path] for path in sorted(markdown)}
        self._order = {path: at for at, path in enumerate(self._files)}
        self._ahead = {}
        return Listing(
            tuple(self._files),
            dict(sorted(skipped.items())),
            tuple(sorted(refused, key=lambda failed: failed.path)),
            self._globs.unmatched(tuple(self._files)),
            tuple(path for path in self._files if path not in files),
        )

    def _targets(self, git: Git, files: Mapping[str, Entry]) -> dict[str, str]:
        """Return what each symbolic link says."""
        links = {path: entry for path, entry in files.items() if entry.is_link}
        said: dict[str, bytes] = {}
        for some in _portions(list(links.items()), _LONGEST_TARGET):
            said |= self._clone.contents(git, some)
        return {p: said.get(p, b"\0").decode("utf-8", "surrogateescape") for p in links}

    def _markdown(self, git: Git, files: Mapping[str, Entry]) -> set[str]:
        """Return which files are Markdown, by suffix or, without any, by how they begin."""
        blobs = {path: entry for path, entry in files.items() if not entry.is_submodule}
        found = {path for path in blobs if markdown_suffix(path)}
        unclear = [(p, e) for p, e in blobs.items() if p not in found and not suffix(p)]
        for some in _portions(unclear, self._file_bytes):
            for path, data in self._clone.contents(git, some).items():
                if looks_like_markdown(data[:SNIFFED_BYTES]):
                    found.add(path)
        return found

    def _from(self, path: str) -> list[tuple[str, Entry]]:
        """Return a file and as many after it as are read at once."""
        following = list(self._files.items())[self._order[path] :]
        return next(_portions(following, self._file_bytes))

    def _unreadable(self, error: Exception) -> SourceError:
        self._clone.condemn(error)
        return SourceError(
            f"What was fetched of the source {self.settings.name} cannot be read "
            f"({_reason(error)}): run nightlamp index, which fetches it anew."
        )


def _portions(
    files: Sequence[tuple[str, Entry]], largest: int
) -> Iterator[list[tuple[str, Entry]]]:
    """Yield files in portions that fit the memory, without those of more than `largest` bytes."""
    some: list[tuple[str, Entry]] = []
    size = 0
    for path, entry in files:
        if entry.size > largest:
            continue
        if some and size + entry.size > _AT_ONCE_BYTES:
            yield some
            some, size = [], 0
        some.append((path, entry))
        size += entry.size
    if some:
        yield some


def _reason(error: Exception) -> str:
    match error:
        case OSError():
            return error.strerror or type(error).__name__
        case TreeBroken():
            return "an object is missing"
        case _:
            return str(error)
