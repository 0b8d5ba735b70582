"""Cards on a terminal: code as it stands, nothing that a terminal would obey."""

import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.card import Card, Listing, Part, Pick, Row, Tone
from bots.harmless import harmless
from bots.ink import coloured, colourless
from bots.inline_code import code_spans
from bots.screen_text import on_screen
from bots.terminal import Look, card_text, look_of
from bots.wrapping import wrapped
from core.models import Span

LONG = (
    "kubectl -n payments get pods "
    "-o jsonpath='{range .items[*]}{.metadata.name}{\"\\n\"}{end}' | sort"
)
TEXT = (
    "## Roll back\n\nRun this, wait, then look at the queue again until it is empty, or call:\n\n"
    f"```sh\n\t{LONG}\n```\n"
)
CARD = Card(
    Tone.WEAK,
    title="Payments › Roll back",
    link="https://example.com/pay.md#roll-back",
    lead="Not sure. The closest I have:",
    meta=("runbooks/pay.md:12", "payments"),
    parts=(
        Part(
            "Payments › Roll back",
            "https://example.com/pay.md#roll-back",
            "runbooks/pay.md:12",
            TEXT,
        ),
        Part("Payments › Pause", "", "runbooks/pay.md:30", "## Pause\n\nWait.\n"),
    ),
    warning="Careful, this can destroy or interrupt: delete",
    picks_heading="Other near misses",
    picks=(Pick(1, "Payments › Refunds", "distance 0.45", "runbooks/pay.md:44"),),
    footer="a1b2 · distance 0.31 · 25 ms",
)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_pipe_gets_everything_unwrapped_and_without_colour() -> None:
    assert card_text(CARD, Look()) == (
        "Not sure. The closest I have:\n\n"
        "Payments › Roll back\n"
        "runbooks/pay.md:12 · payments\n"
        "https://example.com/pay.md#roll-back\n\n"
        f"{TEXT}\n"
        "Payments › Pause\n"
        "runbooks/pay.md:30\n\n"
        "## Pause\n\nWait.\n\n"
        "Careful, this can destroy or interrupt: delete\n\n"
        "Other near misses:\n"
        "  2. Payments › Refunds\n"
        "     distance 0.45 · runbooks/pay.md:44\n\n"
        "a1b2 · distance 0.31 · 25 ms\n"
    )


def test_a_screen_wraps_prose_and_leaves_the_command_on_one_line() -> None:
    assert plain(card_text(CARD, Look(60, coloured))).split("\n\n")[2:4] == [
        "Run this, wait, then look at the queue again until it is\nempty, or call:",
        f"```sh\n\t{LONG}\n```",
    ]


def test_without_colour_a_screen_has_no_codes() -> None:
    assert "\x1b" not in card_text(CARD, Look(60, colourless))


def test_a_refusal_names_the_nearest_misses_and_shows_no_section() -> None:
    card = Card(
        Tone.REFUSAL,
        "No runbook answers this",
        lead="Nothing is close.",
        picks_heading="The nearest misses",
        picks=(Pick(0, "Pods", "distance 0.71", "r/p.md:3", "https://example.com/p"),),
    )
    assert card_text(card, Look(80)) == (
        "No runbook answers this\n\n"
        "Nothing is close.\n\n"
        "The nearest misses:\n"
        "  1. Pods\n"
        "     distance 0.71 · https://example.com/p\n"
    )


def test_a_local_file_is_named_by_path_and_line() -> None:
    part = Part("Pods", "file:///srv/run%20books/p.md#pods", "books/p.md:3", "text\n")
    card = Card(Tone.ANSWER, "Pods", link=part.link, meta=("books/p.md:3", "x"), parts=(part,))
    assert card_text(card, Look(), here=Path("/srv")) == "Pods\nrun books/p.md:3 · x\n\ntext\n"


def test_lists_stand_in_columns_and_say_what_is_left_out() -> None:
    card = Card(
        Tone.INFO,
        "Index",
        listings=(Listing("Added", (Row("a.md"), Row("model", "MiniLM")), more=3),),
    )
    assert card_text(card, Look(80)) == (
        "Index\n\nAdded:\n  a.md\n  model  MiniLM\n  … and 3 more\n"
    )


def test_a_runbook_cannot_command_the_terminal() -> None:
    part = Part("P\x1b]0;x\x07", "", "p\x9b2J:1", "a\x1b[2Jb\u202ec\r\n\tok\x00\n")
    card = Card(Tone.ANSWER, "P\x1b]0;x\x07", meta=("p\x9b2J:1",), parts=(part,))
    assert card_text(card, Look()) == "P␛]0;x␇\np�2J:1\n\na␛[2Jb�c␍\n\tok␀\n"


@given(st.text())
@settings(deadline=None, max_examples=50)
def test_whatever_the_text_no_control_reaches_the_screen(text: str) -> None:
    printed = plain(
        card_text(Card(Tone.ANSWER, "T", parts=(Part("T", "", "p:1", text),)), Look(80))
    )
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", printed)


def test_ordinary_text_of_any_script_is_left_as_it_is() -> None:
    text = "Zürich 漢字 مرحبا ‏שלום 👩‍🔧 naïve\t‘x’\n"
    assert harmless(text) == text


# --- sections on a screen -----------------------------------------------------------------------


def screen(text: str, width: int = 40) -> str:
    return on_screen(text, width, colourless)


def test_the_heading_is_left_to_the_title_above() -> None:
    assert screen("## Roll back\n\nDo it.\n") == "Do it."


def test_list_items_are_wrapped_under_their_first_word() -> None:
    text = (
        "1. [ ] Stop the writers of the queue before anything else\n"
        "   - and wait for the last of them to end\n"
    )
    assert screen(text) == (
        "1. [ ] Stop the writers of the queue\n"
        "       before anything else\n"
        "   - and wait for the last of them to\n"
        "     end"
    )


def test_quotes_keep_their_mark_on_every_line() -> None:
    assert screen("> Careful: this one\n> takes the whole cluster down") == (
        "> Careful: this one takes the whole\n> cluster down"
    )


def test_a_note_keeps_its_kind_on_a_line_of_its_own() -> None:
    assert screen("> [!WARNING]\n> One broker\n> at a time.") == (
        "> [!WARNING]\n> One broker at a time."
    )


def test_what_is_said_of_a_page_breaks_between_things() -> None:
    part = Part("Pods", "", "r/p.md:3", "text")
    card = Card(Tone.ANSWER, "Pods", meta=("r/p.md:3", "pay", "the payments team"), parts=(part,))
    assert card_text(card, Look(20)) == "Pods\nr/p.md:3 · pay\nthe payments team\n\ntext\n"


def test_a_hard_break_is_kept() -> None:
    assert screen("one  \ntwo\\\nthree\nfour") == "one\ntwo\nthree four"


def test_inline_code_is_never_wrapped_and_keeps_its_spaces() -> None:
    text = "Run `kubectl  -n payments  delete pod payments-api-0` and wait for it to come back."
    assert screen(text) == (
        "Run\n`kubectl  -n payments  delete pod payments-api-0`\nand wait for it to come back."
    )


def test_a_fence_in_a_list_is_left_to_the_byte() -> None:
    fence = f"   ```sh\n   {LONG}\n\n   \tx  \n   ```"
    assert screen(f"1. Run:\n\n{fence}\n\n2. Wait.") == f"1. Run:\n\n{fence}\n\n2. Wait."


def test_a_table_that_fits_is_shown_as_written() -> None:
    table = "| Code | Do |\n| --- | --- |\n| 1 | wait |"
    assert screen(f"{table}\n") == table


def test_a_table_too_wide_for_the_screen_is_shown_row_by_row() -> None:
    text = (
        "| Code | Meaning | Do |\n|---|---|---|\n"
        "| PAY-1 | the card was declined by its bank | `a \\| b` |\n"
        "| PAY-2 | | wait |\n"
    )
    assert screen(text) == (
        "Code: PAY-1\n"
        "  Meaning: the card was declined by its\n"
        "    bank\n"
        "  Do: `a | b`\n\n"
        "Code: PAY-2\n"
        "  Do: wait"
    )


def test_what_the_parser_passes_over_is_still_shown() -> None:
    assert (
        screen("See [x].\n\n[x]: https://example.com\n") == "See [x].\n\n[x]: https://example.com"
    )


def test_colour_ends_with_its_line() -> None:
    shown = on_screen("```sh\na\n\nb\n```\nand `x` **y**", 40, coloured)
    assert shown == (
        "\x1b[2m```sh\x1b[0m\n\x1b[36ma\x1b[0m\n\n\x1b[36mb\x1b[0m\n\x1b[2m```\x1b[0m\n"
        "and \x1b[36m`x`\x1b[0m \x1b[1m**y**\x1b[0m"
    )


CODE = st.lists(st.text(alphabet="ab $|>#-\t'\"\\*_", max_size=120), min_size=1, max_size=6)


@given(CODE, st.integers(20, 100))
@settings(deadline=None, max_examples=50)
def test_code_comes_through_to_the_byte(lines: list[str], width: int) -> None:
    fence = "\n".join(("```", *lines, "```"))
    assert (
        plain(on_screen(f"word\n\n{fence}\n\nword", width, coloured)) == f"word\n\n{fence}\n\nword"
    )


# --- pieces -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a `b` c", (Span(2, 5),)),
        ("``a ` b`` `c`", (Span(0, 9), Span(10, 13))),
        ("`open", ()),
        ("\\`a` b`", (Span(3, 7),)),
        ("`a\\` b", (Span(0, 4),)),
    ],
)
def test_inline_code_ends_at_the_next_run_as_long(text: str, spans: tuple[Span, ...]) -> None:
    assert code_spans(text) == spans


def test_wide_characters_count_two_columns() -> None:
    assert wrapped("漢字 漢字 漢字", 9) == "漢字 漢字\n漢字"


def test_what_is_no_terminal_is_plain() -> None:
    assert look_of(io.StringIO()) == Look()
