"""What nobody asked for: a digest in a channel, a word to a person, on both platforms."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bots.announcing import Announcers
from bots.card import Button, ButtonKind, Card, Tone
from bots.discord_bot.bot import NightlampBot
from core.exchanges import MessageRef, Person
from core.models import Platform
from core.ports import Announcer, Attachment
from tests.e2e.discord_driver import DiscordDriver, open_discord
from tests.e2e.fake_slack import Fault
from tests.e2e.slack_driver import CHANNELS, USERS, SlackDriver, open_slack
from tests.e2e.world import ANN, OPS, World

DIGEST = Card(Tone.INFO, "This week", lead="Three gaps.")
PICTURE = Attachment("chart.png", b"\x89PNG and so on", "12 asked, 3 unanswered")

Driver = DiscordDriver | SlackDriver


@asynccontextmanager
async def opened(platform: str, folder: Path, like: World) -> AsyncIterator[Driver]:
    world = World.at(folder, like=like)
    if platform == "slack":
        async with open_slack(world) as slack:
            yield slack
    else:
        async with open_discord(world) as discord:
            yield discord


@pytest.fixture(params=["discord", "slack"])
async def chat(
    request: pytest.FixtureRequest, folder: Path, indexed_world: World
) -> AsyncIterator[Driver]:
    async with opened(request.param, folder, indexed_world) as driver:
        yield driver


def announcer(chat: Driver) -> Announcer:
    if isinstance(chat, DiscordDriver):
        assert isinstance(chat.env.bot, NightlampBot)
        return chat.env.bot.announcer
    assert chat.channel.announcer is not None
    return chat.channel.announcer


def channel(chat: Driver) -> tuple[Platform, str]:
    if isinstance(chat, SlackDriver):
        return Platform.SLACK, CHANNELS[OPS]
    return Platform.DISCORD, str(chat.rooms[OPS.name].id)


def standing(chat: Driver) -> str:
    """Return all that stands in the channel, as the platform keeps it."""
    if isinstance(chat, SlackDriver):
        return str(list(chat.slack.messages[CHANNELS[OPS]].values()))
    messages = chat.rooms[OPS.name].history()
    return str([(one.content, [embed.to_dict() for embed in one.embeds]) for one in messages])


def ann(chat: Driver) -> Person:
    if isinstance(chat, SlackDriver):
        return Person(Platform.SLACK, USERS[ANN])
    return Person(Platform.DISCORD, str(chat.actor(ANN, OPS).id))


async def test_a_card_is_posted_to_its_channel(chat: Driver) -> None:
    posted = await announcer(chat).post(*channel(chat), DIGEST)
    assert posted is not None
    assert (posted.platform, posted.channel_id) == channel(chat)
    assert DIGEST.title in standing(chat)


async def test_where_the_bot_may_not_post_nothing_is(chat: Driver) -> None:
    platform, _ = channel(chat)
    assert await announcer(chat).post(platform, "404", DIGEST) is None


async def test_a_thread_that_is_gone_is_spoken_to_in_its_channel(chat: Driver) -> None:
    posted = await announcer(chat).post(*channel(chat), DIGEST, thread_id="404")
    assert posted is not None
    assert posted.channel_id == channel(chat)[1]


async def test_whom_it_concerns_is_called_and_nobody_else(chat: Driver) -> None:
    loud = Card(Tone.INFO, "This week", lead="@everyone <!channel>")
    posted = await announcer(chat).post(*channel(chat), loud, mention=ann(chat))
    assert posted is not None
    assert f"<@{ann(chat).user_id}>" in standing(chat)
    assert "<!channel>" not in standing(chat)


async def test_a_person_is_told_in_a_direct_message(chat: Driver) -> None:
    told = await announcer(chat).tell(ann(chat), DIGEST)
    assert told is not None
    assert told.channel_id != channel(chat)[1]


async def test_somebody_who_is_not_there_is_not_told(chat: Driver) -> None:
    if isinstance(chat, SlackDriver):
        chat.slack.refusing["U404"] = "user_not_found"
    somebody = Person(ann(chat).platform, "U404" if isinstance(chat, SlackDriver) else "404")
    assert await announcer(chat).tell(somebody, DIGEST) is None


async def test_what_carries_an_exchange_takes_thumbs(chat: Driver) -> None:
    asked = await chat.ask(ANN, "disk full")
    card = Card(Tone.ANSWER, "Now there is a page", buttons=(why(asked.exchange_id),))
    told = await announcer(chat).post(*channel(chat), card)
    assert told is not None
    exchange = await chat.app.journal.exchange_of(told)
    assert exchange is not None
    assert exchange.id == asked.exchange_id


async def test_a_chart_comes_with_its_description_on_slack(
    folder: Path, indexed_world: World
) -> None:
    async with open_slack(World.at(folder, like=indexed_world)) as chat:
        posted = await announcer(chat).post(*channel(chat), DIGEST, attachment=PICTURE)
        assert posted is not None
        (file,) = chat.slack.files
        (asked,) = chat.slack.called("files.getUploadURLExternal")
        assert (file["data"], file["thread"]) == (PICTURE.data, posted.message_id)
        assert asked["alt_txt"] == PICTURE.alt


async def test_without_the_right_to_upload_the_digest_stands_all_the_same(
    folder: Path, indexed_world: World
) -> None:
    async with open_slack(World.at(folder, like=indexed_world)) as chat:
        chat.slack.scopes.discard("files:write")
        posted = await announcer(chat).post(*channel(chat), DIGEST, attachment=PICTURE)
        assert isinstance(posted, MessageRef)


async def test_a_chart_comes_with_its_description_on_discord(
    folder: Path, indexed_world: World
) -> None:
    async with open_discord(World.at(folder, like=indexed_world)) as chat:
        posted = await announcer(chat).post(*channel(chat), DIGEST, attachment=PICTURE)
        assert posted is not None
        stored = chat.env.backend.get_message(int(posted.channel_id), int(posted.message_id))
        assert stored.attachments[0]["description"] == PICTURE.alt


async def test_a_channel_that_is_down_announces_nothing(folder: Path, indexed_world: World) -> None:
    async with open_slack(World.at(folder, like=indexed_world)) as chat:
        announcers = Announcers()
        announcers.speak_by([chat.channel])
        assert await announcers.post(*channel(chat), DIGEST) is not None
        await chat.stop_channel()
        assert await announcers.post(*channel(chat), DIGEST) is None


async def test_a_fault_of_slack_is_no_refusal(folder: Path, indexed_world: World) -> None:
    async with open_slack(World.at(folder, like=indexed_world)) as chat:
        chat.slack.fail("chat.postMessage", *[Fault(status=503, body={})] * 4)
        assert await announcer(chat).post(*channel(chat), DIGEST) is None


def why(exchange_id: str) -> Button:
    return Button(ButtonKind.TELL_WHY, "Tell us why", exchange_id)
