"""Markdown as Slack shows it: code to the byte, marks obeyed or not there, nobody called."""

from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bots.slack_bot.encoding import unescaped
from bots.slack_bot.mrkdwn import Piece, pieces
from bots.slack_bot.tables import aligned

CODE = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t`*_~<>&|#"))


def shown(markdown: str) -> list[str]:
    return [piece.text for piece in pieces(markdown)]


def read(found: tuple[Piece, ...]) -> str:
    """Return what a person reads: mrkdwn unescaped, rich text as it is."""
    texts: list[str] = []
    for piece in found:
        texts.append(unescaped(piece.text))
        texts += [inner["text"] for one in piece.rich for inner in one["elements"]]
    return "\n".join(texts)


def of_rich(markdown: str) -> list[dict[str, Any]]:
    (piece,) = pieces(markdown)
    return [dict(one) for one in piece.rich]


@pytest.mark.parametrize(
    ("markdown", "mrkdwn"),
    [
        ("**bold** and *it* and ~~gone~~", "*bold* and _it_ and ~gone~"),
        ("in**side**word", "insideword"),
        ("**`rm -rf`**", "*`rm -rf`*"),
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("`a & b`", "`a &amp; b`"),
        ("[docs](https://acme.example/a?b=1&c=2)", "<https://acme.example/a?b=1&amp;c=2|docs>"),
        ("[a|b](https://acme.example)", "a|b (<https://acme.example>)"),
        ("[x](https://acme.example/a|b>c)", "<https://acme.example/a%7Cb%3Ec|x>"),
        (
            "[https://bank.example](https://evil.example)",
            "https://bank.example (<https://evil.example>)",
        ),
        ("[local](other.md#there)", "local"),
        ("[bad](ftp://acme.example)", "bad"),
        ("<https://acme.example>", "<https://acme.example>"),
        ("see https://acme.example/x, or ask", "see <https://acme.example/x>, or ask"),
        ("![a plan](https://acme.example/p.png)", "<https://acme.example/p.png|a plan>"),
        ("wrapped\nline", "wrapped line"),
        ("hard  \nbreak", "hard\nbreak"),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("> quoted\n> on", "> quoted on"),
        ("---", "──────────"),
        ("```bash\n# not a heading\nx = w * h\n```", "```\n# not a heading\nx = w * h\n```"),
        ("~~~\n<none> & co\n~~~", "```\n&lt;none&gt; &amp; co\n```"),
        ("    indented code", "```\nindented code\n```"),
        ("<!channel> and <@U1>", "&lt;!channel&gt; and &lt;@U1&gt;"),
    ],
)
def test_markdown_is_said_in_mrkdwn(markdown: str, mrkdwn: str) -> None:
    assert shown(markdown) == [mrkdwn]


def test_a_heading_that_begins_the_text_is_the_title_and_others_are_bold() -> None:
    assert shown("## Title\n\ntext\n\n### Then **this**") == ["text", "*Then this*"]


def test_lists_keep_their_numbers_and_their_depth() -> None:
    markdown = "3. one\n4. two\n   - deep\n\n     ```sh\n     ls\n     ```\n"
    assert shown(markdown) == ["3. one", "4. two", "    • deep", "```\nls\n```"]


def test_a_table_is_aligned_in_monospace() -> None:
    markdown = "| name | does |\n|---|---|\n| `a` | first & **last** |\n| longer | b |\n"
    assert shown(markdown) == [
        "```\nname    does\n──────  ────────────\na       first &amp; last\nlonger  b\n```"
    ]


def test_one_long_cell_does_not_widen_every_row() -> None:
    assert (
        aligned([["a", "b"], ["x" * 90, "y"], ["z", "w"]]).splitlines()[3] == "z" + " " * 41 + "w"
    )


def test_code_with_three_backticks_goes_out_as_rich_text() -> None:
    assert of_rich("````\n```\na < b\n```\n````") == [
        {
            "type": "rich_text_preformatted",
            "elements": [{"type": "text", "text": "```\na < b\n```"}],
        }
    ]


def test_a_backtick_inside_inline_code_goes_out_as_rich_text() -> None:
    assert of_rich("run ``echo `date` > x`` **now**") == [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "run "},
                {"type": "text", "text": "echo `date` > x", "style": {"code": True}},
                {"type": "text", "text": " "},
                {"type": "text", "text": "now", "style": {"bold": True}},
            ],
        }
    ]


def test_stars_that_are_text_are_not_taken_for_marks() -> None:
    assert of_rich(r"delete /var/\*/app/\* by hand") == [
        {
            "type": "rich_text_section",
            "elements": [{"type": "text", "text": "delete /var/*/app/* by hand"}],
        }
    ]


@given(CODE)
@settings(deadline=None)
@example("echo `date` > x  \n\n")
@example("```")
def test_any_fence_survives_to_the_byte(code: str) -> None:
    assume("~~~" not in code and code.strip())
    assert code in read(pieces(f"~~~sh\n{code}\n~~~"))


@given(CODE)
@settings(deadline=None)
def test_any_inline_code_survives_to_the_byte(code: str) -> None:
    assume(code.strip() and "\n" not in code and "``````" not in code)
    assume(code[0] != "`" and code[-1] != "`" and not (code[0] == " " and code[-1] == " "))
    assume("\t" not in code)
    assert code in read(pieces(f"run ``````{code}`````` now"))


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), min_size=1))
@settings(deadline=None)
def test_any_cell_of_a_table_survives_to_the_byte(cell: str) -> None:
    assume("|" not in cell and "`" not in cell and "\\" not in cell)
    assert cell in read(pieces(f"| a |\n|---|\n| ```````{cell}``````` |\n"))


@given(st.lists(st.sampled_from(["<!here>", "<@U1>", "&", "*", "`", "[a](", ")", "\n", "|", "x"])))
@settings(deadline=None)
def test_nothing_ever_calls_anybody(parts: list[str]) -> None:
    for piece in pieces("".join(parts)):
        assert "<!" not in piece.text
        assert "<@" not in piece.text
