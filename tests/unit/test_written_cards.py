"""What a language model wrote, as a part of a card and as JSON."""

import pytest

from bots.card import Card, Part, Tone
from bots.discord_bot.delivery import payloads
from bots.discord_bot.writing import only_adds as adds_on_discord
from bots.slack_bot.render import messages
from bots.slack_bot.render import only_adds as adds_on_slack
from bots.written_cards import with_links, with_written, written_card, written_json, written_part
from core.models import Section
from core.settings_groups import CardSettings
from core.written import Cited, FoundNothing, WrittenAnswer
from corpus.splitter import cut
from tests.indexed import page

PAGE = page("a_b.md", "# Pod crash\n\n## Roll_back\n\nUndo it.\n")
FENCE = "```sh\nrun [1] now\n```"


def section() -> Section:
    return cut(PAGE, fits=lambda text: len(text) < 2000).sections[-1]


def answer(text: str) -> WrittenAnswer:
    return WrittenAnswer(text, (Cited(1, section()),), "m_1", "answer.v1", 120, 350.26)


def link(of: Section) -> str:
    return f"https://example.com/{of.path}#roll_back"


def part(text: str, *, linked: bool = True, to: str | None = None) -> Part:
    return written_part(
        answer(text),
        link=link if to is None else lambda _: to or "",
        settings=CardSettings(),
        linked=linked,
    )


def test_it_is_labelled_and_lists_what_it_cites() -> None:
    found = part("Undo it [1].")
    assert found.heading == "Written by a language model (m_1), checked against what it cites"
    assert found.text == (
        "Undo it [[1]](<https://example.com/a_b.md#roll_back>).\n\n"
        r"- [1] [Pod crash › Roll\_back](<https://example.com/a_b.md#roll_back>)"
    )


def test_without_links_it_names_the_places() -> None:
    at = "Undo it [1].\n\n- [1] Pod crash › Roll_back (runbooks/a_b.md:3)"
    assert part("Undo it [1].", linked=False).text == at


@pytest.mark.parametrize("to", ["", "file:///etc/x", "https://a b", "javascript:x", "https://<x>"])
def test_an_address_that_a_chat_cannot_follow_is_no_link(to: str) -> None:
    assert "](" not in part("Undo it [1].", to=to).text


def test_what_it_may_destroy_is_said_with_it() -> None:
    text = part("Run `rm -rf /var/log/archive` [1].").text
    assert r"⚠️ Careful, this can destroy or interrupt: rm -r" in text


def test_the_first_of_each_number_is_a_link_and_none_in_code() -> None:
    links = {1: "https://e.com/1", 2: "https://e.com/2"}
    text = f"Use `a[1]` here [1][2], again [1]. \\[2] [3]\n\n{FENCE}\n\n- item [2]"
    assert with_links(text, links) == (
        "Use `a[1]` here [[1]](<https://e.com/1>)[[2]](<https://e.com/2>), again [1]. \\[2] [3]"
        f"\n\n{FENCE}\n\n- item [2]"
    )


def test_that_nothing_was_found_is_worded_as_not_sure() -> None:
    found = written_part(FoundNothing("m", "p"), link=link, settings=CardSettings())
    assert (found.heading, found.text) == (
        "Not sure",
        "A language model (m) read these sections and found no answer in them.",
    )


def test_json_tells_all_three_ends() -> None:
    assert written_json(None, link) is None
    nothing = written_json(FoundNothing("m", "p"), link)
    assert nothing == {"model": "m", "prompt": "p", "text": "", "found_nothing": True}
    assert written_json(answer("Undo it [1]."), link) == {
        "model": "m_1",
        "prompt": "answer.v1",
        "text": "Undo it [1].",
        "found_nothing": False,
        "citations": [
            {
                "number": 1,
                "section_id": section().id,
                "link": "https://example.com/a_b.md#roll_back",
            }
        ],
        "tokens": 120,
        "ms": 350.3,
    }


# --- where it has room ----------------------------------------------------------------------------


def card(paragraphs: int) -> Card:
    text = "\n\n".join(f"Paragraph {n}: {'word ' * 30}" for n in range(paragraphs))
    shown = Part("Pod", "", "a.md:1", text)
    return Card(Tone.ANSWER, title="Pod", parts=(shown,), footer="0123456789ab")


@pytest.mark.parametrize("paragraphs", range(1, 95, 3))
def test_an_edit_only_ever_adds_below(paragraphs: int) -> None:
    short, written = card(paragraphs), part("Undo it with `kubectl rollout undo` [1].")
    longer = with_written(short, written)
    before, after = payloads(short), payloads(longer)
    if adds_on_discord(before, after, written):
        old, new = ([one.post.embeds[0].description or "" for one in of] for of in (before, after))
        assert new[:-1] == old[:-1]
        assert new[-1].startswith(old[-1].rstrip())
        assert "`kubectl rollout undo`" in new[-1]
    if adds_on_slack(short, longer):
        shown = messages(longer)
        assert len(shown) == len(messages(short))
        assert "`kubectl rollout undo`" in str(shown[-1].blocks)


def test_it_has_room_on_a_short_card_and_none_below_one_that_was_cut() -> None:
    written = part("Undo it [1].")
    short, long = card(3), card(200)
    assert adds_on_slack(short, with_written(short, written))
    for one, room in ((short, True), (long, False)):
        longer = with_written(one, written)
        assert adds_on_discord(payloads(one), payloads(longer), written) is room


def test_as_a_card_of_its_own_it_carries_the_exchange() -> None:
    own = written_card(part("Undo it [1]."), "0123456789ab")
    assert own.title.startswith("Written by a language model")
    assert own.footer == "0123456789ab"
    assert len(payloads(own)) == len(messages(own)) == 1
