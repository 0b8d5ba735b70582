"""What Discord hands over, read into the core's values."""

from datetime import UTC, datetime
from typing import Any

import discord
import pytest

from bots.discord_bot.events import asked_text, thumb_from, vote_of, whole_text
from core.exchanges import MessageRef, Person, Thumb
from core.models import Platform, Vote

NOW = datetime(2030, 1, 7, 9, 0, tzinfo=UTC)
UP, DOWN = "\N{THUMBS UP SIGN}", "\N{THUMBS DOWN SIGN}"
SKINS = [chr(code) for code in range(0x1F3FB, 0x1F400)]
SELECTORS = ["\N{VARIATION SELECTOR-15}", "\N{VARIATION SELECTOR-16}"]


def reaction(
    emoji: str, *, added: bool = True, user: int = 5, id_: int | None = None
) -> discord.RawReactionActionEvent:
    payload: Any = {"user_id": user, "channel_id": 2, "message_id": 3, "type": 0}
    partial = discord.PartialEmoji(name=emoji, id=id_)
    kind: Any = "REACTION_ADD" if added else "REACTION_REMOVE"
    return discord.RawReactionActionEvent(payload, partial, kind)


@pytest.mark.parametrize("dress", ["", *SKINS, *SELECTORS])
def test_a_thumb_counts_in_every_skin(dress: str) -> None:
    assert (vote_of(UP + dress), vote_of(DOWN + dress)) == (Vote.UP, Vote.DOWN)


@pytest.mark.parametrize("emoji", ["❤", "👌", "+1", "thumbsup", ""])
def test_other_emoji_are_no_vote(emoji: str) -> None:
    assert vote_of(emoji) is None


def test_a_custom_emoji_is_no_vote_whatever_its_name() -> None:
    assert vote_of(discord.PartialEmoji(name=UP, id=77)) is None


def test_a_reaction_is_a_thumb_on_its_message() -> None:
    expected = Thumb(
        Person(Platform.DISCORD, "5"),
        Vote.DOWN,
        added=False,
        at=NOW,
        message=MessageRef(Platform.DISCORD, "2", "3"),
    )
    assert thumb_from(reaction(DOWN, added=False), own_id=1, at=NOW) == expected


def test_the_bots_own_thumb_is_none() -> None:
    assert thumb_from(reaction(UP, user=1), own_id=1, at=NOW) is None


def test_another_bots_thumb_is_none() -> None:
    event = reaction(UP)
    event.member = member(bot=True)
    assert thumb_from(event, own_id=1, at=NOW) is None


def test_what_is_asked_is_the_text_without_the_bots_names() -> None:
    assert asked_text("<@1> disk full <@!1>\n", "<@1>", "<@!1>") == "disk full"


def test_the_text_of_an_alert_is_also_in_its_embeds() -> None:
    embed = discord.Embed(title="[FIRING:1] DiskFull", description="node-7")
    embed.add_field(name="severity", value="page")
    assert whole_text(Alert([embed])) == "[FIRING:1] DiskFull\nnode-7\nseverity page"


class Alert:
    """As much of a message as has text."""

    content = ""

    def __init__(self, embeds: list[discord.Embed]) -> None:
        self.embeds = embeds


def member(*, bot: bool) -> Any:
    class Somebody:
        pass

    somebody = Somebody()
    somebody.bot = bot  # type: ignore[attr-defined]
    return somebody
