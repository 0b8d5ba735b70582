"""Cards within Discord's limits, whatever is on them; nothing lost or changed that people paste."""

import re
from urllib.parse import urlsplit

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.card import (
    Button,
    ButtonKind,
    Card,
    GapAction,
    GapButton,
    GapLine,
    Listing,
    Part,
    Pick,
    Row,
    Tone,
)
from bots.cards import GOES_ON, OPENS_LATER
from bots.discord_bot.controls import view_of
from bots.discord_bot.render import COLOURS, Post, option_texts, posts, safe_url
from core.models import Span

ANSWER = Card(
    Tone.ANSWER,
    "Disk full › Free space",
    link="https://acme.example/disk-full.md#free-space",
    meta=("acme/disk-full.md:10", "storage", "last reviewed 22 months ago, possibly stale"),
    stale=True,
    parts=(
        Part(
            "Disk full › Free space",
            "https://acme.example/disk-full.md#free-space",
            "acme/disk-full.md:10",
            "## Free space\n\nRemove it:\n\n```sh\nrm -rf /var/log/archive\n```\n",
            Span(0, 5),
        ),
        Part("Disk full › Grow", "", "acme/disk-full.md:20", "## Grow\n\nRaise the size.\n", None),
    ),
    warning="Careful, this can destroy or interrupt: rm -rf",
    picks_heading="Other results",
    picks=(Pick(1, "Other", "distance 0.40", "acme/other.md:1", ""),),
    buttons=(Button(ButtonKind.TELL_WHY, "Tell us why", "a1b2"),),
    footer="a1b2 · distance 0.21 · 4 ms",
)
FENCE = re.compile(r"^```\w*\n(.*?)\n```$", re.DOTALL | re.MULTILINE)


def check(message: Post) -> None:
    """Hold a message to Discord's limits."""
    assert 1 <= len(message.embeds) <= 10
    assert sum(len(embed) for embed in message.embeds) <= 6000
    for embed in message.embeds:
        assert len(embed.title or "") <= 256
        assert len(embed.description or "") <= 4096
        assert len(embed.footer.text or "") <= 2048
        assert not embed.fields
        assert embed.title or embed.description
        if embed.url:
            split = urlsplit(embed.url)
            assert split.scheme in {"http", "https"}
            assert "." in (split.hostname or "")
    assert len(message.picks) <= 25
    for pick in message.picks:
        label, description = option_texts(pick)
        assert 1 <= len(label) <= 100
        assert 1 <= len(description) <= 100


def test_an_answer_is_one_embed_read_from_the_top() -> None:
    (message,) = posts(ANSWER)
    (embed,) = message.embeds
    assert (embed.title, embed.url, embed.colour and embed.colour.value, embed.footer.text) == (
        "Disk full › Free space",
        "https://acme.example/disk-full.md#free-space",
        COLOURS[Tone.ANSWER],
        "a1b2 · distance 0.21 · 4 ms",
    )
    assert embed.description == (
        "⏳ *acme/disk-full.md:10 · storage · last reviewed 22 months ago, possibly stale*\n\n"
        "Remove it:\n\n```sh\nrm -rf /var/log/archive\n```\n\n"
        "**Disk full › Grow**\nRaise the size.\n\n"
        "⚠️ **Careful, this can destroy or interrupt: rm -rf**"
    )
    assert (message.picks, message.buttons) == (ANSWER.picks, ANSWER.buttons)


def test_the_outcomes_have_colours_of_their_own() -> None:
    assert len(set(COLOURS.values())) == len(Tone)


def test_a_refusal_lists_the_nearest_misses_with_links_and_distances() -> None:
    picks = (
        Pick(0, "Disk full", "distance 0.61", "acme/disk.md:1", "https://acme.example/disk.md"),
        Pick(1, "Pod *crash*", "distance 0.70", "acme/pod.md:1", "file:///etc/passwd"),
    )
    card = Card(
        Tone.REFUSAL,
        "No runbook answers this",
        lead="Nothing I have is close enough.",
        picks_heading="The nearest misses",
        picks=picks,
    )
    (message,) = posts(card)
    assert message.embeds[0].description == (
        "Nothing I have is close enough.\n\n"
        "**The nearest misses**\n"
        "- [Disk full](https://acme.example/disk.md) · distance 0.61\n"
        "- Pod \\*crash\\* · distance 0.70"
    )


def long_section(steps: int) -> str:
    return "\n".join(f"{at}. Look at `node-{at}` and restart it.\n" for at in range(1, steps + 1))


def with_text(text: str, matched: Span | None = None) -> Card:
    return Card(Tone.ANSWER, "T", parts=(Part("T", "", "p", text, matched),), footer="a1b2")


def test_a_long_section_goes_on_in_parts_that_say_which_they_are() -> None:
    card = with_text(long_section(150))
    sent = posts(card)
    assert [message.embeds[0].footer.text for message in sent] == [
        "a1b2 · part 1 of 2",
        "a1b2 · part 2 of 2",
    ]
    shown = "".join(message.embeds[0].description or "" for message in sent)
    assert re.findall(r"`node-(\d+)`", shown) == [str(at) for at in range(1, 151)]


def test_only_the_last_part_has_menu_and_buttons() -> None:
    card = Card(
        Tone.ANSWER,
        "T",
        parts=(Part("T", "", "p", long_section(150)),),
        picks=ANSWER.picks,
        buttons=ANSWER.buttons,
    )
    assert [(message.picks, message.buttons) for message in posts(card)] == [
        ((), ()),
        (ANSWER.picks, ANSWER.buttons),
    ]


def test_a_section_beyond_three_parts_opens_where_it_matched() -> None:
    text = long_section(1000)
    at = text.index("`node-700`")
    sent = posts(with_text(text, Span(at, at + 10)))
    shown = [message.embeds[0].description or "" for message in sent]
    assert len(shown) == 3
    assert shown[0].startswith(OPENS_LATER)
    assert "`node-700`" in shown[0]
    assert "`node-600`" not in shown[0]


def test_what_follows_a_section_that_is_too_long_is_said_to_be_behind_the_link() -> None:
    sent = posts(with_text(long_section(1000), Span(0, 3)))
    assert (sent[-1].embeds[0].description or "").endswith(GOES_ON)


def test_what_is_private_is_one_message() -> None:
    (message,) = posts(with_text(long_section(1000)), private=True)
    assert len(message.embeds) == 2
    check(message)


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://acme.example/a.md#b", "https://acme.example/a.md#b"),
        ("http://10.0.0.5:8080/a b(c)", "http://10.0.0.5:8080/a%20b%28c%29"),
        ("https://acme.example/%20?q=1", "https://acme.example/%20?q=1"),
        ("https://localhost/a", ""),
        ("http://wiki/a", ""),
        ("https://.example/", ""),
        ("file:///etc/passwd", ""),
        ("notaurl", ""),
        ("", ""),
        ("http://[::1", ""),
        ("https://acme.example:port/", ""),
        (f"https://acme.example/{'x' * 2000}", ""),
    ],
)
def test_a_url_that_discord_would_refuse_is_left_out(url: str, safe: str) -> None:
    assert safe_url(url) == safe


TEXT = st.text(max_size=80) | st.sampled_from(
    ["x" * 400, "*" * 300, "`" * 90, "👍" * 200, "", " ", "\n", "@everyone", "a\nb", "https://x.y"]
)
LINK = st.sampled_from(["", "https://acme.example/a#b", "file:///x", "http://wiki/a", "x", "//"])
BLOCK = st.sampled_from(
    [
        "```sh\nkubectl get pod \\\n  -o wide\n```",
        "~~~\n" + "\n".join(f"line {at}" for at in range(300)) + "\n~~~",
        "# Heading",
        "A paragraph with `code` and || bars ||. " * 20,
        "- item\n\n  ```\n  inside\n  ```",
        "| a | b |\n|---|---|\n" + "| x | y |\n" * 200,
        "y" * 5000,
        "`" * 100,
        ">>> quote",
    ]
)
PART = st.builds(
    Part,
    TEXT,
    LINK,
    TEXT,
    st.lists(BLOCK | TEXT, max_size=8).map("\n\n".join),
    st.none() | st.integers(0, 9000).map(lambda at: Span(at, at + 50)),
)
PICKS = st.lists(st.builds(Pick, st.integers(0, 30), TEXT, TEXT, TEXT, LINK), max_size=30).map(
    tuple
)
LISTING = st.builds(
    Listing,
    TEXT,
    st.lists(st.builds(Row, TEXT, TEXT, LINK), max_size=60).map(tuple),
    st.integers(0, 5),
)
GAP = st.builds(
    GapLine,
    st.from_regex(r"G-[0-9A-Z]{4}", fullmatch=True),
    TEXT,
    TEXT,
    TEXT,
    TEXT,
    LINK,
    st.just((GapButton(GapAction.OWN, "Own it", "G-7KQ2"),)),
)
CARD = st.builds(
    Card,
    tone=st.sampled_from(Tone),
    title=TEXT,
    link=LINK,
    lead=TEXT,
    meta=st.lists(TEXT, max_size=4).map(tuple),
    stale=st.booleans(),
    parts=st.lists(PART, max_size=2).map(tuple),
    warning=TEXT,
    gaps_heading=TEXT,
    gaps=st.lists(GAP, max_size=12).map(tuple),
    listings=st.lists(LISTING, max_size=4).map(tuple),
    picks_heading=TEXT,
    picks=PICKS,
    footer=TEXT,
)


@settings(deadline=None, max_examples=150)
@given(CARD, st.booleans())
def test_every_card_is_within_the_limits(card: Card, private: bool) -> None:
    sent = posts(card, private=private)
    assert 1 <= len(sent) <= 3
    for message in sent:
        check(message)


@settings(deadline=None, max_examples=100)
@given(st.lists(GAP, max_size=40, unique_by=lambda gap: gap.gap_id))
def test_every_menu_of_gaps_is_within_the_limits(gaps: list[GapLine]) -> None:
    (*_, last) = posts(Card(Tone.INFO, "Gaps", gaps=tuple(gaps)))
    view = view_of(last, "")
    assert (view is None) == (not gaps)
    for item in view.children if view else ():
        if isinstance(item, discord.ui.Select):
            assert 2 <= len(item.options) <= 25
            for option in item.options:
                assert 1 <= len(option.label) <= 100
                assert option.description is None or 1 <= len(option.description.strip()) <= 100


COMMAND = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1).filter(
    lambda line: "`" not in line
)


@settings(deadline=None, max_examples=100)
@given(st.lists(COMMAND, min_size=1, max_size=400))
def test_a_fence_over_several_parts_keeps_every_line(lines: list[str]) -> None:
    text = "\n".join(["```sh", *lines, "```"])
    shown = [message.embeds[0].description or "" for message in posts(with_text(text))]
    kept = [line for part in shown for code in FENCE.findall(part) for line in code.split("\n")]
    assert "".join(kept) == "".join(lines)
