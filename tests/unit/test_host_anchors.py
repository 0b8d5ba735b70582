"""Each host's own anchors; what they are is taken from the hosts' sources and documentation."""

import pytest

from core.models import Host
from core.settings_lists import SourceSettings
from corpus.host_anchors import host_anchors
from corpus.markdown import parse


def anchors(host: Host, text: str, path: str = "a.md") -> list[str]:
    return host_anchors(parse(text).headings, host, path)


def test_gitlab_makes_those_of_its_documentation() -> None:
    page = (
        "# This heading has spaces in it\n## This heading has a :thumbsup: in it\n"
        "# This heading has Unicode in it: 한글\n## This heading has spaces in it\n"
        "### This heading has spaces in it\n## This heading has 3.5 in it (and parentheses)\n"
        "## This heading has  multiple spaces and --- hyphens\n"
    )
    assert anchors(Host.GITLAB, page) == [
        "this-heading-has-spaces-in-it",
        "this-heading-has-a-thumbsup-in-it",
        "this-heading-has-unicode-in-it-한글",
        "this-heading-has-spaces-in-it-1",
        "this-heading-has-spaces-in-it-2",
        "this-heading-has-35-in-it-and-parentheses",
        "this-heading-has--multiple-spaces-and-----hyphens",
    ]


@pytest.mark.parametrize(
    ("text", "github", "gitlab"),
    [
        ("# ½ full", ["-full"], ["½-full"]),
        ("# A ![build](b.svg)", ["a"], ["a-build"]),
        ("two\nlines\n===", ["twolines"], ["two-lines"]),
        ("<h2>Raw</h2>\n\n## Raw", ["raw", "raw-1"], ["", "raw"]),
        ("# 🔥\n# 🔥 \n# A", ["", "-1", "a"], ["", "", "a"]),
        ("# A {#b}", ["a-b"], ["a-b"]),
        ("# A <br>", ["a"], ["a-"]),
    ],
)
def test_gitlab_differs_from_github_in_little(
    text: str, github: list[str], gitlab: list[str]
) -> None:
    assert (anchors(Host.GITHUB, text), anchors(Host.GITLAB, text)) == (github, gitlab)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Foo & Bar / Baz", ["foo-bar-baz"]),
        ("# Žlutý kůň_1", ["zluty-kun_1"]),
        ("# A\n# A\n# A", ["a", "a_1", "a_2"]),
        ("# A\n# A_1\n# A", ["a", "a_1", "a_2"]),
        ("# 你好\n# 世界", ["_1", "_2"]),
        ("# A {#a_2}\n# A\n# A", ["a_2", "a", "a_1"]),
        ("# A {: #x .y k=v }", ["x"]),
        ("# A {.y}", ["a"]),
        ("# A{#x}", ["ax"]),
        ("# A {#x}\n# B {#x}", ["x", ""]),
        ("<h2>Raw</h2>\n\n# Raw", ["", "raw"]),
        ("# {{ title }}", [""]),
        ("# Get <b>all</b> <pod_name>s", ["get-all-s"]),
        ("# a < b and c > d", ["a-b-and-c-d"]),
        (r"# Get \<pod\> &lt;node&gt;", ["get-pod-node"]),
        (r"# Limit of \<number>", ["limit-of"]),
        ("# `A {#b}`", ["a-b"]),
        (r"# A \{#b}", ["a-b"]),
        ('??? note "A"\nB\n---\n# Note A B', ["", "note-a-b"]),
        ("A\n---\n# A", ["a", "a_1"]),
    ],
)
def test_mkdocs_anchors_are_those_of_python_markdown(text: str, expected: list[str]) -> None:
    assert anchors(Host.MKDOCS, text) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Host.GITHUB, ["kubectl-get", "kubectl-get-pod", "kubectl-get-1"]),
        (Host.GITLAB, ["kubectl-get", "kubectl-get-pod", "kubectl-get-1"]),
        (Host.MKDOCS, ["kubectl-get", "kubectl-get-pod", "kubectl-get_1"]),
        (Host.DOCUSAURUS, ["kubectl-get", "kubectl-get-pod", "kubectl-get-1"]),
        (Host.HUGO, ["kubectl-get", "kubectl-get-pod", "kubectl-get-1"]),
    ],
)
def test_a_placeholder_in_code_is_no_tag_on_any_host(host: Host, expected: list[str]) -> None:
    page = "## `kubectl get`\n\n## `kubectl get <pod>`\n\n## kubectl get\n"
    assert anchors(host, page) == expected


@pytest.mark.parametrize("host", list(Host))
def test_marks_and_entities_in_code_are_its_text(host: Host) -> None:
    assert anchors(host, r"## `a_b_ *c* &lt; \<d>`") == ["a_b_-c-lt-d"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Disk {#full}\n# Full", ["", "full_1"]),
        ("# Full\n# Disk {#full}", ["full_1", ""]),
        ("# A {#a_1}\n# A\n# A", ["", "a", "a_2"]),
        ("# Disk {#disk-disk}", ["disk-disk"]),
        ("# Disk {#disk}\n# Full {#full}", ["disk", "full"]),
    ],
)
def test_an_id_that_mkdocs_may_not_know_of_never_leads_to_another_heading(
    text: str, expected: list[str]
) -> None:
    assert anchors(Host.MKDOCS, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\n## Errors\n## Errors\n## Errors-1", ["", "errors", "errors-1", "errors-1-1"]),
        ("## A {#x-y}\n## A", ["x-y", "a"]),
        ("## A {/* #x-y */}", ["x-y"]),
        ("## A {#x}\n## X", ["x", ""]),
        ("# A\n## A", ["", "a-1"]),
        ("## 😄 emoji", ["-emoji"]),
        ("## ![logo](x.png) Start", ["logo-start"]),
        ("## Start <Badge />", ["start-"]),
    ],
)
def test_docusaurus_counts_like_github_and_gives_a_title_none(
    text: str, expected: list[str]
) -> None:
    assert anchors(Host.DOCUSAURUS, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A b_c-d\n# A b_c-d", ["a-b_c-d", "a-b_c-d-1"]),
        ("# 🔥\n# 🔥", ["heading", "heading-1"]),
        ("# A {#x}\n# X", ["x", "x-1"]),
        ("# A {#x .y}\n# B {#x}", ["x", ""]),
        ("# [Docs](https://x.org) now", ["docshttpsxorg-now"]),
        ("# Fish &amp; chips", ["fish-amp-chips"]),
        ("one\ntwo\n===", ["two"]),
        ("# e\u0301t\u00e9 ½", ["et\u00e9-"]),
        ('# {{% heading "whatsnext" %}}', [""]),
        ("<h2>Raw</h2>", [""]),
    ],
)
def test_hugo_makes_anchors_from_what_is_written(text: str, expected: list[str]) -> None:
    assert anchors(Host.HUGO, text) == expected


@pytest.mark.parametrize(
    ("host", "path", "rendered"),
    [
        (Host.GITHUB, "a.mdx", True),
        (Host.GITHUB, "a.html.md.erb", False),
        (Host.GITHUB, "PM-1 Outage", False),
        (Host.GITLAB, "a.mdx", False),
        (Host.GITLAB, "a.markdown", True),
        (Host.MKDOCS, "a.mdx", False),
        (Host.DOCUSAURUS, "a.mdx", True),
        (Host.HUGO, "a.md.erb", False),
    ],
)
def test_only_what_a_host_renders_has_anchors(host: Host, path: str, rendered: bool) -> None:
    assert anchors(host, "## A", path) == ["a" if rendered else ""]


@pytest.mark.parametrize(
    ("place", "host"),
    [
        ({"path": "x"}, Host.GITHUB),
        ({"path": "x", "link": "https://gitlab.acme.org/a/-/blob/main/{path}"}, Host.GITLAB),
        ({"path": "x", "link": "https://code.acme.org/a/-/blob/{commit}/{path}"}, Host.GITLAB),
        ({"path": "x", "link": "https://acme.gitlab.io/{page}/"}, Host.GITHUB),
        ({"path": "x", "link": "https://gitlab.com/{path}", "anchors": "hugo"}, Host.HUGO),
        ({"git": "git@gitlab.com:acme/books.git"}, Host.GITLAB),
        ({"git": "https://bob:x@gitlab.acme.org/books.git"}, Host.GITLAB),
        ({"git": "https://github.com/acme/gitlab.git"}, Host.GITHUB),
    ],
)
def test_the_host_is_named_or_plainly_told_by_an_address(place: dict[str, str], host: Host) -> None:
    assert SourceSettings.model_validate({"name": "books"} | place).host is host
