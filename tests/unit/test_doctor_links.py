"""What the doctor says of a source's links: a real one, and how many pages have none."""

from pathlib import Path

import pytest

from bots.check import Check, Level
from bots.link_check import link_check
from core.settings_lists import SourceSettings
from corpus.sources import open_source
from tests.git_repositories import Repository

SITE = "https://docs.example.com/{page}/#{anchor}"
BLOB = "https://example.com/blob/{commit}/{path}#{anchor}"
UNREAD = "none of the pages looked at can be read: nightlamp index says why"


def checked(tmp_path: Path, link: str | None, **values: object) -> Check:
    settings = {"name": "books", "path": tmp_path / "pages", "link": link} | values
    return link_check(open_source(SourceSettings.model_validate(settings)))


def write(tmp_path: Path, *paths: str) -> None:
    for path in paths:
        place = tmp_path / "pages" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("Before\n\n# Disk full\n")


def ok(says: str) -> Check:
    return Check("links of books", Level.OK, says)


def note(says: str) -> Check:
    return Check("links of books", Level.NOTE, says)


def problem(says: str) -> Check:
    return Check("links of books", Level.PROBLEM, says)


def test_a_link_of_the_first_page_is_shown_as_an_answer_has_it(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/disk full.md")

    assert checked(tmp_path, SITE) == ok(
        "such as https://docs.example.com/a/disk%20full/#disk-full"
    )


def test_pages_outside_of_the_site_are_counted(tmp_path: Path) -> None:
    write(tmp_path, "README.md", "content/a.md", "content/b.md", "tools/c.md")

    assert checked(tmp_path, SITE, site_root="content", anchors="hugo") == note(
        "such as https://docs.example.com/a/#disk-full; 2 of 4 pages have none: "
        "they lie outside of content (site_root)"
    )


def test_a_site_that_has_no_page_at_all_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "content/a.md")

    assert checked(tmp_path, SITE, site_root="contents") == problem(
        "none of the pages has one (1): it lies outside of contents (site_root)"
    )


def test_several_reasons_are_counted_apart(tmp_path: Path) -> None:
    write(tmp_path, "x.md", "docs/a.md", "docs/b.mdx", "docs/c.mdx")

    assert checked(tmp_path, SITE, site_root="docs", anchors="mkdocs") == note(
        "such as https://docs.example.com/a/#disk-full; 3 of 4 pages have none: "
        "mkdocs makes no pages of files of that kind (2); it lies outside of docs (site_root) (1)"
    )


def test_pages_that_are_not_committed_are_counted(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "pages")
    commit = repository.commit(b_md="# Disk full\n", c_md="# C\n")
    repository.write("a.md", b"# New\n")

    assert checked(tmp_path, BLOB) == note(
        f"such as https://example.com/blob/{commit}/b.md#disk-full; 1 of 3 pages has none: the "
        "commit lacks it, or has it otherwise: commit it, or write a branch in the place of "
        "{commit}"
    )


def test_a_folder_outside_a_checkout_has_no_commit(tmp_path: Path) -> None:
    write(tmp_path, "a.md")

    assert checked(tmp_path, BLOB) == problem(
        f"none: {tmp_path / 'pages'} is no git checkout that has a {{commit}}; "
        "write a branch in its place, or name the repository by git"
    )


@pytest.mark.parametrize("link", ["https://example.com/wiki", "https://example.com/wiki#{anchor}"])
def test_a_link_that_leads_every_answer_to_one_page_is_told(tmp_path: Path, link: str) -> None:
    write(tmp_path, "a.md", "b.md")

    assert checked(tmp_path, link) == note(
        f"{link} has neither {{path}} nor {{page}}: every answer links to one and the same page"
    )


def test_a_source_of_one_page_needs_no_field(tmp_path: Path) -> None:
    write(tmp_path, "a.md")

    found = checked(tmp_path, "https://example.com/wiki#{anchor}")
    assert found == ok("such as https://example.com/wiki#disk-full")


def test_a_page_that_cannot_be_read_is_no_example(tmp_path: Path) -> None:
    write(tmp_path, *(f"a{number:02}.md" for number in range(19)), "b.md")
    for page in (tmp_path / "pages").glob("a*.md"):
        page.write_bytes(b"# caf\xe9\n")

    assert checked(tmp_path, SITE) == ok("such as https://docs.example.com/b/#disk-full")


def test_a_source_whose_pages_cannot_be_read_is_noted(tmp_path: Path) -> None:
    write(tmp_path, "withheld.md", "binary.md")
    (tmp_path / "pages" / "withheld.md").write_text("---\nvisibility:\n---\n# Disk full\n")
    (tmp_path / "pages" / "binary.md").write_bytes(b"# Disk\0full\n")

    assert checked(tmp_path, SITE) == note(UNREAD)


def test_twenty_pages_are_looked_at(tmp_path: Path) -> None:
    write(tmp_path, *(f"a{number:02}.md" for number in range(20)), "b.md")
    for page in (tmp_path / "pages").glob("a*.md"):
        page.write_bytes(b"# caf\xe9\n")

    assert checked(tmp_path, SITE) == note(UNREAD)


def test_pages_without_a_link_are_counted_where_none_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "b.md")
    (tmp_path / "pages" / "docs" / "a.md").write_bytes(b"# caf\xe9\n")

    assert checked(tmp_path, SITE, site_root="docs") == note(
        f"{UNREAD}; 1 of 2 pages has none: it lies outside of docs (site_root)"
    )


def test_what_docusaurus_leaves_out_is_counted(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "_part.md")

    assert checked(tmp_path, SITE, anchors="docusaurus") == note(
        "such as https://docs.example.com/a/; 1 of 2 pages has none: "
        "docusaurus makes no pages of what begins with _"
    )


def test_a_source_without_pages_has_only_the_template_to_show(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()

    assert checked(tmp_path, SITE) == ok(SITE)


async def test_a_repository_shows_a_link_to_its_commit(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    commit = repository.commit(a_md="# Disk full\n")
    settings = SourceSettings(name="books", git=str(repository.root), link=BLOB)
    source = open_source(settings, clones=tmp_path / "clones")
    await source.refresh()

    assert link_check(source) == ok(f"such as https://example.com/blob/{commit}/a.md#disk-full")


async def test_what_a_repository_has_behind_a_link_to_a_folder_has_no_link(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    (repository.root / ".hidden").mkdir()
    (repository.root / ".hidden" / "b.md").write_text("# B\n")
    (repository.root / "shown").symlink_to(".hidden")
    commit = repository.commit(a_md="# Disk full\n")
    settings = SourceSettings(name="books", git=str(repository.root), link=BLOB)
    source = open_source(settings, clones=tmp_path / "clones")
    await source.refresh()

    assert link_check(source) == note(
        f"such as https://example.com/blob/{commit}/a.md#disk-full; 1 of 2 pages has none: "
        "the commit has it elsewhere, behind a link to a folder"
    )


def test_a_source_that_is_not_there_is_left_to_its_own_check(tmp_path: Path) -> None:
    assert checked(tmp_path, SITE) == ok(SITE)
