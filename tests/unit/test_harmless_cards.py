"""What people and documents write turns no text around and commands nothing, on any screen."""

import json
import re
from collections.abc import Callable

import pytest

from bots.card import Card, GapLine, Listing, Part, Pick, Row, Tone
from bots.discord_bot.answering import title
from bots.discord_bot.controls import view_of
from bots.discord_bot.render import posts
from bots.slack_bot.render import messages
from bots.slack_bot.views import home
from bots.terminal import Look, card_text

TURNED = "\u202edrib \x1b[31m\u2066"
COMMANDING = re.compile(r"[\u202a-\u202e\u2066-\u2069\x1b]")
URL = "https://example.com/a.md"
LISTED = Card(
    Tone.WEAK,
    title=TURNED,
    lead=TURNED,
    meta=(TURNED, TURNED),
    warning=TURNED,
    gaps_heading=TURNED,
    gaps=(
        GapLine("G-7KQ2", TURNED, TURNED, TURNED, near=TURNED, link=URL),
        GapLine("G-7KQ3", TURNED, TURNED, TURNED),
    ),
    listings=(Listing(TURNED, (Row(TURNED, TURNED, URL), Row(TURNED, TURNED))),),
    footer=TURNED,
)
PICKED = Card(
    Tone.REFUSAL,
    title=TURNED,
    picks_heading=TURNED,
    picks=(Pick(index=1, label=TURNED, distance="0.3", place=TURNED, link=URL),),
)
SHOWN = Card(
    Tone.ANSWER,
    title="Disk",
    parts=(Part(TURNED, URL, TURNED, "Free it."), Part(TURNED, URL, TURNED, "Grow it.")),
)


async def discord(card: Card) -> str:
    made = posts(card)
    views = [view_of(one, "x") for one in made]
    embeds = [embed.to_dict() for one in made for embed in one.embeds]
    return json.dumps([embeds, [one.to_components() for one in views if one]], ensure_ascii=False)


async def slack(card: Card) -> str:
    payloads = [one.payload for one in messages(card, asked=TURNED, exchange_id="x")]
    return json.dumps([payloads, home([card])], ensure_ascii=False)


async def terminal(card: Card) -> str:
    return card_text(card, Look())


@pytest.mark.parametrize("screen", [discord, slack, terminal])
@pytest.mark.parametrize("card", [LISTED, PICKED, SHOWN], ids=["listed", "picked", "shown"])
async def test_no_text_around_a_section_turns_others_or_commands(
    screen: Callable[[Card], object], card: Card
) -> None:
    said = await screen(card)  # type: ignore[misc]
    assert "drib" in said
    assert not COMMANDING.search(said.replace("\\u001b", "\x1b"))


@pytest.mark.parametrize("screen", [discord, slack, terminal])
async def test_a_name_of_a_file_stays_on_its_line(screen: Callable[[Card], object]) -> None:
    rows = (Row("a\n  b\t.md:1", "not\nUTF-8"), Row("c.md"))
    said = await screen(Card(Tone.INFO, title="x", listings=(Listing("Failed", rows),)))  # type: ignore[misc]
    assert "a␊ b␉.md:1" in " ".join(said.split())
    assert "not␊UTF-8" in said


def test_the_name_of_a_thread_is_read_as_it_stands() -> None:
    assert not COMMANDING.search(title(f"how do I {TURNED}", 90))


@pytest.mark.parametrize("screen", [discord, slack])
async def test_a_sections_own_text_is_not_changed(screen: Callable[[Card], object]) -> None:
    text = "```sh\necho '\u202e\u2066'\n```"
    said = await screen(Card(Tone.ANSWER, title="Disk", parts=(Part("Disk", URL, "p", text),)))  # type: ignore[misc]
    assert "echo '\u202e\u2066'" in said
