from pathlib import Path

import pytest

from core.models import Section
from core.settings_lists import SourceSettings
from corpus.links import link_to
from corpus.loader import load
from corpus.splitter import cut

TEMPLATE = "https://example.com/acme/blob/{commit}/{path}#{anchor}"


def source(link: str | None) -> SourceSettings:
    return SourceSettings(name="docs", path=Path("docs"), link=link)


def section(path: str = "a/disk full (1)+$x.md", text: str = "# Ünïx / b\nx\n") -> Section:
    page = load(text.encode(), path, source(None)).document
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
