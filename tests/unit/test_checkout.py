"""A folder in a git checkout: which pages its commit has as they are."""

import os
from pathlib import Path

import pytest

from corpus.checkout import head, uncommitted
from tests.closed_folder import closed
from tests.git_repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "repository")
    repository.commit(docs__one_md="# One\n", docs__two_md="# Two\n", _gitignore="drafts/\n")
    return repository


def lacked(repository: Repository, *files: str) -> tuple[str, ...] | None:
    root = repository.root / "docs"
    return uncommitted(root, head(root), files)


def test_pages_that_are_as_committed_are_not_lacked(repository: Repository) -> None:
    assert lacked(repository, "one.md", "two.md") == ()


def test_a_page_that_is_new_changed_staged_ignored_or_gone_from_git_is_lacked(
    repository: Repository,
) -> None:
    repository.commit(docs__left_md="# Left\n", docs__ä_ö_md="# Umlauts\n")
    repository.git("rm", "--cached", "--quiet", "docs/left.md")
    repository.write("docs/new.md", b"# New\n")
    repository.write("docs/a/b.md", b"# In a new folder\n")
    repository.write("docs/drafts/x.md", b"# Ignored\n")
    repository.write("docs/staged.md", b"# Staged\n")
    repository.git("add", "docs/staged.md")
    repository.write("docs/two.md", b"# Two, edited\n")
    files = (
        "a/b.md",
        "drafts/x.md",
        "left.md",
        "new.md",
        "one.md",
        "staged.md",
        "two.md",
        "ä.ö.md",
    )
    assert lacked(repository, *files) == tuple(f for f in files if f not in {"one.md", "ä.ö.md"})


def test_a_page_that_is_written_again_as_it_was_is_not_lacked(repository: Repository) -> None:
    repository.write("docs/one.md", b"# Other\n")
    repository.write("docs/one.md", b"# One\n")
    assert lacked(repository, "one.md") == ()


def test_a_link_is_as_committed_as_the_page_that_it_leads_to(repository: Repository) -> None:
    (repository.root / "docs" / "link.md").symlink_to("two.md")
    repository.commit()
    assert lacked(repository, "link.md") == ()
    repository.write("docs/two.md", b"# Two, edited\n")
    assert lacked(repository, "link.md") == ("link.md",)


def test_a_page_of_a_repository_inside_is_lacked(repository: Repository) -> None:
    Repository(repository.root / "docs" / "inner").commit(page_md="# Inner\n")
    assert lacked(repository, "inner/page.md") == ("inner/page.md",)


def test_looking_leaves_the_checkout_alone(repository: Repository) -> None:
    repository.write("docs/one.md", b"# One\n")
    index = repository.root / ".git" / "index"
    before = index.stat().st_mtime_ns
    lacked(repository, "one.md")
    assert index.stat().st_mtime_ns == before
    assert not (repository.root / ".git" / "index.lock").exists()


def test_another_repository_in_the_environment_is_not_looked_at(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.commit(x_md="# X\n")
    ours = repository.git("rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    assert (head(repository.root), lacked(repository, "one.md")) == (ours, ())


def test_outside_a_checkout_nothing_is_known(tmp_path: Path) -> None:
    assert (head(tmp_path), uncommitted(tmp_path, "c0ffee", ["a.md"])) == ("", None)


def test_git_that_does_not_answer_is_given_up(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text('#!/bin/sh\n[ "$1" = config ] || exec sleep 600\n')
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    assert head(repository.root, seconds=0.1) == ""
    assert uncommitted(repository.root, "c0ffee", ["docs/one.md"], seconds=0.1) is None


def test_a_page_whose_mode_alone_is_another_is_not_lacked(repository: Repository) -> None:
    repository.git("config", "core.fileMode", "true")
    (repository.root / "docs" / "one.md").chmod(0o755)
    assert lacked(repository, "one.md") == ()


@pytest.mark.parametrize("how", ["--assume-unchanged", "--skip-worktree"])
def test_a_page_that_git_does_not_look_at_is_lacked(repository: Repository, how: str) -> None:
    repository.git("update-index", how, "docs/one.md")
    repository.write("docs/one.md", b"# One, edited\n")
    assert lacked(repository, "one.md", "two.md") == ("one.md",)


def test_a_page_in_a_folder_that_cannot_be_searched_stops_nothing(
    repository: Repository,
) -> None:
    with closed(repository.root / "docs"):
        assert lacked(repository, "one.md") == ()
