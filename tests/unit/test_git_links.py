"""The links of a commit add the same files as they would on a disk."""

from pathlib import Path

import pytest

from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.git_links import Linked, linked
from corpus.git_source import GitSource
from corpus.globs import Globs
from corpus.listing import Listing
from tests.git_repositories import Repository

OUT = "it is a symbolic link that leads out of the source"
NOWHERE = "it is a symbolic link that leads nowhere"


def found(files: list[str], links: dict[str, str], **patterns: tuple[str, ...]) -> Linked:
    return linked(sorted([*files, *links]), links, Globs(**patterns))


def test_a_folder_that_is_listed_nowhere_else_is_read_by_its_link() -> None:
    files = [".shared/docs/a.md", ".shared/docs/.x.md", ".shared/docs/sub/b.md", "c.md"]
    links = {"docs": ".shared/docs", "same": ".shared/docs", ".shared/docs/up": "../.."}

    assert found(files, links) == Linked(
        {"docs/a.md": ".shared/docs/a.md", "docs/sub/b.md": ".shared/docs/sub/b.md"}
    )


def test_a_link_in_a_folder_behind_a_link_is_followed_too() -> None:
    links = {"docs": ".a", ".a/more": "../.b", ".a/c.md": "../.b/x.md", ".a/d.md": "../d.md"}

    assert found([".a/a.md", ".b/x.md", "d.md"], links) == Linked(
        {"docs/a.md": ".a/a.md", "docs/c.md": ".b/x.md", "docs/more/x.md": ".b/x.md"}
    )


def test_a_link_to_a_folder_adds_what_the_patterns_choose_by_the_link_alone() -> None:
    files = ["shared/guide/a.md", "shared/guide/secret/b.md", "docs/c.md"]
    links = {"docs/guide": "../shared/guide", "again": "docs", "all": "."}
    patterns = {"include": ("**/docs/**",), "exclude": ("shared/guide/secret",)}

    assert found(files, links, **patterns) == Linked({"docs/guide/a.md": "shared/guide/a.md"})


@pytest.mark.parametrize("excluded", ["old", "archive"])
def test_a_link_to_a_folder_that_is_excluded_adds_nothing(excluded: str) -> None:
    assert found(["old/a.md"], {"archive": "old"}, exclude=(excluded,)) == Linked()


def test_folders_that_link_to_each_other_have_an_end() -> None:
    links = {f".d{n}/{name}": f"../.d{(n + 1) % 60}" for n in range(60) for name in "ab"}

    added = found([f".d{n}/{n}.md" for n in range(60)], links | {"docs": ".d0"})
    assert (len(added.files), added.refused) == (60, [])


def test_a_link_is_refused_aloud_where_what_it_led_to_would_be_wanted() -> None:
    links = {"docs/more": "../..", "docs/gone": "x", "docs/gone.png": "x", "elsewhere": "../.."}

    assert found([], links, include=("docs/**/*.md",)).refused == [
        FailedFile("docs/gone", NOWHERE),
        FailedFile("docs/more", OUT),
    ]


async def test_a_repository_is_read_through_a_link_to_a_folder_that_its_commit_has_no_path_for(
    tmp_path: Path,
) -> None:
    books = Repository(tmp_path / "books")
    books.write(".shared/docs/a.md", b"# Disk\n")
    books.write("b.md", b"# Net\n")
    (books.root / "docs").symlink_to(".shared/docs")
    (books.root / "c.md").symlink_to("b.md")
    books.commit()
    settings = SourceSettings(name="books", git=str(books.root), include=("**/*.md", "x/**"))
    source = GitSource(settings, tmp_path / "home", file_bytes=1000)
    await source.refresh()

    assert source.listing() == Listing(
        files=("b.md", "c.md", "docs/a.md"), unmatched=("x/**",), unlinked=("docs/a.md",)
    )
    assert source.read("docs/a.md") == b"# Disk\n"
