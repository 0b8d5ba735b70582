"""A bare, shallow clone of one ref: fetched, repaired, tidied, and read by objects.

Everything blocks: call it in a thread.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from corpus.data_folder import alone
from corpus.git_command import (
    Git,
    GitFailed,
    GitMissing,
    GitStopped,
    without_names,
    without_passwords,
)
from corpus.git_login import login_in, without_login
from corpus.git_tree import Entry, TreeBroken, entries_in

MOST_OBJECTS, _MOST_PACKS = 5000, 20
"""Loose objects and packs above which what nothing leads to any more is thrown away."""
LOCK = "lock"
"""The name of the file beside the clones that who fetches holds."""
_BROKEN = "broken"
_PATIENCE = 10.0
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SCP = re.compile(r"[^/:]+:")


class GitClone:
    """What is kept of a repository in a folder: one for each address, one ref for each setting."""

    def __init__(
        self, home: Path, url: str, ref: str, seconds: float, *, most_objects: int = MOST_OBJECTS
    ) -> None:
        self._home = home
        self._most_objects = most_objects
        self._login = login_in(url)
        self._url = _address(without_login(url))
        self._wanted = ref
        self._seconds = seconds
        self._ref = f"refs/nightlamp/{_short(ref)}"
        self._repository = home / f"{_short(without_names(self._url))}.git"

    @property
    def shown(self) -> str:
        """Return the address as it may be shown."""
        return without_passwords(self._url)

    def git(self) -> Git:
        """Return a git for this clone, whose time begins now."""
        return Git(self._repository, self._seconds, self._login)

    def refresh(self, git: Git) -> None:
        """Fetch the ref; what a kill or a full disk has left half done is made anew.

        Raises:
            GitFailed: it could not be fetched; what was fetched before is still there.
        """
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with alone(self._home / LOCK, _PATIENCE):
                self._refresh(git)
        except TimeoutError:
            raise GitStopped("another process is fetching it") from None

    def _refresh(self, git: Git) -> None:
        there = self._is_there()
        try:
            self._fetch(git)
        except (GitMissing, GitStopped):
            raise
        except GitFailed:
            if not there or self._is_sound(self.git()):
                raise
            shutil.rmtree(self._repository, ignore_errors=True)
            self._fetch(git)
        self._tidy(git)

    def commit(self, git: Git) -> str:
        """Return the commit that was fetched last; empty where there is none."""
        if not self._is_there():
            return ""
        try:
            found = git.run(("rev-parse", "--verify", "--quiet", f"{self._ref}^{{commit}}"))
        except (GitMissing, GitStopped):
            raise
        except GitFailed:
            return ""
        return found.decode("ascii", "replace").strip()

    def entries(self, git: Git, commit: str) -> Iterator[tuple[bytes, Entry]]:
        """Yield the files of a commit, by the bytes of their paths.

        Raises:
            GitFailed, TreeBroken: it cannot be read.
        """
        return entries_in(git.run(("ls-tree", "-r", "-l", "-z", "--full-tree", commit)))

    def contents(self, git: Git, files: Iterable[tuple[str, Entry]]) -> dict[str, bytes]:
        """Return the bytes of files by path, all read at once.

        Raises:
            GitFailed, TreeBroken: one cannot be read.
        """
        wanted = list(files)
        asked = "".join(f"{entry.object}\n" for _, entry in wanted)
        given = git.run(("cat-file", "--batch"), asked.encode("ascii")) if wanted else b""
        found: dict[str, bytes] = {}
        at = 0
        for path, entry in wanted:
            start = given.find(b"\n", at) + 1
            if given[at:start].split()[1:] != [b"blob", str(entry.size).encode("ascii")]:
                raise TreeBroken(entry.object)
            found[path] = given[start : start + entry.size]
            at = start + entry.size + 1
        return found

    def condemn(self, error: Exception) -> None:
        """Have the next run fetch all anew, if the error says that what is here is broken."""
        if isinstance(error, GitMissing | GitStopped | OSError):
            return
        with suppress(OSError):
            if self._is_there():
                (self._repository / _BROKEN).touch()

    def _is_there(self) -> bool:
        return (self._repository / "HEAD").is_file()

    def _fetch(self, git: Git) -> None:
        self._prepare(git)
        if _COMMIT.fullmatch(self._wanted) and self.commit(git) == self._wanted:
            return
        options = ("--depth=1", "--force", "--no-tags", "--no-recurse-submodules", "--quiet")
        refs = f"+{self._wanted}:{self._ref}"
        git.run(("fetch", "--no-write-fetch-head", *options, "--", self._url, refs))
        if not self._is_sound(git):
            raise GitFailed("what was fetched is no commit, or not all of it")

    def _prepare(self, git: Git) -> None:
        """Make the repository where there is none; remove what a kill has left in it."""
        if not self._is_there() or (self._repository / _BROKEN).exists():
            shutil.rmtree(self._repository, ignore_errors=True)
            git.run(("init", "--bare", "--quiet", "--template="))
            return
        for stale in (*self._repository.rglob("*.lock"), *self._repository.rglob("tmp_*")):
            stale.unlink(missing_ok=True)

    def _is_sound(self, git: Git) -> bool:
        """Return whether the commit and every object that it names are here."""
        try:
            commit = self.commit(git)
            return bool(commit) and all(entry.object for _, entry in self.entries(git, commit))
        except (GitMissing, GitStopped):
            raise
        except (GitFailed, TreeBroken):
            return False

    def _tidy(self, git: Git) -> None:
        """Remove clones of other addresses and old commits; a failure leaves it to the next run."""
        for other in self._home.iterdir():
            if other not in {self._repository, self._home / LOCK}:
                shutil.rmtree(other, ignore_errors=True)
        try:
            for ref in git.run(("for-each-ref", "--format=%(refname)")).decode().split():
                if ref != self._ref:
                    git.run(("update-ref", "-d", ref))
            counted = git.run(("count-objects", "--verbose")).decode()
            counts = dict(line.split(": ", 1) for line in counted.splitlines())
            if int(counts["count"]) > self._most_objects or int(counts["packs"]) > _MOST_PACKS:
                git.run(("gc", "--quiet", "--prune=now"))
        except GitFailed:
            return


def _address(url: str) -> str:
    """Return where git fetches from; a path is made absolute, as git runs elsewhere."""
    if "://" in url or _SCP.match(url):
        return url
    return str(Path(os.path.expanduser(url)).absolute())


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
