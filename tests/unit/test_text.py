"""Cutting Markdown: what fits stays, what is cut can still be pasted into a shell."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bots.text import parts
from core.models import Span

LONG = "word " * 30


def fences(text: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(text)
    return [token.content for token in tokens if token.type == "fence"]


def test_what_fits_comes_back_as_it_is() -> None:
    text = "\n# Restart\n\n```\n  x \n```  \n\n"
    assert parts(text, 200) == [text]


def test_nothing_gives_no_part() -> None:
    assert parts(" \n\n", 200) == []


def test_blocks_are_not_cut_when_they_fit_into_a_part_of_their_own() -> None:
    first, second = "a" * 80, "```bash\nkubectl get pods\nkubectl get nodes\n```"
    assert parts(f"{first}\n\n{second}", 120) == [first, second]


def test_a_long_fence_is_closed_and_opened_again_with_its_info_string() -> None:
    lines = [f"kubectl -n payments delete pod payments-api-{n:02}" for n in range(4)]
    text = "\n".join(("```bash title=x", *lines, "```"))
    assert parts(text, 130) == [
        f"```bash title=x\n{lines[0]}\n{lines[1]}\n```",
        f"```bash title=x\n{lines[2]}\n{lines[3]}\n```",
    ]


def test_a_fence_opened_again_leaves_the_indentation_of_its_list() -> None:
    lines = [f"echo {n} {'x' * 40}" for n in range(4)]
    text = "\n".join(("1. Run:", "", "   - ~~~sh", *(f"     {line}" for line in lines), "     ~~~"))
    assert parts(text, 130) == [
        f"1. Run:\n\n   - ~~~sh\n     {lines[0]}\n     ~~~",
        f"~~~sh\n{lines[1]}\n{lines[2]}\n~~~",
        f"~~~sh\n{lines[3]}\n~~~",
    ]


def test_a_part_that_begins_deep_in_a_list_stands_at_the_margin() -> None:
    inner = [f"    - {n} {'y' * 50}\n      {'z' * 30}" for n in range(2)]
    text = "\n".join(("10. First", *inner, "11. Next"))
    assert parts(text, 120) == [
        f"10. First\n{inner[0]}",
        f"- 1 {'y' * 50}\n  {'z' * 30}\n11. Next",
    ]


def test_a_fence_in_a_quote_is_opened_again_in_the_quote() -> None:
    lines = [f"> echo {n} {'x' * 40}" for n in range(3)]
    text = "\n".join(("> ```sh", *lines, "> ```"))
    assert parts(text, 120) == [
        f"> ```sh\n{lines[0]}\n{lines[1]}\n> ```",
        f"> ```sh\n{lines[2]}\n> ```",
    ]


def test_a_table_gets_its_head_again() -> None:
    rows = [f"| PAY-10{n:02} | {'x' * 20} |" for n in range(4)]
    text = "\n".join(("| Code | Meaning |", "| --- | --- |", *rows))
    assert parts(text, 105) == [
        "\n".join(("| Code | Meaning |", "| --- | --- |", rows[0], rows[1])),
        "\n".join(("| Code | Meaning |", "| --- | --- |", rows[2], rows[3])),
    ]


def test_a_long_list_is_cut_between_its_items() -> None:
    items = [f"- {n} {LONG.strip()[:60]}\n  and more" for n in range(3)]
    assert parts("\n".join(items), 160) == ["\n".join(items[:2]), items[2]]


def test_a_heading_is_not_left_alone_by_the_list_below_it() -> None:
    items = [f"- {'y' * 80}" for _ in range(2)]
    assert parts("\n".join(("## Steps", "", *items)), 170) == [
        f"## Steps\n\n{items[0]}",
        items[1],
    ]


def test_a_long_line_of_prose_is_cut_after_a_space_outside_of_inline_code() -> None:
    code = "`kubectl -n payments rollout undo deployment/payments-api`"
    text = f"{'a' * 60} {code} {'b' * 60}"
    assert parts(text, 100) == [f"{'a' * 60} ", f"{code} ", "b" * 60]


def test_a_line_of_code_is_cut_only_where_it_must_be() -> None:
    line = "x y" * 60
    assert parts(f"```\n{line}\n```", 100) == [
        f"```\n{line[:92]}\n```",
        f"```\n{line[92:]}\n```",
    ]


def test_too_many_parts_open_at_the_block_that_matched() -> None:
    blocks = [f"{n} {'z' * 90}" for n in range(6)]
    text = "\n\n".join(blocks)
    at = text.index("3 z")
    found = parts(
        text, 120, most=2, open_at=Span(at + 5, at + 9), opening="(above)", ending="(below)"
    )
    assert found == [f"(above)\n\n{blocks[3]}", f"{blocks[4]}\n\n(below)"]


def test_parts_that_are_enough_do_not_open_later() -> None:
    blocks = [f"{n} {'z' * 90}" for n in range(2)]
    text = "\n\n".join(blocks)
    assert parts(text, 120, most=2, open_at=Span(100, 110), opening="(above)") == blocks


def test_a_match_deep_in_a_long_fence_opens_the_fence_there() -> None:
    lines = [f"echo {n} {'x' * 40}" for n in range(9)]
    text = "\n".join(("```sh", *lines, "```"))
    at = text.index("echo 5")
    found = parts(text, 130, most=1, open_at=Span(at, at + 4), opening="(above)", ending="(…)")
    assert found == [f"(above)\n\n```sh\n{lines[5]}\n{lines[6]}\n```\n\n(…)"]


def test_a_match_right_under_the_heading_keeps_the_heading() -> None:
    text = "## Steps\n\n" + "\n\n".join("z" * 90 for _ in range(4))
    assert parts(text, 120, most=1, open_at=Span(10, 20), opening="(above)") == [
        "## Steps\n\n" + "z" * 90
    ]


def test_a_limit_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="limit of 20 characters"):
        parts("x" * 100, 20)


WORDS = st.text(alphabet="abz `|>#-*~\\é漢", min_size=1, max_size=90).map(lambda t: f"w{t}w")
CODE_LINE = st.text(alphabet="ab $|>#`-\t'\"\\", max_size=60)
MARKS = st.sampled_from(["````", "~~~~", "`````"])


@st.composite
def fence(draw: st.DrawFn) -> str:
    mark, info = draw(MARKS), draw(st.sampled_from(["", "bash", "yaml title=x"]))
    body = [line for line in draw(st.lists(CODE_LINE, max_size=12)) if mark not in line]
    return "\n".join((mark + info, *body, mark))


def indented(text: str, first: str) -> str:
    lines = text.split("\n")
    rest = [f"{' ' * len(first)}{line}" if line else "" for line in lines[1:]]
    return "\n".join((first + lines[0], *rest))


BLOCKS = st.one_of(
    WORDS,
    fence(),
    fence().map(lambda text: indented(text, "- ")),
    fence().map(lambda text: indented(f"then\n\n{indented(text, '* ')}", "10. ")),
    fence().map(lambda text: "\n".join(f"> {line}" for line in text.split("\n"))),
    st.lists(WORDS, min_size=1, max_size=6).map(lambda items: "\n".join(f"- {i}" for i in items)),
    st.lists(CODE_LINE, min_size=1, max_size=6).map(
        lambda rows: "\n".join(("| a | b |", "|---|---|", *(f"| x | {r} |" for r in rows)))
    ),
)
TEXTS = st.lists(BLOCKS, min_size=1, max_size=8).map("\n\n".join)


@given(TEXTS, st.integers(100, 400))
@settings(deadline=None, max_examples=40)
def test_every_part_is_within_the_limit(text: str, limit: int) -> None:
    assert all(0 < len(part) <= limit for part in parts(text, limit))


@given(TEXTS, st.integers(160, 400))
@settings(deadline=None, max_examples=40)
@example("> ````\n> a\n> \n> b\n> ````\n\n" + "w " * 90, 160)
def test_fences_are_exact_to_the_byte_when_joined(text: str, limit: int) -> None:
    joined = "".join("".join(fences(part)) for part in parts(text, limit))
    assert joined == "".join(fences(text))


@given(TEXTS, st.integers(100, 400))
@settings(deadline=None, max_examples=40)
def test_nothing_is_lost_when_parts_are_not_counted(text: str, limit: int) -> None:
    rest = iter("".join("\n".join(parts(text, limit)).split()))
    assert all(char in rest for char in "".join(text.split()))


@given(TEXTS, st.integers(160, 400), st.integers(1, 3), st.integers(0, 900))
@settings(deadline=None, max_examples=40)
def test_a_limited_number_of_parts_is_kept(text: str, limit: int, most: int, at: int) -> None:
    span = Span(min(at, len(text)), len(text))
    found = parts(text, limit, most=most, open_at=span, opening="(above)", ending="(below)")
    assert 1 <= len(found) <= most
    assert all(0 < len(part) <= limit for part in found)


@given(st.text(max_size=600), st.integers(100, 200))
@settings(deadline=None, max_examples=40)
def test_any_text_at_all_is_cut_within_the_limit(text: str, limit: int) -> None:
    assert all(len(part) <= limit for part in parts(text, limit))
