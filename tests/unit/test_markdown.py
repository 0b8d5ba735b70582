from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models import Span
from corpus.markdown import Block, BlockKind, Heading, parse


def headings(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in parse(text).headings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two ##\n", [(1, "One"), (2, "Two")]),
        ("   ### Indented\n", [(3, "Indented")]),
        ("Title\n=====\n\nSub\n---\n", [(1, "Title"), (2, "Sub")]),
        ("two\nlines\n===\n", [(1, "two\nlines")]),
        ("- item\n\n  ## In a list\n", [(2, "In a list")]),
        ("> # Quoted\n", [(1, "Quoted")]),
        ("#hashtag\n\n    # indented code\n", []),
        (
            "# `kubectl get` *po* &amp; [docs](http://x) ![alt](y.png)\n",
            [(1, "kubectl get po & docs")],
        ),
        ("## a\\*b ~~gone~~ <b>bold</b>\n", [(2, "a*b gone bold")]),
        ("## [ref]\n\n[ref]: http://x\n", [(2, "ref")]),
        ('## <a id="x"></a>\n', [(2, "")]),
    ],
)
def test_headings_are_what_commonmark_says(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize(
    "fence",
    [
        "```\n# restart\n```",
        "~~~ bash\n# restart\n~~~",
        "````\n```\n# restart\n```\n````",
        "```\n# restart\n``````",
        "- x\n\n  ```\n  # restart\n  ```",
        "```\n# restart\n``` not closed\n# still code",
    ],
)
def test_a_comment_inside_a_fence_is_no_heading(fence: str) -> None:
    assert headings(fence) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<h2 class="x">Raw &amp; <b>bold</b></h2>\n', [(2, "Raw & bold")]),
        ("<div>\n<h1>a</h1>\n<h3>b</h3>\n</div>\n", [(1, "a"), (3, "b")]),
        ("<!-- <h2>no</h2> -->\n\n<h2>yes</h2>\n", [(2, "yes")]),
        ('<a name="x"></a><h2>After an anchor</h2>\n', [(2, "After an anchor")]),
        ("write `<h2>x</h2>` for a heading\n", []),
        ("<header>no</header>\n", []),
        ("<h2>not closed\n", [(2, "not closed")]),
    ],
)
def test_headings_in_html_count(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(text) == expected


def test_an_html_heading_spans_its_element() -> None:
    text = "x\n\n<div><h2>Title</h2> rest</div>\n"

    (heading,) = parse(text).headings

    assert text[heading.span.start : heading.span.end] == "<h2>Title</h2>"


@pytest.mark.parametrize(
    "id_", [" {#over-view}", "{#over-view}", " {: #over-view .x }", " {#a .b c=d}", " {/* #a */}"]
)
def test_a_label_is_one_line_without_its_custom_id(id_: str) -> None:
    assert Heading(f"Over\n view{id_}", 2, Span(0, 0)).label == "Over view"


@pytest.mark.parametrize("text", ["Set {#}", "Use { # }", "A {x}", "Run {{#each}}"])
def test_braces_without_an_id_stay_in_the_label(text: str) -> None:
    assert Heading(text, 2, Span(0, 0)).label == text


def test_blocks_have_the_spans_of_their_lines_and_hold_their_children() -> None:
    text = "Intro\n\n- one\n- two\n\n  ```sh\n  ls\n  ```\n\n| a |\n| - |\n| b |\n"

    assert parse(text).blocks == (
        Block(BlockKind.PARAGRAPH, Span(0, 5)),
        Block(
            BlockKind.LIST,
            Span(7, 38),
            (
                Block(BlockKind.ITEM, Span(7, 12), (Block(BlockKind.PARAGRAPH, Span(7, 12)),)),
                Block(
                    BlockKind.ITEM,
                    Span(13, 38),
                    (
                        Block(BlockKind.PARAGRAPH, Span(13, 18)),
                        Block(BlockKind.FENCE, Span(20, 38), mark="```"),
                    ),
                ),
            ),
        ),
        Block(BlockKind.TABLE, Span(40, 57)),
    )


def test_every_kind_of_block_is_named() -> None:
    text = "# h\n\np\n\n    code\n\n> q\n\n---\n\n<div>\n\n~~~\nf\n~~~\n"

    assert [block.kind.value for block in parse(text).blocks] == [
        "heading", "paragraph", "code", "quote", "rule", "html", "fence",
    ]  # fmt: skip


@settings(deadline=None)
@given(st.text(alphabet="#-=>`~|<h2/>!ab \n\t*[]()", max_size=200))
def test_blocks_and_headings_are_in_order_and_inside_the_text(text: str) -> None:
    outline = parse(text)
    spans = [block.span for block in outline.blocks]
    starts = [heading.span.start for heading in outline.headings]

    assert starts == sorted(set(starts))
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)
