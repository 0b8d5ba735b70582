"""What of this machine's faults a repository must not pay for, and what is read of it at once."""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

import pytest

from core.errors import SourceError
from core.settings_lists import SourceSettings
from corpus import git_source
from corpus.git_clone import GitClone
from corpus.git_command import Git, GitFailed, GitMissing
from corpus.git_source import GitSource
from corpus.git_tree import Entry
from tests.closed_folder import closed
from tests.git_repositories import Repository

Patch = pytest.MonkeyPatch


@pytest.fixture
def remote(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "remote")
    made.commit(a_md="# Disk\n")
    return made


@pytest.fixture
def books(tmp_path: Path, remote: Repository) -> GitSource:
    settings = SourceSettings(name="books", git=str(remote.root))
    return GitSource(settings, tmp_path / "clones", file_bytes=1000)


def missing(scratch: Path, monkeypatch: Patch) -> str:
    """Have no folder for temporary files; return how that is said."""
    monkeypatch.setattr(tempfile, "tempdir", str(scratch / "nowhere"))
    return "No such file or directory"


def full(scratch: Path, monkeypatch: Patch) -> str:
    """Have temporary files that can be made and never grow, as on a full disk."""

    def made() -> IO[bytes]:
        file = os.memfd_create("full", os.MFD_ALLOW_SEALING)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW)
        return open(file, "r+b")

    monkeypatch.setattr(tempfile, "TemporaryFile", made)
    return "Operation not permitted"


Fault = Callable[[Path, Patch], str]
FAULTS = pytest.mark.parametrize(
    "fault", [missing, full] if hasattr(os, "memfd_create") else [missing]
)


def clone_in(scratch: Path) -> Path:
    return next((scratch / "clones").glob("*.git"))


# --- temporary files ----------------------------------------------------------------------------


@FAULTS
async def test_without_temporary_files_a_source_fails_and_loses_nothing(
    tmp_path: Path, remote: Repository, books: GitSource, fault: Fault
) -> None:
    await books.refresh()
    listing = books.listing()
    with pytest.MonkeyPatch.context() as broken:
        said = rf"\(temporary files cannot be written: {fault(tmp_path, broken)}\)"
        with pytest.raises(SourceError, match=rf"cannot be fetched {said}"):
            await books.refresh()
        with pytest.raises(SourceError, match=rf"cannot be read {said}"):
            books.listing()
        with pytest.raises(SourceError, match=rf"cannot be read {said}"):
            books.read("a.md")
    remote.root.rename(tmp_path / "elsewhere")
    assert (books.listing(), books.read("a.md")) == (listing, b"# Disk\n")
    assert not (clone_in(tmp_path) / "broken").exists()


@FAULTS
def test_a_command_whose_output_finds_no_room_is_no_fault_of_the_repository(
    tmp_path: Path, remote: Repository, monkeypatch: Patch, fault: Fault
) -> None:
    clone = GitClone(tmp_path / "clones", str(remote.root), "HEAD", 60.0)
    clone.refresh(clone.git())
    fault(tmp_path, monkeypatch)
    for command, given in ((("rev-parse", "HEAD"), b""), (("cat-file", "--batch"), b"HEAD\n")):
        with pytest.raises(GitMissing):
            clone.git().run(command, given)


def test_a_command_that_fails_where_there_is_room_says_why(
    tmp_path: Path, remote: Repository
) -> None:
    clone = GitClone(tmp_path / "clones", str(remote.root), "HEAD", 60.0)
    clone.refresh(clone.git())
    with pytest.raises(GitFailed, match="Not a valid object name") as failed:
        clone.git().run(("ls-tree", "nowhere"))
    assert type(failed.value) is GitFailed


# --- the clone's own folder ---------------------------------------------------------------------


async def test_a_clone_that_may_not_be_looked_into_fails_its_source_alone(
    tmp_path: Path, books: GitSource
) -> None:
    await books.refresh()
    with closed(clone_in(tmp_path)):
        with pytest.raises(SourceError, match=r"cannot be fetched \(Permission denied\)"):
            await books.refresh()
        with pytest.raises(SourceError, match=r"cannot be read \(Permission denied\)"):
            books.listing()
    assert not (clone_in(tmp_path) / "broken").exists()
    assert books.listing().files == ("a.md",)


async def test_a_broken_clone_that_cannot_be_marked_still_fails_its_source_alone(
    tmp_path: Path, books: GitSource
) -> None:
    await books.refresh()
    books.listing()
    clone = clone_in(tmp_path)
    for pack in clone.glob("objects/*/*"):
        pack.unlink()
    (clone / "broken").symlink_to(tmp_path / "nowhere" / "broken")
    with pytest.raises(SourceError, match="cannot be read"):
        books.read("a.md")


# --- symbolic links -----------------------------------------------------------------------------


async def test_what_links_say_is_read_in_portions_however_small_a_file_may_be(
    remote: Repository, books: GitSource, monkeypatch: Patch
) -> None:
    target = f"{'x/../' * 600}a.md"
    for number in range(9):
        os.symlink(f"{'./' * number}{target}", remote.root / f"{number}.md")
    (remote.root / "x").mkdir()
    remote.commit(x__b_md="# Log\n")
    read: list[int] = []

    def contents(clone: GitClone, git: Git, files: Iterable[tuple[str, Entry]]) -> dict[str, bytes]:
        wanted = list(files)
        read.append(sum(entry.size for _, entry in wanted))
        return plain(clone, git, wanted)

    plain = GitClone.contents
    monkeypatch.setattr(GitClone, "contents", contents)
    monkeypatch.setattr(git_source, "_AT_ONCE_BYTES", 10_000)
    await books.refresh()
    listed = books.listing()
    assert (len(listed.files), listed.refused) == (11, ())
    assert len(read) == 3
    assert max(read) <= 10_000
