import os
from pathlib import Path

import pytest

from core.errors import DocumentError, SourceError
from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.git_source import GitSource
from corpus.sources import DirectorySource, Listing, open_source
from tests.closed_folder import closed
from tests.git_repositories import Repository

MARKDOWN = "# Postmortem\n\n## Summary\n\n* One\n* Two\n"


def source(root: Path, file_bytes: int = 1000) -> DirectorySource:
    return DirectorySource(SourceSettings(name="docs", path=root), file_bytes=file_bytes)


def write(root: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def test_markdown_files_are_listed_in_order_and_others_counted(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/z.MD", "a/b.markdown", "c.mdx", "d.html.md.erb", "a b (1).md")
    write(tmp_path, "x.png", "a/y.PNG", "pages.adoc", "notes.v2", "Makefile")

    assert source(tmp_path).listing() == Listing(
        files=("a b (1).md", "a/b.markdown", "a/z.MD", "b.md", "c.mdx", "d.html.md.erb"),
        skipped={"(none)": 1, ".adoc": 1, ".png": 2, ".v2": 1},
    )


def test_a_folder_is_named_without_ways_back(tmp_path: Path) -> None:
    write(tmp_path, "bot/x.md", "pages/a.md")
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("elsewhere/deep")
    (tmp_path / "shown").symlink_to("pages")

    assert source(tmp_path / "bot" / ".." / "pages").root == tmp_path / "pages"
    assert source(tmp_path / "bot" / ".." / "shown").root == tmp_path / "shown"
    assert source(tmp_path / "link" / ".." / "pages").root == tmp_path / "elsewhere" / "pages"


def test_hidden_files_and_folders_are_not_there(tmp_path: Path) -> None:
    write(tmp_path, ".git/x.md", "a/.cache/y.md", ".z.md", "a/b.md")

    assert source(tmp_path).listing() == Listing(files=("a/b.md",))


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (MARKDOWN, True),
        ("Title\n=====\n\nSee [docs](http://x).\n", True),
        ("# build everything\n\nall:\n\tmake x\n", False),
        ("# owners\n\n* @team\n", False),
        ("#!/bin/sh\n\n# Title\n\n* a\n", False),
        ("Some words.\n", False),
        ("", False),
    ],
)
def test_a_file_without_a_suffix_is_listed_if_it_looks_like_markdown(
    tmp_path: Path, text: str, listed: bool
) -> None:
    write(tmp_path, "PM2022-009 - Bad AMI v1. And more", text=text)

    assert bool(source(tmp_path).listing().files) is listed


def test_links_that_leave_the_source_or_lead_nowhere_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "a/in.md")
    write(tmp_path, "out.md", "folder/x.md")
    (root / "ok.md").symlink_to(root / "a" / "in.md")
    (root / "same").symlink_to(root / "a")
    (root / "out.md").symlink_to(tmp_path / "out.md")
    (root / "folder").symlink_to(tmp_path / "folder")
    (root / "gone.md").symlink_to(root / "nothing.md")
    (root / "loop.md").symlink_to(root / "loop.md")

    assert source(root).listing() == Listing(
        files=("a/in.md", "ok.md"),
        refused=(
            FailedFile("folder", "it is a symbolic link that leads out of the source"),
            FailedFile("gone.md", "it is a symbolic link that leads nowhere"),
            FailedFile("loop.md", "it is a symbolic link that leads nowhere"),
            FailedFile("out.md", "it is a symbolic link that leads out of the source"),
        ),
    )


def configured(root: Path, **patterns: tuple[str, ...]) -> DirectorySource:
    settings = SourceSettings.model_validate({"name": "docs", "path": root} | patterns)
    return DirectorySource(settings)


def test_what_kubernetes_mounts_is_read_by_the_links_that_can_be_seen(tmp_path: Path) -> None:
    write(tmp_path, "..2026_11_30/a.md")
    (tmp_path / "..data").symlink_to("..2026_11_30")
    (tmp_path / "a.md").symlink_to("..data/a.md")

    assert source(tmp_path).listing() == Listing(files=("a.md",))
    assert source(tmp_path).read("a.md") == b"x\n"


def test_a_folder_that_is_listed_nowhere_else_is_read_by_its_link(tmp_path: Path) -> None:
    write(tmp_path, ".shared/docs/a.md", ".shared/docs/.x.md", ".shared/docs/sub/b.md", "c.md")
    (tmp_path / "docs").symlink_to(".shared/docs")
    (tmp_path / "same").symlink_to(".shared/docs")
    (tmp_path / ".shared" / "docs" / "up").symlink_to("../..")

    found = source(tmp_path)
    assert found.listing() == Listing(files=("c.md", "docs/a.md", "docs/sub/b.md"))
    assert found.read("docs/sub/b.md") == b"x\n"


def test_a_link_to_a_folder_adds_what_the_patterns_choose_by_the_link_alone(
    tmp_path: Path,
) -> None:
    write(tmp_path, "shared/guide/a.md", "shared/guide/secret/b.md", "docs/c.md")
    (tmp_path / "docs" / "guide").symlink_to("../shared/guide")
    (tmp_path / "again").symlink_to("docs")
    (tmp_path / "all").symlink_to(".")
    found = configured(tmp_path, include=("**/docs/**",), exclude=("shared/guide/secret",))

    assert found.listing() == Listing(files=("docs/c.md", "docs/guide/a.md"))


def test_a_link_to_a_folder_that_is_excluded_adds_nothing(tmp_path: Path) -> None:
    write(tmp_path, "old/a.md", "old/x/b.md", "c.md")
    (tmp_path / "archive").symlink_to("old")

    assert configured(tmp_path, exclude=("old/x",)).listing().files == ("c.md", "old/a.md")
    assert configured(tmp_path, exclude=("old",)).listing().files == ("c.md",)


def test_folders_that_link_to_each_other_have_an_end(tmp_path: Path) -> None:
    for n in range(30):
        write(tmp_path, f".d{n}/{n}.md")
        for name in "ab":
            (tmp_path / f".d{n}" / name).symlink_to(f"../.d{(n + 1) % 30}")
    (tmp_path / "docs").symlink_to(".d0")

    found = source(tmp_path).listing()
    assert len(found.files) == 30
    assert found.refused == ()


def test_a_folder_that_cannot_be_read_is_said_where_files_of_it_would_be_wanted(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    write(root, "docs/a.md")
    (root / "docs" / "more").symlink_to(tmp_path)
    (root / "docs" / "gone").symlink_to("nowhere")
    (root / "docs" / "gone.png").symlink_to("nowhere")
    (root / "elsewhere").symlink_to(tmp_path)
    found = configured(root, include=("docs/**/*.md",))

    assert [one.path for one in found.listing().refused] == ["docs/gone", "docs/more"]


def test_a_folder_that_can_be_read_but_not_searched_is_said_and_stops_nothing(
    tmp_path: Path,
) -> None:
    root = tmp_path.resolve()
    write(root, "a.md", "sub/b.md", "sub/c.png", "sub/deep/d.md")
    (root / "sub" / "link").symlink_to("deep")
    with closed(root / "sub"):
        listing = source(root).listing()

    assert listing.files == ("a.md",)
    assert listing.refused == tuple(
        FailedFile(path, "it cannot be read: permission denied")
        for path in ("sub/b.md", "sub/deep", "sub/link")
    )


def test_a_pattern_that_chooses_nothing_is_told(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md")

    assert configured(tmp_path, include=("docs", "dosc")).listing() == Listing(
        files=("docs/a.md",), unmatched=("dosc",)
    )


def test_a_name_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x", encoding="utf-8")

    assert source(tmp_path).listing().refused == (
        FailedFile("caf\ufffd.md", "its name is not valid UTF-8"),
    )


def test_a_file_is_read_as_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff\r\n")

    assert source(tmp_path).read("a.md") == b"\xff\r\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("gone.md", "it vanished while the source was read"),
        ("../out.md", "its path leads out of the source"),
        ("/etc/passwd", "its path leads out of the source"),
        ("link.md", "it is a symbolic link that leads out of the source"),
        ("folder.md", "it is not a regular file"),
        ("pipe.md", "it is not a regular file"),
        ("big.md", "it is larger than the limit of 1,000 bytes (NIGHTLAMP_LIMITS_FILE_BYTES)"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, path: str, reason: str) -> None:
    root = tmp_path / "root"
    write(tmp_path, "out.md")
    write(root, "big.md", text="x" * 1001)
    (root / "folder.md").mkdir()
    (root / "link.md").symlink_to(tmp_path / "out.md")
    os.mkfifo(root / "pipe.md")

    with pytest.raises(DocumentError) as raised:
        source(root).read(path)

    assert raised.value.reason == reason


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md", text="x" * 1000)

    assert len(source(tmp_path).read("a.md")) == 1000


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "gone",
            "The folder {} of the source docs does not exist: make it, or correct its path.",
        ),
        ("file.md", "The folder {} of the source docs cannot be read: not a directory."),
    ],
)
def test_a_folder_that_is_none_is_a_source_error(tmp_path: Path, name: str, why: str) -> None:
    write(tmp_path, "file.md")

    with pytest.raises(SourceError) as raised:
        source(tmp_path / name).listing()

    assert str(raised.value) == why.format(tmp_path / name)


def test_a_folder_outside_any_checkout_has_no_commit(tmp_path: Path) -> None:
    assert source(tmp_path).commit == ""


def test_the_commit_is_the_checkouts_head(tmp_path: Path) -> None:
    head = Repository(tmp_path / "books").commit(docs__a_md="x\n")

    assert source(tmp_path / "books" / "docs").commit == head


def test_a_repository_is_opened_without_being_fetched(tmp_path: Path) -> None:
    settings = SourceSettings(name="docs", git="https://127.0.0.1:1/docs.git")

    assert isinstance(open_source(settings, clones=tmp_path / "sources"), GitSource)
    assert list(tmp_path.iterdir()) == []


def test_a_repository_without_a_folder_to_fetch_it_into_is_a_source_error() -> None:
    with pytest.raises(SourceError) as raised:
        open_source(SourceSettings(name="docs", git="https://example.com/docs.git"))

    assert str(raised.value) == (
        "The source docs is a git repository, which is not fetched here: "
        "name a folder with --corpus."
    )


async def test_a_folder_has_nothing_to_fetch(tmp_path: Path) -> None:
    assert await source(tmp_path).refresh() == ""


def test_patterns_choose_the_files_and_what_is_counted(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "docs/x.adoc", "docs/old/b.md", "c.md", "y.adoc")
    settings = SourceSettings(
        name="docs", path=tmp_path, include=("docs/**",), exclude=("docs/old",)
    )

    assert DirectorySource(settings).listing() == Listing(
        files=("docs/a.md",), skipped={".adoc": 1}
    )


def test_an_excluded_folder_is_not_entered(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "node_modules/x/b.md")
    (tmp_path / "node_modules" / "out").symlink_to("/")
    settings = SourceSettings(name="docs", path=tmp_path, exclude=("node_modules",))

    assert DirectorySource(settings).listing() == Listing(files=("a.md",))


def test_a_sparse_file_of_two_gibibytes_is_refused_without_being_read(tmp_path: Path) -> None:
    with open(tmp_path / "huge.md", "wb") as file:
        file.truncate(2**31)

    with pytest.raises(DocumentError, match="larger than the limit"):
        source(tmp_path).read("huge.md")
