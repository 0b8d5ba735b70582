"""Markdown for Discord: code byte for byte, nothing that only Discord would make something of."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.discord_bot.markup import FENCE, discord_markup, escaped
from core.models import Span

LINES = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_characters="`\r\n\v\f\x85\x1c\x1d\x1e\u2028\u2029\t")
    ).filter(lambda line: line == line.strip() and line),
    min_size=1,
    max_size=6,
)


def markup(text: str) -> str:
    return discord_markup(text).text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("```sh\nrm -rf /x\n```", "```sh\nrm -rf /x\n```"),
        ("~~~bash title=x\na ~ b\n~~~", "```bash\na ~ b\n```"),
        ("````\na\n````", "```\na\n```"),
        ("```{.py}\na\n```", "```\na\n```"),
        ("```\nnever closed", "```\nnever closed\n```"),
        ("- x\n  ```\n  a\n    b\n  ```", "- x\n```\na\n  b\n```"),
        ("- ```\n  a\n  ```", "-\n```\na\n```"),
        ("> ```\n> a\n>  b\n> ```", "```\na\n b\n```"),
        ("    a **b**\n      c", "```\na **b**\n  c\n```"),
        ("1. x\n\n       a", "1. x\n\n```\na\n```"),
    ],
)
def test_all_code_is_in_discords_own_fences(written: str, shown: str) -> None:
    assert markup(written) == shown


def test_code_that_holds_a_fence_itself_is_shown_as_escaped_text() -> None:
    assert markup("````\n```\n*a*\n```\n````") == "\\`\\`\\`\n\\*a\\*\n\\`\\`\\`"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a || b || c", "a |\\| b |\\| c"),
        ("`a || b`", "`a || b`"),
        ("<@1> <@&2> <#3> </x:4> <t:5> <:e:6> <id:home>",
         "\\<@1> \\<@&2> \\<#3> \\</x:4> \\<t:5> \\<:e:6> \\<id:home>"),
        ("<https://a.example> <!here>", "<https://a.example> <!here>"),
        ("a ` b", "a \\` b"),
        ("a \\` b", "a \\` b"),
        ("-# small", "\\-# small"),
        ("**bold** _it_ [x](https://a.example)", "**bold** _it_ [x](https://a.example)"),
    ],
)  # fmt: skip
def test_prose_loses_only_what_discord_alone_would_read_into_it(written: str, shown: str) -> None:
    assert markup(written) == shown


def test_three_quote_marks_do_not_swallow_the_rest() -> None:
    assert markup(">>> a\n\nb") == "> > > a\n\nb"


def test_plain_text_is_shown_as_it_stands() -> None:
    assert escaped("# a *b* __c__ `d` ||e|| [f](g) <@1>") == (
        "\\# a \\*b\\* \\_\\_c\\_\\_ \\`d\\` \\|\\|e\\|\\| \\[f\\](g) \\<@1\\>"
    )


def test_plain_text_is_on_one_line() -> None:
    assert escaped("1. a\n2. b") == "1\\. a 2. b"


def test_a_match_is_found_again_in_what_is_shown() -> None:
    text = "a <@1> b\n\n~~~\ncode\n~~~\n\nthe end"
    shown = discord_markup(text)
    start = text.index("~~~")
    place = shown.place(Span(start, start + 8))
    assert place is not None
    assert shown.text[place.start : place.end].startswith("```\ncode\n```")


@settings(deadline=None)
@given(LINES, st.sampled_from(["```", "~~~", "````", "~~~~~"]), st.sampled_from(["", "  ", "> "]))
def test_every_fence_keeps_its_bytes(lines: list[str], mark: str, around: str) -> None:
    if any(line.startswith("~~~") for line in lines):
        lines = ["x", *(line.replace("~", "-") for line in lines)]
    written = "\n".join(around + line for line in (f"{mark}sh", *lines, mark))
    content = "\n".join(lines)
    assert markup(f"before\n\n{written}\n\nafter") == (
        f"before\n\n{FENCE}sh\n{content}\n{FENCE}\n\nafter"
    )


@settings(deadline=None)
@given(st.text(alphabet="ab`|<>@#*_-~\\ \n1.[]()"))
def test_outside_of_code_no_spoiler_or_mention_is_left(text: str) -> None:
    shown = re.sub(r"```.*?```|(`+)(?!`).*?(?<!`)\1(?!`)", "", markup(text), flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<[@#]", shown.replace("\\\\", ""))
