"""A folder in a git checkout: its commit, and which of its files that commit has as they are.

Everything blocks: call it in a thread.
"""

import logging
import os
from collections.abc import Iterable
from pathlib import Path

from corpus.git_command import Git, GitFailed

SECONDS = 5.0
_DIFFERENT = (
    "-c", "core.fileMode=false",
    "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all",
    "--relative",
)  # fmt: skip

log = logging.getLogger(__name__)


def head(folder: Path, seconds: float = SECONDS) -> str:
    """Return git's HEAD of a folder; empty outside a checkout, without git, or when slow."""
    git = Git(folder, seconds, inside=True)
    try:
        found = git.run(("rev-parse", "--verify", "--quiet", "HEAD"))
    except GitFailed:
        return ""
    return found.decode("ascii", "replace").strip()


def uncommitted(
    folder: Path, commit: str, files: Iterable[str], seconds: float = SECONDS
) -> tuple[str, ...] | None:
    """Return which of these files below a folder its commit lacks, or has otherwise.

    It lacks what is ignored or in another repository, too, and counts as lacking what git was told
    not to look at; a symbolic link is as committed as what it leads to. A file's mode is no
    difference. None where git does not tell in time.
    """
    git = Git(folder, seconds, inside=True)
    try:
        there = _names(git.run(("ls-tree", "-r", "-z", "--name-only", commit)))
        there -= _names(git.run((*_DIFFERENT, commit, "--", ".")))
        there -= _unwatched(git.run(("ls-files", "-v", "-z", "--", ".")))
    except GitFailed as error:
        log.warning("Which pages below %s are committed is not known: %s", folder, error)
        return None
    home = folder.resolve()
    return tuple(one for one in files if not (one in there and _target(home, one) in there))


def _names(listed: bytes) -> set[str]:
    return {name.decode("utf-8", "replace") for name in listed.split(b"\0") if name}


def _unwatched(listed: bytes) -> set[str]:
    """Return the files whose tag says that git takes them for unchanged, or for left out."""
    tagged = (name.split(" ", 1) for name in _names(listed))
    return {name for tag, name in tagged if tag.islower() or tag == "S"}


def _target(home: Path, file: str) -> str:
    """Return what a file's path leads to, from the folder; itself where it is no symbolic link."""
    place = home / file
    if not os.path.islink(place):
        return file
    return os.path.relpath(os.path.realpath(place), home)
