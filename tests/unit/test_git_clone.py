"""What is kept of a repository does not grow for ever."""

from pathlib import Path

import pytest

from corpus.git_clone import GitClone
from corpus.git_command import GitFailed
from tests.git_repositories import Repository


def clone(tmp_path: Path, remote: Repository, ref: str = "HEAD", **more: int) -> GitClone:
    return GitClone(tmp_path / "clones", str(remote.root), ref, 60.0, **more)


@pytest.fixture
def remote(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "remote")


def test_commits_that_nothing_leads_to_any_more_are_thrown_away(
    tmp_path: Path, remote: Repository
) -> None:
    old = remote.commit(a_md="old")
    keeping = clone(tmp_path, remote, most_objects=0)
    keeping.refresh(keeping.git())
    new = remote.commit(a_md="new")
    keeping.refresh(keeping.git())

    assert keeping.commit(keeping.git()) == new
    with pytest.raises(GitFailed):
        keeping.git().run(("cat-file", "-e", old))


def test_another_ref_takes_the_place_of_the_one_before(tmp_path: Path, remote: Repository) -> None:
    remote.commit(a_md="x")
    remote.git("branch", "side")
    first, second = clone(tmp_path, remote, "main"), clone(tmp_path, remote, "side")
    first.refresh(first.git())
    second.refresh(second.git())

    assert first.commit(first.git()) == ""
    assert second.commit(second.git()) != ""


def test_a_commit_that_is_here_is_not_fetched_again(tmp_path: Path, remote: Repository) -> None:
    pinned = clone(tmp_path, remote, remote.commit(a_md="x"))
    pinned.refresh(pinned.git())
    remote.root.rename(tmp_path / "elsewhere")

    pinned.refresh(pinned.git())


def test_the_clone_is_the_owners_alone(tmp_path: Path, remote: Repository) -> None:
    remote.commit(a_md="x")
    mine = clone(tmp_path, remote)
    mine.refresh(mine.git())

    assert (tmp_path / "clones").stat().st_mode & 0o077 == 0
