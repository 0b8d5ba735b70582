"""Cards as Slack messages: within every limit, nothing lost, nobody called."""

from typing import Any

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
from bots.slack_bot.body import MOST
from bots.slack_bot.encoding import unescaped
from bots.slack_bot.render import Message, messages
from tests.e2e.blockkit import characters, wrong_message

LINK = "https://acme.example/disk.md#grow"
CARD = Card(
    Tone.ANSWER,
    "Disk full › Grow <it>",
    link=LINK,
    lead="Not sure & so on",
    meta=("acme/disk.md:7", "storage", "team-storage", "last reviewed 3 years ago, possibly stale"),
    stale=True,
    parts=(
        Part("Disk full › Grow <it>", LINK, "acme/disk.md:7", "## Grow\n\n```sh\ndf -h > x\n```"),
        Part("Disk full › Clean", LINK, "acme/disk.md:9", "## Clean\n\nDelete *old* logs."),
    ),
    warning="Careful, this can destroy or interrupt: rm -rf",
    picks_heading="Other results",
    picks=(Pick(1, "Search " * 20, "distance 0.41", "acme/search.md:3", LINK),),
    buttons=(
        Button(ButtonKind.TELL_WHY, "Tell us why", "ex1"),
        Button(ButtonKind.DELETE, "Delete", "ex1"),
    ),
    footer="ex1 · distance 0.21 · 12 ms",
)
SECTION: dict[str, Any] = {"type": "section", "expand": True}


def mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def texts(found: list[Message]) -> str:
    return "\n".join(text for message in found for text in _texts(message.payload["blocks"]))


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        inner = [text for key, one in value.items() if key != "text" for text in _texts(one)]
        own = value.get("text")
        return [own, *inner] if isinstance(own, str) else [*_texts(own), *inner]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []


def test_a_card_is_read_from_title_to_buttons() -> None:
    (message,) = messages(CARD, exchange_id="ex1", asked="disk <!channel>")
    assert message.text == "Disk full › Grow &lt;it&gt;"
    assert list(message.blocks[:-2]) == [
        {
            "type": "header",
            "block_id": "answer",
            "text": {"type": "plain_text", "text": "Disk full › Grow <it>", "emoji": False},
        },
        {"type": "context", "elements": [mrkdwn("Asked: disk &lt;!channel&gt;")]},
        SECTION | {"text": mrkdwn("Not sure &amp; so on")},
        SECTION | {"text": mrkdwn("```\ndf -h &gt; x\n```")},
        SECTION | {"text": mrkdwn(f"*<{LINK}|Disk full › Clean>*\n\nDelete _old_ logs.")},
        SECTION | {"text": mrkdwn("⚠️ Careful, this can destroy or interrupt: rm -rf")},
        {
            "type": "context",
            "elements": [
                mrkdwn(
                    f"<{LINK}|acme/disk.md:7> · storage · team-storage · ⏳ "
                    "last reviewed 3 years ago, possibly stale · ex1 · distance 0.21 · 12 ms"
                )
            ],
        },
    ]


def test_another_result_is_a_choice_that_carries_the_exchange() -> None:
    (message,) = messages(CARD, exchange_id="ex1")
    select = message.blocks[-2]["elements"][0]
    assert select["action_id"] == "nightlamp.choose"
    assert [option["value"] for option in select["options"]] == ["ex1:1"]
    assert len(select["options"][0]["text"]["text"]) <= 75


def test_buttons_carry_the_exchange() -> None:
    (message,) = messages(CARD, exchange_id="ex1")
    found = [(one["action_id"], one["value"]) for one in message.blocks[-1]["elements"]]
    assert found == [("nightlamp.tell_why", "ex1"), ("nightlamp.delete", "ex1")]


def test_nearest_misses_are_listed_with_their_distances() -> None:
    picks = (Pick(0, "A & B", "distance 0.81", "acme/a.md:1", LINK),)
    card = Card(Tone.REFUSAL, "No", picks_heading="The nearest misses", picks=picks)
    (message,) = messages(card)
    assert message.blocks[1]["text"]["text"] == (
        f"*The nearest misses*\n• <{LINK}|A &amp; B> · distance 0.81 · acme/a.md:1"
    )


def test_a_mention_stands_before_what_is_said() -> None:
    (message,) = messages(Card(Tone.INFO, "A human is needed", lead="<@U1>"), mention="<@U2>")
    assert message.blocks[1]["text"]["text"] == "<@U2> &lt;@U1&gt;"


def test_a_long_list_says_that_there_is_more() -> None:
    rows = tuple(Row(f"page {number} {'x' * 200}") for number in range(200))
    found = messages(Card(Tone.INFO, "200 documents", listings=(Listing("All", rows),)))
    assert len(found) == MOST
    assert "… and more." in texts(found)
    assert [wrong_message(message.payload["blocks"]) for message in found] == [[]] * MOST


def test_a_long_fence_is_closed_and_opened_again_and_loses_no_line() -> None:
    lines = [f'kubectl get pod "pod-{number}" <x> && y' for number in range(150)]
    text = "## Long\n\n```sh\n" + "\n".join(lines) + "\n```\n"
    found = messages(Card(Tone.ANSWER, "Long", parts=(Part("Long", "", "a:1", text),)))
    assert len(found) == MOST - 1
    read = unescaped(texts(found))
    assert [line for line in lines if line not in read] == []
    for block in (block for message in found for block in message.blocks):
        if block["type"] == "section":
            assert block["text"]["text"].count("```") % 2 == 0


WORDS = st.sampled_from(
    ["<!here>", "& < >", "`code`", "**bold**", "| a | b |\n|---|---|\n", "```\nx\n```\n", "\n\n",
     "- item\n", "> ", "word " * 30, "x" * 400, "&" * 300, "```\n" + "&<>\n" * 300 + "```\n",
     "[l](https://acme.example/" + "p" * 300 + ")", "*", "~~", "`", "🙏"]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=40).map("".join)


@given(TEXTS, TEXTS, st.text(max_size=400), st.text(max_size=400))
@settings(deadline=None, max_examples=120)
def test_any_card_is_within_every_limit_and_calls_nobody(
    first: str, second: str, title: str, asked: str
) -> None:
    card = Card(
        Tone.ANSWER,
        title or "t",
        lead=first[:3000],
        parts=(Part(title, LINK, "a:1", first), Part("other", LINK, "a:2", second)),
        listings=(Listing("rows", (Row(first, second, LINK), Row(title or "t"))),),
        picks=(Pick(0, second.strip() or "p", "distance 0.1", "a:3"),),
        footer="ex1",
    )
    found = messages(card, exchange_id="ex1", asked=asked)
    assert 1 <= len(found) <= MOST
    for message in found:
        assert characters(message.payload["blocks"]) <= 9000
        assert len(message.text) <= 400
        assert wrong_message(message.payload["blocks"]) == []
        for block in message.blocks:
            if block["type"] in {"section", "context"}:
                assert "<!" not in "".join(_texts(block))


# --- gaps -----------------------------------------------------------------------------------------


def gap_line(name: str = "G-7KQ2", label: str = "“printer paper jam”", **more: str) -> GapLine:
    buttons = tuple(GapButton(action, action.value, name) for action in GapAction)
    detail = more.get("detail", "asked twice by 2 people, new · nothing near")
    place, link = more.get("place", "New page: printer-paper-jam.md"), more.get("link", "")
    return GapLine(name, label, detail, place, more.get("near", ""), link, buttons)


def test_each_gap_has_a_menu_of_what_can_be_decided_on_it() -> None:
    gap = gap_line(near="Nearest: Paper, distance 0.61", link=LINK)
    card = Card(Tone.INFO, "1 gap", gaps_heading="Open", gaps=(gap,))
    (message,) = messages(card)
    heading, shown = message.blocks[1:]
    assert heading == SECTION | {"text": mrkdwn("*Open*")}
    assert shown["text"]["text"] == (
        "*G-7KQ2* “printer paper jam”\nasked twice by 2 people, new · nothing near\n"
        f"New page: printer-paper-jam.md\n<{LINK}|Nearest: Paper, distance 0.61>"
    )
    menu = shown["accessory"]
    assert (menu["type"], menu["action_id"]) == ("overflow", "nightlamp.gap")
    assert [one["value"] for one in menu["options"]] == [f"{action}:G-7KQ2" for action in GapAction]


def test_every_gap_of_a_long_list_is_there_with_its_menu() -> None:
    gaps = tuple(gap_line(f"G-{number:04}", "x" * 400, detail="y" * 300) for number in range(10))
    found = messages(Card(Tone.INFO, "10 gaps", gaps_heading="Open", gaps=gaps))
    for message in found:
        assert wrong_message(message.payload["blocks"]) == []
        assert characters(message.payload["blocks"]) <= 9000
    menus = [block for message in found for block in message.blocks if "accessory" in block]
    assert len(menus) == 10


LABELS = st.text(max_size=300) | TEXTS
GAPS = st.builds(
    gap_line,
    st.from_regex(r"G-[0-9A-Z]{4}", fullmatch=True),
    LABELS,
    detail=LABELS,
    place=LABELS,
    near=LABELS,
    link=st.sampled_from(["", LINK, "https://acme.example/" + "p" * 3000]),
)


LONG = f"https://acme.example/{'a' * 2000}"


def test_a_gap_whose_lines_grow_by_escaping_fits_its_section() -> None:
    grown = GapLine("G-0000", "&" * 400, "&" * 400, place="&" * 400, near="&" * 400, link=LONG)
    (message,) = messages(Card(Tone.INFO, "1 gap in the runbooks", gaps=(grown,)))
    assert wrong_message(message.payload["blocks"]) == []


@given(
    st.lists(GAPS, max_size=40).map(tuple),
    LABELS,
    LABELS,
    st.lists(st.builds(Listing, LABELS, st.lists(st.builds(Row, LABELS, LABELS), max_size=12))).map(
        lambda some: tuple(Listing(one.heading or "x", tuple(one.rows)) for one in some[:3])
    ),
)
@settings(deadline=None, max_examples=120)
def test_any_digest_is_within_every_limit_and_calls_nobody(
    gaps: tuple[GapLine, ...], lead: str, heading: str, listings: tuple[Listing, ...]
) -> None:
    card = Card(
        Tone.INFO,
        "2 gaps in the runbooks",
        lead=lead,
        gaps_heading=heading,
        gaps=gaps,
        listings=listings,
        footer="2030-01-07 to 2030-01-14",
    )
    found = messages(card)
    assert 1 <= len(found) <= MOST
    for message in found:
        assert characters(message.payload["blocks"]) <= 9000
        assert wrong_message(message.payload["blocks"]) == []
        for block in message.blocks:
            if block["type"] in {"section", "context"}:
                assert "<!" not in "".join(_texts(block))
