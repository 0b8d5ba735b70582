"""The line by which a section is found: what may stand in it, and that it is read as written."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.exchanges import Exchange
from core.redaction import redact
from corpus.asked import without_asked
from feedback.asked_lines import CALLS_NOBODY, LONGEST, MOST, asked_line
from feedback.quoting import quotable_on_page
from tests.gap_world import asked, section_ref

EVERYONE, TEAM = ("everyone",), ("everyone", "payments-team")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Tr0ub4dor-3xyZ"  # noqa: S105 - what somebody typed


def line(
    *exchanges: Exchange,
    reader: tuple[str, ...] = EVERYONE,
    page: tuple[str, ...] = EVERYONE,
) -> str:
    return asked_line(exchanges, section_ref(visibility=page), visibility=reader)


def of(*texts: str) -> str:
    """Return the line of questions asked an hour apart, the first one first."""
    exchanges = (asked(f"x{n}", t, at=timedelta(hours=n)) for n, t in enumerate(texts))
    return line(*exchanges)


def test_the_newest_questions_stand_first_each_once() -> None:
    assert of("How do I unseal  vault", "vault is sealed", "how do i unseal vault") == (
        "<!-- asked: how do i unseal vault | vault is sealed -->"
    )


def test_there_are_five_at_most_and_none_that_is_too_long() -> None:
    texts = [f"question {n}" for n in range(MOST + 2)]
    found = of("first", *texts, "a" * (LONGEST + 1), "b " * LONGEST)
    assert found == f"<!-- asked: {' | '.join(texts[: -MOST - 1 : -1])} -->"


def test_what_cannot_be_read_alone_or_has_no_word_stands_in_no_line() -> None:
    follows = asked("x2", "and on staging?", follows="x1")
    assert line(asked("x1", "vault is sealed"), follows) == "<!-- asked: vault is sealed -->"
    assert line(follows) == of("???") == of("") == line() == ""


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a | b || c", "a / b // c"),
        ("what --> now ---> x", "what -- > now --- > x"),
        ("what --!> now", "what --! > now"),
        ("glob **/*.md or *| x", "glob ** /*.md or * / x"),
        ("run --dry-run -> x", "run --dry-run -> x"),
        ("ask @here and <@U1>", "ask @\u200bhere and <@\u200bU1>"),
        ("two\r\nlines\u2028and\x00\x1b[31m\u202e more", "two lines and[31m more"),
        ("<!-- asked: x", "<!-- asked: x"),
        ("```\n# h", "``` # h"),
    ],
)
def test_nothing_in_a_question_ends_the_comment_or_divides_it(text: str, written: str) -> None:
    assert of(text) == f"<!-- asked: {written} -->"


@pytest.mark.parametrize(
    "text",
    [
        f"unseal with {TOKEN}",
        f"unseal with {TOKEN[:9]}\u200b{TOKEN[9:]}",
        f"unseal with password:\n{PASSWORD}",
    ],
)
def test_a_secret_is_replaced_also_where_invisible_characters_or_line_ends_hid_it(
    text: str,
) -> None:
    found = of(text)
    assert "[redacted: " in found
    assert TOKEN not in found
    assert PASSWORD not in found
    assert redact(found)[0] == found


def test_a_page_in_mdx_has_the_comment_of_mdx() -> None:
    page = section_ref()
    mdx = type(page)(page.section_id, page.document_id, "s", "a/Page.MDX", "b", EVERYONE)
    found = asked_line([asked("x1", "vault */ sealed")], mdx, visibility=EVERYONE)
    assert found == "{/* asked: vault * / sealed */}"
    assert [one.questions for one in without_asked(found)[1]] == [("vault * / sealed",)]


def test_private_questions_stand_in_no_line() -> None:
    private = asked("x1", "private words", private=True)
    assert line(private) == ""
    assert line(private, asked("x2", "vault is sealed")) == "<!-- asked: vault is sealed -->"


@pytest.mark.parametrize(
    ("place", "reader", "page", "stands"),
    [
        (EVERYONE, EVERYONE, EVERYONE, True),
        (EVERYONE, TEAM, TEAM, True),
        (TEAM, EVERYONE, EVERYONE, False),
        (TEAM, TEAM, ("payments-team",), True),
        (TEAM, TEAM, EVERYONE, False),  # the page is read by more people than the draft
        (TEAM, TEAM, ("payments-team", "board"), False),
        (TEAM, TEAM, TEAM, False),
        (TEAM, TEAM, (), False),
    ],
)
def test_words_of_a_narrower_place_stand_in_no_page_that_more_people_see(
    place: tuple[str, ...], reader: tuple[str, ...], page: tuple[str, ...], stands: bool
) -> None:
    assert bool(line(asked("x1", place=place), reader=reader, page=page)) is stands


LABELS = st.lists(st.sampled_from(["everyone", "a", "b"]), unique=True, max_size=3).map(tuple)


@given(LABELS, LABELS, LABELS)
def test_words_on_a_page_are_read_only_by_who_sees_as_much_as_their_place(
    place: tuple[str, ...], page: tuple[str, ...], reader: tuple[str, ...]
) -> None:
    if quotable_on_page(asked("x1", place=place), page) and set(reader) & set(page):
        assert set(place) - {"everyone"} <= set(reader)


PIECES = st.one_of(
    st.sampled_from(
        ["--", "-", ">", "!", "*", "/", "|", "<!--", "-->", "*/", "{/*", "asked:", "\n", "\r"]
    ),
    st.sampled_from(["@", "`", "```", "#", "\\", "\x00", "\u2028", "\u200b", "\xa0", " ", "]]>"]),
    st.text(max_size=5),
)


@settings(deadline=None)
@given(
    st.lists(st.lists(PIECES, max_size=12).map("".join), max_size=7),
    st.sampled_from(["page.md", "page.mdx"]),
    st.sampled_from(["", "# H\n\ntext\n\n", "# H\n\n- item\n  more\n\n", "| a |\n| - |\n\n"]),
    st.sampled_from(["", "\n", "\n\n## Next\n\ntext\n"]),
)
def test_whatever_was_asked_goes_in_and_comes_out(
    texts: list[str], path: str, above: str, below: str
) -> None:
    page = section_ref()
    place = type(page)(page.section_id, page.document_id, "s", path, "b", EVERYONE)
    exchanges = [asked(f"x{n}", t, at=timedelta(hours=n)) for n, t in enumerate(texts)]
    found = asked_line(exchanges, place, visibility=EVERYONE)
    if not found:
        assert without_asked(above + below)[1] == ()
        return
    left, [read], ignored = without_asked(above + found + below)
    opening, closing = ("{/* asked: ", " */}") if path == "page.mdx" else ("<!-- asked: ", " -->")
    written = found.removeprefix(opening).removesuffix(closing).split(" | ")
    assert (left, ignored) == (above + below, ())
    assert read.questions == tuple(written)
    assert 1 <= len(written) <= MOST
    assert all(len(one) <= LONGEST for one in written)
    assert found.replace(CALLS_NOBODY, "").isprintable()
    assert found.count("@") == found.count(CALLS_NOBODY)
    assert found.count("-->") + found.count("*/") == 1
