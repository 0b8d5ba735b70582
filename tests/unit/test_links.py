from pathlib import Path
from urllib.parse import quote

import pytest

from core.models import Section
from core.settings_lists import SourceSettings
from corpus.links import link_to
from corpus.loader import load
from corpus.splitter import cut

TEMPLATE = "https://example.com/acme/blob/{commit}/{path}#{anchor}"
SITE = "https://docs.example.com/{page}/#{anchor}"


def source(link: str | None) -> SourceSettings:
    return SourceSettings(name="docs", path=Path("docs"), link=link)


def section(path: str = "a/disk full (1)+$x.md", text: str = "# Ünïx / b\nx\n") -> Section:
    page = load(text.encode(), path, source(None)).document
    return cut(page, fits=lambda text: True).sections[-1]


def site(anchors: str, link: str = SITE, **values: str) -> SourceSettings:
    settings = {"name": "docs", "path": "docs", "anchors": anchors, "link": link}
    return SourceSettings.model_validate(settings | values)


def titled(path: str, settings: SourceSettings) -> Section:
    page = load(b"# T\n\n## A\nx\n", path, settings).document
    return cut(page, fits=lambda text: True).sections[-1]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            TEMPLATE,
            "https://example.com/acme/blob/c0ffee/a/disk%20full%20%281%29%2B%24x.md#%C3%BCn%C3%AFx--b",
        ),
        (
            "https://example.com/{path}?plain=1#L{line_start}-L{line_end}",
            "https://example.com/a/disk%20full%20%281%29%2B%24x.md?plain=1#L1-L2",
        ),
        ("https://example.com/wiki", "https://example.com/wiki"),
    ],
)
def test_a_template_is_filled_percent_encoded(template: str, expected: str) -> None:
    assert link_to(section(), source(template), "c0ffee", None) == expected


def test_without_an_anchor_the_link_is_to_the_page() -> None:
    assert (
        link_to(section("a.md", "no heading\n"), source(TEMPLATE), "c0ffee", None)
        == "https://example.com/acme/blob/c0ffee/a.md"
    )


def test_a_template_that_wants_a_commit_has_no_link_without_one() -> None:
    assert link_to(section(), source(TEMPLATE), "", Path("/docs")) == ""


def test_a_folder_without_a_template_links_to_the_file() -> None:
    assert (
        link_to(section("a b.md", "# Fix it\nx\n"), source(None), "", Path("/srv/docs"))
        == "file:///srv/docs/a%20b.md#fix-it"
    )


def test_a_page_without_an_anchor_has_no_fragment_as_a_file() -> None:
    assert (
        link_to(section("a.md", "no heading\n"), source(None), "", Path("/srv"))
        == "file:///srv/a.md"
    )


def test_there_is_no_link_where_there_is_neither_template_nor_folder() -> None:
    assert link_to(section(), source(None), "c0ffee", None) == ""


def test_braces_in_a_path_are_no_fields() -> None:
    assert (
        link_to(section("{commit}.md"), source("https://x.org/{path}"), "c0ffee", None)
        == "https://x.org/%7Bcommit%7D.md"
    )


@pytest.mark.parametrize(
    ("template", "path", "link"),
    [
        (
            "https://github.com/a/b/blob/{commit}/{path}#{anchor}",
            "a.html.md.erb",
            "https://github.com/a/b/blob/c0ffee/a.html.md.erb#L1-L2",
        ),
        (
            "https://gitlab.com/a/b/-/blob/{commit}/{path}#{anchor}",
            "a.mdx",
            "https://gitlab.com/a/b/-/blob/c0ffee/a.mdx#L1-2",
        ),
        ("https://docs.example.com/{path}#{anchor}", "a.erb", "https://docs.example.com/a.erb"),
        (
            "https://example.com/blob/{path}#x-{line_end}",
            "a.md",
            "https://example.com/blob/a.md#x-2",
        ),
    ],
)
def test_where_the_host_shows_a_file_as_source_the_link_is_to_its_lines(
    template: str, path: str, link: str
) -> None:
    assert link_to(section(path, "# 🔥\nx\n"), source(template), "c0ffee", None) == link


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("ops/disk full.md", "https://docs.example.com/ops/disk%20full/#a"),
        ("ops/index.md", "https://docs.example.com/ops/#a"),
        ("ops/README.md", "https://docs.example.com/ops/#a"),
        ("_index.md", "https://docs.example.com/#a"),
    ],
)
def test_a_page_is_the_path_as_a_site_has_it(path: str, link: str) -> None:
    template = "https://docs.example.com/{page}/#{anchor}"

    assert link_to(section(path, "# A\nx\n"), source(template), "", None) == link


@pytest.mark.parametrize(
    ("anchors", "path", "link"),
    [
        ("hugo", "Ops/Disk Full.md", "https://docs.example.com/ops/disk-full/#a"),
        ("docusaurus", "02-ops/1. disk.md", "https://docs.example.com/ops/disk/#a"),
        (
            "docusaurus",
            "ops/2024-01-31-outage.md",
            "https://docs.example.com/ops/2024-01-31-outage/#a",
        ),
        ("mkdocs", "Ops/01-disk.md", "https://docs.example.com/Ops/01-disk/#a"),
    ],
)
def test_a_page_is_where_that_kind_of_site_puts_it(anchors: str, path: str, link: str) -> None:
    assert link_to(titled(path, site(anchors)), site(anchors), "", None) == link


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("Payments (EU) - failover.md", "payments-eu---failover"),
        ("Team (A) & B/x (y).md", "team-a--b/x-y"),
        ("disk  full.md", "disk--full"),
        ("tab\tx \u00a0y\u00a0.md", "tab-x-y"),
        ("\u00a0a.md", "a"),
        ("x_y+z~w@v.md", "x_y+z~w@v"),
        ("50% full.md", "50-full"),
        ("100%25 x.md", "100%25-x"),
        ("½ disk.md", "-disk"),
        ("१२ Çé.md", "१२-çé"),
        ("İst ΟΔΟΣ.md", "ist-οδοσ"),
    ],
)
def test_a_path_is_written_as_hugo_writes_it(path: str, page: str) -> None:
    books = site("hugo")

    assert link_to(titled(path, books), books, "", None) == (
        f"https://docs.example.com/{quote(page)}/#a"
    )


@pytest.mark.parametrize(
    ("anchors", "path", "page"),
    [
        ("hugo", "ops/Index.md", "ops/"),
        ("hugo", "ops/_index.md", "ops/"),
        ("hugo", "ops/README.md", "ops/readme/"),
        ("mkdocs", "ops/index.md", "ops/"),
        ("mkdocs", "ops/README.md", "ops/"),
        ("mkdocs", "ops/readme.md", "ops/readme/"),
        ("mkdocs", "ops/Index.md", "ops/Index/"),
        ("mkdocs", "ops/_index.md", "ops/_index/"),
        ("docusaurus", "ops/Index.md", "ops/"),
        ("docusaurus", "ops/ReadMe.mdx", "ops/"),
        ("docusaurus", "ops/ops.md", "ops/"),
        ("docusaurus", "Ops/ops.md", "Ops/"),
        ("docusaurus", "02-ops/02-ops.md", "ops/"),
        ("docusaurus", "02-ops/ops.md", "ops/ops/"),
        ("docusaurus", "ops/01-index.md", "ops/index/"),
        ("docusaurus", "index.md", ""),
    ],
)
def test_an_index_page_is_what_that_kind_of_site_takes_for_one(
    anchors: str, path: str, page: str
) -> None:
    books = site(anchors)

    assert link_to(titled(path, books), books, "", None) == f"https://docs.example.com/{page}#a"


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("_docs/ops/_disk.md", ""),
        ("_docs/_parts/disk.mdx", ""),
        ("_docs/ops/disk_.md", "https://docs.example.com/ops/disk_/#a"),
    ],
)
def test_what_begins_with_an_underscore_is_no_page_of_docusaurus(path: str, link: str) -> None:
    books = site("docusaurus", site_root="_docs")

    assert link_to(titled(path, books), books, "", None) == link


@pytest.mark.parametrize(
    ("root", "path", "link"),
    [
        ("content", "content/ops/Disk Full.md", "https://docs.example.com/ops/disk-full/#a"),
        ("content", "content/_index.md", "https://docs.example.com/#a"),
        ("content/en", "content/en/ops.md", "https://docs.example.com/ops/#a"),
        ("content", "ops/disk.md", ""),
        ("content", "contents/disk.md", ""),
        ("content", "README.md", ""),
        ("content/en", "content/de/ops.md", ""),
    ],
)
def test_a_page_is_below_the_sites_own_folder_or_has_no_link(
    root: str, path: str, link: str
) -> None:
    books = site("hugo", site_root=root)

    assert link_to(titled(path, books), books, "", None) == link


def test_the_path_of_a_page_stays_that_in_the_source() -> None:
    link = "https://docs.example.com/{page}?edit={path}"
    books = site("hugo", link=link, site_root="content")

    assert (
        link_to(titled("content/a.md", books), books, "", None)
        == "https://docs.example.com/a?edit=content/a.md"
    )


@pytest.mark.parametrize(
    ("anchors", "path", "link"),
    [
        ("mkdocs", "a.mdx", ""),
        ("hugo", "a.html.md.erb", ""),
        ("docusaurus", "a.markdown", ""),
        ("docusaurus", "a.mdx", "https://docs.example.com/a/#a"),
        ("github", "a.html.md.erb", "https://docs.example.com/a/"),
    ],
)
def test_what_a_kind_of_site_makes_no_page_of_has_no_link(
    anchors: str, path: str, link: str
) -> None:
    assert link_to(titled(path, site(anchors)), site(anchors), "", None) == link


@pytest.mark.parametrize(
    ("git", "link"),
    [
        ("https://github.com/acme/books.git", "https://github.com/acme/books/blob/c0ffee/a.md#a"),
        ("git@github.com:acme/books", "https://github.com/acme/books/blob/c0ffee/a.md#a"),
        (
            "ssh://git@gitlab.com:22/acme/ops/books.git",
            "https://gitlab.com/acme/ops/books/-/blob/c0ffee/a.md#a",
        ),
        ("https://bob:pw@github.com/acme/b", "https://github.com/acme/b/blob/c0ffee/a.md#a"),
        ("https://git.example.com/acme/books.git", ""),
        ("/srv/books", ""),
        ("https://github.com/acme", ""),
    ],
)
def test_a_public_repository_needs_no_template(git: str, link: str) -> None:
    books = SourceSettings(name="docs", git=git)

    assert link_to(section("a.md", "# A\nx\n"), books, "c0ffee", None) == link
