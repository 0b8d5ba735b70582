from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models import CutDocument, Document, Passage, Section, Span
from core.settings_lists import SourceSettings
from corpus.loader import load
from corpus.markdown import parse
from corpus.splitter import cut

SOURCE = SourceSettings(name="docs", path=Path("docs"), tenant="acme")


def document(text: str, path: str = "disk.md") -> Document:
    return load(text.encode(), path, SOURCE).document


def cut_page(text: str, path: str = "disk.md") -> CutDocument:
    return cut(document(text, path), fits=lambda text: True)


def headings(text: str) -> list[tuple[str, ...]]:
    return [section.headings for section in cut_page(text).sections]


def test_a_page_is_cut_into_sections_with_their_lines_and_passages() -> None:
    page = document("---\ntitle: Disk full\n---\n# Disk full\n\n## Fix\nrm `/tmp/x`\n\n")

    found = cut(page, fits=lambda text: True)

    first = Section(
        id="9baf3123-edd3-5e9e-aaa1-e3dfe4dd1fab",
        document_id=page.id,
        document_hash=page.hash,
        tenant="acme",
        source="docs",
        path="disk.md",
        metadata=page.metadata,
        headings=("Disk full",),
        anchor="disk-full",
        span=Span(0, 13),
        line_start=4,
        line_end=5,
        text="# Disk full\n\n",
    )
    second = replace(
        first,
        id="a5689112-20ee-5423-92a9-033e66ccd141",
        headings=("Disk full", "Fix"),
        anchor="fix",
        span=Span(13, 33),
        line_start=6,
        line_end=8,
        text="## Fix\nrm `/tmp/x`\n\n",
    )
    passage = Passage(
        id="2449b564-c002-5181-bc5a-05eb7eea6997",
        section_id=second.id,
        document_id=page.id,
        ordinal=0,
        span=Span(20, 31),
        embedded="Disk full › Fix\nrm `/tmp/x`",
    )
    assert found == CutDocument(page, (first, second), (passage,))


def test_text_before_the_first_heading_is_a_section_titled_as_the_document() -> None:
    first, second = cut_page("Intro\n\n# One\nx\n").sections

    assert (first.headings, first.heading, first.anchor) == ((), "One", "")
    assert second.headings == ("One",)


def test_blank_lines_before_the_first_heading_belong_to_its_section() -> None:
    (section,) = cut_page("\n\n# One\nx\n").sections

    assert (section.headings, section.span, section.line_start) == (("One",), Span(0, 10), 1)


@pytest.mark.parametrize("text", ["", "\n", "no heading\n"])
def test_a_page_without_a_heading_is_one_section(text: str) -> None:
    (section,) = cut_page(text).sections

    assert (section.headings, section.text, section.breadcrumb) == ((), text, "disk")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("# A\n## B\n### C\n## D\n", [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]),
        ("### A\n# B\n#### C\n## D\n", [("A",), ("B",), ("B", "C"), ("B", "D")]),
        ("# A\n## 🔥\n### C\n", [("A",), ("A", "🔥"), ("A", "🔥", "C")]),
        ('# A\n## <a id="x"></a>\ny\n### C\n', [("A",), ("A",), ("A", "C")]),
        ("# A {#a}\n", [("A",)]),
        ("- x\n\n  ## In a list\n  y\n", [(), ("In a list",)]),
    ],
)
def test_a_heading_stands_under_the_nearest_smaller_level(
    text: str, paths: list[tuple[str, ...]]
) -> None:
    assert headings(text) == paths


def test_a_heading_that_a_template_fills_with_the_title_is_the_title() -> None:
    (section,) = cut_page("---\ntitle: T\n---\n# <%= current_page.data.title %>\nx\n").sections

    assert section.headings == ("T",)


def test_sections_that_share_their_headings_have_ids_of_their_own() -> None:
    sections = cut_page("# A\n## Fix\nx\n## Fix\ny\n").sections

    assert len({section.id for section in sections}) == 3
    assert [section.anchor for section in sections] == ["a", "fix", "fix-1"]


def test_ids_survive_an_insertion_above() -> None:
    before = cut_page("# A\nx\n## Fix\ny\n")
    after = cut_page("Intro\n\n# A\nx\n\n## New\nz\n## Fix\ny\n")

    assert {section.id for section in before.sections} < {section.id for section in after.sections}
    assert {passage.id for passage in before.passages} < {passage.id for passage in after.passages}


def test_ids_differ_by_tenant_source_and_path() -> None:
    page = document("# A\nx\n")
    others = [replace(page, tenant="b"), replace(page, source="b"), replace(page, path="b.md")]

    ids = {cut(one, fits=lambda text: True).sections[0].id for one in [page, *others]}

    assert len(ids) == 4


@pytest.mark.parametrize("path", ["a.md.erb", "PM2022-009 Bad AMI"])
def test_a_page_that_github_shows_as_source_has_no_anchors(path: str) -> None:
    assert cut_page("# A\nx\n", path).sections[0].anchor == ""


def test_a_heading_without_a_slug_has_no_anchor() -> None:
    assert cut_page("# 🔥\nx\n").sections[0].anchor == ""


@pytest.mark.parametrize(
    ("text", "path", "names"),
    [
        ("---\nalerts: [disk full, B]\n---\nx\n", "a.md", ("disk full", "b")),
        ("x\n", "KubePodCrashLooping.md", ("kubepodcrashlooping",)),
        ("# KubePodCrashLooping\nx\n", "KubePodCrashLooping.md", ("kubepodcrashlooping",)),
        ("# `PAY-1042`\nx\n", "payments.md", ("pay-1042",)),
        ("# INDEXER_BATCH_SIZE\nx\n", "a.md", ("indexer_batch_size",)),
        ("# Restart the pod\nx\n", "node-shutdown.md", ()),
        ("# Impact\nx\n", "_index.md", ()),
    ],
)
def test_names_are_alerts_and_whatever_is_named_like_an_identifier(
    text: str, path: str, names: tuple[str, ...]
) -> None:
    assert cut_page(text, path).sections[0].names == names


def test_a_heading_names_its_own_section_and_those_below_it() -> None:
    sections = cut_page(
        "# Alerts\n## KubeTargetDown\nx\n### Impact\ny\n## KubeNodeDown\nz\n"
    ).sections

    assert [section.names for section in sections] == [
        (),
        ("kubetargetdown",),
        ("kubetargetdown",),
        ("kubenodedown",),
    ]


@pytest.mark.parametrize("body", ["", "\n", "\n\n---\n", "\n## Next\n"])
def test_a_section_without_words_has_no_passage(body: str) -> None:
    assert cut_page(f"# A{body}").passages == ()


LINES = [
    "# A", "## B c", "---", "===", "```", "~~~ sh", "- item", "  - sub", "1. one", "> quote",
    "| a | b |", "|---|---|", "<h2>H</h2>", "<div>", "    code", "", "", "[r]: http://x",
    "Some words. And more!", "漢字。漢字", "x" * 40, "\ttab", "data:x;base64," + "A" * 60,
]  # fmt: skip
MARKDOWN = st.lists(st.sampled_from(LINES), max_size=30).map("\n".join)


@settings(deadline=None)
@given(MARKDOWN)
def test_sections_partition_the_text(text: str) -> None:
    sections = cut(replace(document("x"), text=text), fits=lambda text: True).sections

    assert "".join(section.text for section in sections) == text
    assert [section.text for section in sections] == [
        text[section.span.start : section.span.end] for section in sections
    ]


@settings(deadline=None)
@given(MARKDOWN, st.integers(20, 300))
def test_passages_hold_every_word_below_the_headings_once(text: str, window: int) -> None:
    page = replace(document("x"), text=text)

    found = cut(page, fits=lambda text: len(text) <= window, passage_chars=200)

    below = set(range(len(text)))
    for heading in parse(text).headings:
        below -= set(range(heading.span.start, heading.span.end))
    held = [at for passage in found.passages for at in range(passage.span.start, passage.span.end)]
    assert held == sorted(set(held))
    assert {at for at in below if text[at].isalnum()} <= set(held) <= below


@settings(deadline=None)
@given(MARKDOWN)
def test_no_passage_is_beyond_the_window(text: str) -> None:
    page = replace(document("x"), text=text)

    found = cut(page, fits=lambda text: len(text) <= 90, passage_chars=200)

    assert all(len(passage.embedded) <= 90 for passage in found.passages)


@pytest.mark.parametrize(
    "text",
    ["word " * 2000, "x" * 20_000, "# a\nb\n" * 200, "- a b\n" * 300, "```\n" + "a\n" * 2000],
)
def test_the_window_is_asked_about_once_a_passage_and_little_more(text: str) -> None:
    asked = []

    found = cut(document(text), fits=lambda text: not asked.append(text))

    assert len(asked) <= len(found.passages) + 2
