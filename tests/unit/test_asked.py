from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.keywords import section_vector, token_number
from core.models import Asked, CutDocument
from core.settings_lists import SourceSettings
from corpus.asked import LONGEST, MOST, without_asked
from corpus.loader import load
from corpus.splitter import cut

SOURCE = SourceSettings(name="docs", path=Path("docs"))
PAGE = """---
title: Payments
---
# Payments

## Rollback

Undo it.

<!-- asked: the deploy went wrong, go back | pay is broken since the release -->

## Restart

Start it again.
"""


def cut_page(text: str, *, window: int = 10_000) -> CutDocument:
    page = load(text.encode(), "payments.md", SOURCE).document
    return cut(page, fits=lambda text: len(text) <= window)


def test_asked_questions_find_their_section_and_are_never_in_its_text() -> None:
    found = cut_page(PAGE)

    rollback = next(section for section in found.sections if section.heading == "Rollback")
    embedded = [p.embedded for p in found.passages if p.section_id == rollback.id]
    assert embedded == [
        "Payments › Rollback\nUndo it.",
        "Payments › Rollback\nthe deploy went wrong, go back",
        "Payments › Rollback\npay is broken since the release",
    ]
    assert rollback.text == "## Rollback\n\nUndo it.\n\n\n\n"
    assert token_number("broken") in section_vector(rollback).indices
    assert "asked" not in found.document.text


def test_a_section_found_by_a_question_opens_where_its_text_begins() -> None:
    found = cut_page(PAGE)

    spans = {p.span for p in found.passages if p.embedded.startswith("Payments › Rollback")}
    assert [found.document.text[one.start : one.end] for one in spans] == ["Undo it."]


def test_the_lines_below_a_comment_keep_their_numbers() -> None:
    several = PAGE.replace(" | ", "\n").replace("asked: ", "asked:\n").replace(" -->", "\n-->")

    for text in (PAGE, several):
        found = cut_page(text)
        last = found.sections[-1]
        lines = text.split("\n")
        assert lines[last.line_start - 1] == "## Restart"
        assert found.document.asked[0].questions == (
            "the deploy went wrong, go back",
            "pay is broken since the release",
        )


@pytest.mark.parametrize(
    "text",
    [
        "```md\n<!-- asked: how do I write these -->\n```\n",
        "    <!-- asked: as code -->\n",
        "Write `<!-- asked: … -->` below.\n",
        "<details>\n<pre>\n<!-- asked: shown as it is -->\n</pre>\n</details>\n",
        "Write `so:\n{/* asked: one */}\nor so`.\n",
        "- ```\n  <!-- asked: one -->\n  ```\n",
        "| a |\n|---|\n| `<!-- asked: one -->` |\n",
        "<!-- asked nothing -->\n",
    ],
)
def test_what_is_code_stays_text(text: str) -> None:
    assert without_asked(text) == (text, (), ())


@pytest.mark.parametrize(
    "text",
    [
        "Text <!-- asked: beside text --> and more.\n",
        "<!-- asked: beside --> text\n",
        "<!-- asked: how do a->b --> c work -->\n",
        "<!-- asked: one --> <!-- else -->\n",
        "- <!-- asked: beside a mark -->\n",
        "## Title <!-- asked: beside a title -->\n",
        "| a |\n|---|\n| <!-- asked: beside a cell --> |\n",
        "<!-- switched off\n<!-- asked: one -->\n",
    ],
)
def test_one_beside_other_text_stays_and_is_told_by_line(text: str) -> None:
    line = 1 + text[: text.index("asked:")].count("\n")

    assert without_asked(text) == (
        text,
        (),
        (f"asked questions of line {line} are ignored: the comment must have its lines to itself",),
    )


@pytest.mark.parametrize(
    "text",
    [
        "<!-- asked: never closed\n",
        "{/* asked: one\n\ntwo */}\n",
        "<!-- asked: one\n\ntwo -->\n",
        "<!-- asked: one\n## Two\ntext\n-->\n",
        "<!-- asked: one\nsteps\n<!-- more -->\n",
        "{/* asked: one\n{/* more */}\n",
        "<!-- asked: one\nsteps <!-- more -->\n",
    ],
)
def test_one_that_was_not_closed_takes_nothing_away_and_is_told_by_line(text: str) -> None:
    told = "end the comment before a blank line, a heading or another comment"

    assert without_asked(f"a\n\n{text}") == (
        f"a\n\n{text}",
        (),
        (f"asked questions of line 3 are not closed: {told}",),
    )


def test_a_forgotten_end_leaves_the_following_sections_in_the_index() -> None:
    page = "# T\n\na\n\n<!-- asked: foo\n\n## Two\n\nimportant\n\n## Three\n<!-- asked: three -->\n"
    loaded = load(page.encode(), "t.md", SOURCE)

    assert loaded.document.text == page
    assert "important" in cut_page(page).passages[0].embedded
    assert [warning[:28] for warning in loaded.warnings] == [
        "asked questions of line 5 ar",
        "asked questions of line 12 a",
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n\n{/* asked: one | two */}\n\nb\n", "a\n\n\n\nb\n"),
        ("- item\n\n  <!-- asked: one | two -->\n", "- item\n\n  \n"),
        ("text\n<!-- ASKED: one | two --> \n", "text\n\n"),
        ("# H\n<!-- asked: one|two|one| -->\nb\n", "# H\n\nb\n"),
        (
            "<details>\n<summary>s</summary>\n<!-- asked: one|two -->\n</details>\n",
            "<details>\n<summary>s</summary>\n\n</details>\n",
        ),
        ("text\n{/* asked: one|two */}\nmore\n", "text\n\nmore\n"),
        ("text\n{/* asked:\n- one\n- two\n*/}\n", "text\n"),
        ("> a\n> <!-- asked:\n> one\n> two\n> -->\n> b\n", "> a\n> \n> \n> \n> \n> b\n"),
    ],
)
def test_a_comment_of_its_own_counts_wherever_it_stands(text: str, left: str) -> None:
    body, asked, ignored = without_asked(text)

    assert ([one.questions for one in asked], ignored) == ([("one", "two")], ())
    assert body.split() == left.split()
    assert body.count("\n") == text.count("\n")


def test_a_question_may_name_the_mark_of_a_comment() -> None:
    asked = without_asked("a\n<!-- asked: what is <!-- for | and {/* -->\n")[1]

    assert [one.questions for one in asked] == [("what is <!-- for", "and {/*")]


def test_two_comments_on_one_line_both_count() -> None:
    body, asked, ignored = without_asked("a\n\n<!-- asked: one -->  <!-- asked: two -->\n")

    assert body.split() == ["a"]
    assert [one.questions for one in asked] == [("one",), ("two",)]
    assert ignored == ()


def test_a_question_belongs_to_the_section_in_which_its_comment_stands() -> None:
    text = (
        "Intro\n<!-- asked: zero -->\n# A\na\n<!-- asked: one -->\n## B\nb\n\n<!-- asked: two -->"
    )

    assert [section.asked for section in cut_page(text).sections] == [("zero",), ("one",), ("two",)]


def test_a_section_without_text_is_not_found_by_questions_alone() -> None:
    page = "# A\n<!-- asked: one -->\n## B\nb\n"

    assert [passage.embedded for passage in cut_page(page).passages] == ["A › B\nb"]
    assert load(page.encode(), "a.md", SOURCE).warnings == (
        "asked questions of line 2 are ignored: "
        "below its heading the section has no text that they could find",
    )


def test_questions_above_the_first_heading_are_its_sections() -> None:
    assert load(b"<!-- asked: one -->\n\n# A\na\n", "a.md", SOURCE).warnings == ()


def test_too_long_and_too_many_questions_are_reported_by_line() -> None:
    many = " | ".join(f"question {n}" for n in range(MOST + 2))
    page = f"---\ntitle: T\n---\nText\n\n<!-- asked: {many} -->\n\n<!-- asked: {'a' * 301} -->\n"

    loaded = load(page.encode(), "t.md", SOURCE)

    assert [len(one.questions) for one in loaded.document.asked] == [MOST]
    assert loaded.warnings == (
        f"asked questions of line 6: 2 ignored, since a comment has {MOST} at most, "
        f"of {LONGEST} characters at most",
        f"asked questions of line 8: 1 ignored, since a comment has {MOST} at most, "
        f"of {LONGEST} characters at most",
    )


def test_a_secret_in_a_question_is_replaced() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    found = cut_page(f"# A\na\n<!-- asked: what is {token} for -->\n")

    assert found.sections[0].asked == ("what is [redacted: github token] for",)


def test_a_question_that_the_window_does_not_take_under_its_breadcrumb_is_cut_last() -> None:
    question = "why " * 20

    assert cut_page(f"# {'T' * 50}\na\n<!-- asked: {question} -->\n", window=90).passages[
        1
    ].embedded == " ".join(question.split())
    assert (
        len(cut_page(f"# T\na\n<!-- asked: {question} -->\n", window=40).passages[1].embedded) <= 40
    )


def test_a_change_of_the_questions_alone_changes_the_document() -> None:
    one = load(PAGE.encode(), "p.md", SOURCE).document
    other = load(PAGE.replace("go back", "return").encode(), "p.md", SOURCE).document

    assert one.text == other.text
    assert one.hash != other.hash


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(["# H\n", "\n", "```\n", "- x\n", "> ", "text\n", "<!--", "-->"]),
            st.sampled_from(["<!-- asked: one | two -->\n", "<!-- asked:\nq\n-->\n"]),
            st.sampled_from(["{/* asked: one */}\n", "<!-- asked: one -->", "<!-- asked: one\n"]),
            st.sampled_from(["<details>\n", "<pre>\n", "</pre>\n", "`", "    ", "| a |\n|---|\n"]),
            st.text(max_size=5),
        ),
        max_size=12,
    ).map("".join)
)
def test_whatever_stands_around_them_lines_stay_and_places_are_in_order(text: str) -> None:
    body, asked, _ = without_asked(text)

    assert body.count("\n") == text.count("\n")
    assert [one.at for one in asked] == sorted(one.at for one in asked)
    assert all(0 <= one.at <= len(body) for one in asked)
    lines = zip(body.split("\n"), text.split("\n"), strict=True)
    assert all(left == line or not left.strip(" \t>") for left, line in lines)
    assert all(isinstance(one, Asked) and one.questions for one in asked)
