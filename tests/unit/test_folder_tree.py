"""A listing tells the folders that it depends on, and has an end however folders link."""

from pathlib import Path

import pytest

from core.reports import FailedFile
from corpus.folder_tree import TOO_MANY, files_below
from corpus.git_links import linked
from corpus.globs import Globs


def folders(home: Path, **patterns: tuple[str, ...]) -> list[str]:
    """Return the folders that a listing takes in."""
    found: set[Path] = set()
    list(files_below(home, Globs(**patterns), found))
    return sorted(folder.relative_to(home).as_posix() for folder in found)


def test_folders_are_entered_unless_they_are_hidden_excluded_or_outside(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for path in ("docs/a", ".git/objects", "node_modules/x", "../far/away"):
        (home / path).mkdir(parents=True)
    (home / "out").symlink_to(tmp_path / "far")
    (home / "a.md").symlink_to("node_modules/x/a.md")

    assert folders(home, exclude=("node_modules",)) == [".", "docs", "docs/a"]


def test_folders_on_the_way_of_a_link_are_taken_in(tmp_path: Path) -> None:
    for path in (".v/1/docs", ".keys", ".store/x"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / ".now").symlink_to(".v/1")
    (tmp_path / "docs").symlink_to(".now/docs")
    (tmp_path / ".keys" / "a").symlink_to("../.store/x/a.md")
    (tmp_path / "a.md").symlink_to(".keys/a")
    (tmp_path / "round.md").symlink_to("round.md")

    assert folders(tmp_path) == [".", ".keys", ".store", ".store/x", ".v", ".v/1", ".v/1/docs"]


def test_a_folder_for_which_a_link_waits_is_taken_in(tmp_path: Path) -> None:
    (tmp_path / ".shared").mkdir()
    (tmp_path / "docs").symlink_to(".shared/docs")

    assert folders(tmp_path) == [".", ".shared"]


def test_folders_that_all_link_to_each_other_have_an_end_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("folder_tree", "git_links"):
        monkeypatch.setattr(f"corpus.{module}.MOST_LINKS", 20)
    names, links = [f".s/{n}" for n in range(6)], {"go": ".s"}
    for name in names:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.md").write_text("x")
        links |= {f"{name}/to{n}": f"../{n}" for n in range(6)}
    for link, target in links.items():
        (tmp_path / link).symlink_to(target)

    pages = sorted(f"go/{n}/a.md" for n in range(6))
    on_disk = list(files_below(tmp_path, Globs()))
    assert sorted(found for found in on_disk if isinstance(found, str)) == pages
    told = [found.reason for found in on_disk if isinstance(found, FailedFile)]
    files = sorted([*links, *(f"{name}/a.md" for name in names)])
    in_commit = linked(files, links, Globs())
    assert sorted(in_commit.files) == pages
    assert told == [one.reason for one in in_commit.refused] == [TOO_MANY]
