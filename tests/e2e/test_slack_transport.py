"""How Slack's events reach the bot, and what happens when they, Slack or the journal fail."""

import asyncio
import itertools
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bots.slack_bot.bot import Patience, SlackChannel
from bots.slack_bot.http_mode import PATH
from core.errors import JournalUnavailable, SettingsError
from core.journal_port import Journal
from core.models import Question, Vote
from core.service import Nightlamp
from tests.e2e import slack_payloads as payloads
from tests.e2e.fake_slack import FakeSlack, Fault
from tests.e2e.slack_driver import (
    CHANNELS,
    PATIENCE,
    USERS,
    SlackDriver,
    open_slack,
    slack_settings,
)
from tests.e2e.world import ANN, BEN, OPS, World
from tests.waiting import PATIENT, until

ANN_ID, BEN_ID, OPS_ID = USERS[ANN], USERS[BEN], CHANNELS[OPS]
LONG = "dns timeouts: check every resolver"
UNANSWERED = {"ok": False, "error": "fatal_error"}
SHORT = 0.05
"""Seconds for which a bot waits for a journal that is too late."""


@pytest.fixture
def world(folder: Path, indexed_world: World) -> World:
    return World.at(folder, like=indexed_world)


@pytest.fixture
async def chat(world: World) -> AsyncIterator[SlackDriver]:
    async with open_slack(world) as driver:
        yield driver


def mentioned(text: str = "disk full", **more: Any) -> dict[str, Any]:
    return payloads.event(payloads.mention(text, ANN_ID, OPS_ID, **more))


def posted(slack: FakeSlack) -> list[dict[str, Any]]:
    return list(slack.messages[OPS_ID].values())


# --- each once ------------------------------------------------------------------------------------


async def test_a_retry_that_was_never_seen_is_answered(chat: SlackDriver) -> None:
    await chat.slack.hand_over("events_api", mentioned(), retry=2)
    await chat.channel.tasks.idle()
    assert len(posted(chat.slack)) == 1


async def test_a_retry_after_a_restart_is_not_answered_again(chat: SlackDriver) -> None:
    payload = mentioned()
    await chat.slack.hand_over("events_api", payload)
    await chat.channel.tasks.idle()
    await chat.restart()
    await chat.slack.hand_over("events_api", payload, retry=3)
    await chat.channel.tasks.idle()
    assert len(posted(chat.slack)) == 1


async def test_a_question_on_the_wire_is_acknowledged_before_it_is_answered(
    chat: SlackDriver,
) -> None:
    chat.slack.stuck = True
    await chat.slack.hand_over("events_api", mentioned())
    assert (await chat.counts())["exchanges"] == 1
    assert posted(chat.slack) == []


async def test_every_subscribed_event_and_any_other_is_acknowledged(chat: SlackDriver) -> None:
    inner: list[dict[str, Any]] = [
        payloads.said("x", ANN_ID, OPS_ID),
        payloads.said("x", ANN_ID, OPS_ID, subtype="channel_topic"),
        payloads.mention("x", ANN_ID, OPS_ID),
        payloads.reaction("eyes", ANN_ID, OPS_ID, "1893456000.000100"),
        payloads.reaction("+1", ANN_ID, OPS_ID, "1893456000.000100", added=False),
        {"type": "app_home_opened", "user": ANN_ID, "tab": "messages"},
        {"type": "user_change", "user": {"id": ANN_ID}},
        {"type": "member_joined_channel", "user": ANN_ID, "channel": OPS_ID},
    ]
    for one in inner:
        await chat.slack.hand_over("events_api", payloads.event(one))
    listeners = chat.channel.listeners
    assert listeners is not None
    assert listeners.unknown == {"user_change": 1, "member_joined_channel": 1}


async def test_an_unknown_command_and_an_old_button_are_acknowledged(chat: SlackDriver) -> None:
    body = payloads.command("/other", "", ANN_ID, OPS_ID, url="http://127.0.0.1:9", trigger="t")
    await chat.slack.hand_over("slash_commands", body)
    action = {"type": "button", "action_id": "old", "value": "x"}
    message = {"ts": "1893456000.000100"}
    press = payloads.pressed(action, message, ANN_ID, OPS_ID, url="http://x", trigger="t")
    await chat.slack.hand_over("interactive", press)
    listeners = chat.channel.listeners
    assert listeners is not None
    assert sum(listeners.unknown.values()) == 2


async def test_two_hundred_mixed_events_give_one_answer_and_the_right_votes_each(
    chat: SlackDriver,
) -> None:
    shuffler = random.Random(7)  # noqa: S311
    texts = ("disk full", "pod keeps crashing", "promote the postgres replica")
    questions = [mentioned(texts[number % 3]) for number in range(25)]
    events = questions * 3
    shuffler.shuffle(events)
    await asyncio.gather(
        *(chat.slack.hand_over("events_api", one, retry=shuffler.randint(0, 3)) for one in events)
    )
    await chat.channel.tasks.idle()
    standing = await chat.messages(OPS)
    assert len(standing) == 25
    thumbs, expected = [], []
    for number, shown in enumerate(standing):
        ts = posted(chat.slack)[number]["ts"]
        up = payloads.reaction("+1", ANN_ID, OPS_ID, ts)
        down = payloads.reaction("-1::skin-tone-2", BEN_ID, OPS_ID, ts)
        away = payloads.reaction("+1", ANN_ID, OPS_ID, ts, added=False)
        taken_back = number % 5 == 0
        thumbs += [up, down, *([away] if taken_back else [])] * 2
        expected.append({BEN: Vote.DOWN} if taken_back else {ANN: Vote.UP, BEN: Vote.DOWN})
        assert shown.exchange_id
    shuffler.shuffle(thumbs)
    await asyncio.gather(
        *(chat.slack.hand_over("events_api", payloads.event(one)) for one in thumbs)
    )
    assert [dict(await chat.votes(shown)) for shown in standing] == expected
    assert len(events) + len(thumbs) >= 180


# --- the journal ----------------------------------------------------------------------------------


class SlowJournal:
    """A journal whose first saves wait for `go`, or fail while `broken`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.go = asyncio.Event()
        self.broken = False
        self.asked = asyncio.Event()

    async def receive(self, exchange_id: str, question: Question) -> bool:
        self.asked.set()
        if self.broken:
            raise JournalUnavailable("This test says so.")
        await self.go.wait()
        return await self._journal.receive(exchange_id, question)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)


@asynccontextmanager
async def slow(
    world: World, saving: float = PATIENCE.saving
) -> AsyncIterator[tuple[SlackDriver, SlowJournal]]:
    """A bot that waits for its journal for so many seconds."""
    async with open_slack(world, patience=Patience(saving=saving, ending=0.0)) as chat:
        await chat.stop_channel()
        journal = SlowJournal(chat.app.journal)
        service = Nightlamp(
            chat.app.library.answerer, chat.app.library.index, journal, chat.app.clock
        )
        await chat.start_channel(replace(chat.app, journal=journal, service=service))
        yield chat, journal


async def sent_until_taken(slack: FakeSlack, payload: dict[str, Any]) -> None:
    """Send an event again and again, as Slack does: one try may be too late, or be cut off."""
    async with asyncio.timeout(PATIENT):
        for retry in itertools.count(1):
            await slack.until(lambda: slack.connected)
            with suppress(TimeoutError, ConnectionError):
                name = await slack.send("events_api", payload, retry=retry)
                await slack.until(lambda name=name: name in slack.acks, 20 * SHORT)  # type: ignore[misc]
                return


async def test_an_event_that_cannot_be_saved_is_left_for_slack_to_send_again(
    world: World,
) -> None:
    async with slow(world) as (chat, journal):
        journal.broken = True
        payload = mentioned()
        lost = await chat.slack.send("events_api", payload)
        await journal.asked.wait()
        await chat.slack.hand_over("events_api", payloads.event({"type": "user_change"}))
        assert lost not in chat.slack.acks
        journal.broken = False
        journal.go.set()
        await chat.slack.hand_over("events_api", payload, retry=1)
        await chat.channel.tasks.idle()
        assert lost not in chat.slack.acks
        assert len(posted(chat.slack)) == 1


async def test_an_event_that_is_saved_too_late_is_answered_once_all_the_same(
    world: World,
) -> None:
    async with slow(world, saving=SHORT) as (chat, journal):
        payload = mentioned()
        first = await chat.slack.send("events_api", payload)
        await journal.asked.wait()
        await asyncio.sleep(4 * SHORT)  # it has begun to wait before this does
        journal.go.set()
        await sent_until_taken(chat.slack, payload)
        await chat.channel.tasks.idle()
        assert first not in chat.slack.acks
        assert len(posted(chat.slack)) == 1


async def test_a_command_that_is_not_saved_in_time_says_so_and_is_taken_back(
    world: World,
) -> None:
    async with slow(world, saving=SHORT) as (chat, journal):
        url = chat.slack.response_url(ANN_ID, OPS_ID)
        body = payloads.command("/query", "disk full", ANN_ID, OPS_ID, url=url, trigger="t")
        answer = await chat.slack.hand_over("slash_commands", body)
        assert answer["payload"] == {
            "response_type": "ephemeral",
            "text": "This was not saved. Please try again.",
        }
        journal.go.set()
        await chat.channel.tasks.idle()
        assert await chat.app.service.unanswered() == []
        assert posted(chat.slack) == []


# --- Socket Mode ----------------------------------------------------------------------------------


@asynccontextmanager
async def channel_on(
    world: World, slack: FakeSlack, /, *, patience: Patience | None = None, **more: Any
) -> AsyncIterator[tuple[SlackChannel, "asyncio.Task[None]"]]:
    async with world.open_app(slack_settings(world, slack, **more)) as app:
        channel = SlackChannel(app, patience=patience or PATIENCE)
        running = asyncio.create_task(channel.run())
        try:
            yield channel, running
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError, SettingsError):
                await running


@pytest.mark.parametrize(
    ("key", "value", "names"),
    [
        ("bot_token", "xoxb-wrong", "NIGHTLAMP_SLACK_BOT_TOKEN"),
        ("app_token", "xapp-wrong", "NIGHTLAMP_SLACK_APP_TOKEN"),
    ],
)
async def test_a_wrong_token_ends_the_channel_with_one_sentence(
    world: World, key: str, value: str, names: str
) -> None:
    async with FakeSlack().running() as slack:
        tokens = {
            "bot_token": slack.bot_token,
            "app_token": slack.app_token,
            "api_url": slack.base_url,
        }
        async with channel_on(world, slack, slack=tokens | {key: value}) as (_, running):
            with pytest.raises(SettingsError, match=f"Slack refuses {names}"):
                await running


async def test_a_refresh_loses_nothing(chat: SlackDriver) -> None:
    old = chat.slack.socket
    await old.send_json({"type": "disconnect", "reason": "refresh_requested"})
    await old.send_json({"envelope_id": "behind", "payload": mentioned(), "type": "events_api"})
    await chat.slack.until(lambda: len(chat.slack.sockets) == 2 and "behind" in chat.slack.acks)
    await chat.channel.tasks.idle()
    assert len(posted(chat.slack)) == 1


async def test_a_connection_that_the_server_closes_is_made_again(world: World) -> None:
    async with open_slack(world, patience=replace(PATIENCE, ping=0.5)) as chat:
        await chat.slack.socket.close()
        await chat.slack.until(lambda: len(chat.slack.sockets) >= 2 and chat.slack.connected)
        await sent_until_taken(chat.slack, mentioned())  # a busy machine misses so quick a ping
        await chat.channel.tasks.idle()
        [shown] = await chat.messages(OPS)
        assert shown.title == "Disk full › Grow the volume"


async def test_status_has_it_connecting_until_it_is_connected_and_after_the_end(
    world: World,
) -> None:
    async with FakeSlack().running() as slack:
        async with channel_on(world, slack) as (channel, _):
            assert not channel.connection.up
            await until(lambda: channel.connection.up)
        assert not channel.connection.up


async def test_a_deaf_connection_is_thrown_away_with_its_session(world: World) -> None:
    patience = replace(PATIENCE, ping=100.0, deaf=0.15, look=0.05)
    async with FakeSlack().running() as slack:
        slack.answers_pings = False
        async with channel_on(world, slack, patience=patience) as (channel, _):
            await slack.until(lambda: len(slack.sockets) >= 3)
            assert channel.socket is not None
            assert channel.socket.rebuilt >= 2
            assert slack.sockets[0].closed


async def test_a_server_that_fails_for_a_moment_is_asked_again(chat: SlackDriver) -> None:
    chat.slack.fail("chat.postMessage", Fault(503, UNANSWERED))
    assert (await chat.ask(ANN, "disk full")).title == "Disk full › Grow the volume"


# --- HTTP -----------------------------------------------------------------------------------------


@asynccontextmanager
async def over_http(world: World) -> AsyncIterator[tuple[FakeSlack, str, SlackChannel]]:
    async with FakeSlack().running() as slack:
        settings = {
            "bot_token": slack.bot_token,
            "signing_secret": slack.signing_secret,
            "api_url": slack.base_url,
            "port": 0,
        }
        async with channel_on(world, slack, slack=settings) as (channel, _):
            await channel.listening.wait()
            assert channel.http is not None
            port = await channel.http.port
            yield slack, f"http://127.0.0.1:{port}{PATH}", channel


async def test_over_http_it_is_connected_while_it_listens(world: World) -> None:
    async with over_http(world) as (_, _, channel):
        assert channel.connection.up
    assert not channel.connection.up


async def test_signed_events_and_commands_are_answered_over_http(world: World) -> None:
    async with over_http(world) as (slack, url, channel):
        assert (await slack.call(url, "events_api", mentioned()))[0] == 200
        body = payloads.command(
            "/query",
            "form & body",
            ANN_ID,
            OPS_ID,
            url=slack.response_url(ANN_ID, OPS_ID),
            trigger=slack.trigger(),
        )
        assert (await slack.call(url, "slash_commands", body))[0] == 200
        await channel.tasks.idle()
        assert len(posted(slack)) == 2


async def test_the_address_is_verified_as_slack_asks(world: World) -> None:
    async with over_http(world) as (slack, url, _):
        payload = {"type": "url_verification", "challenge": "abc", "token": "x"}
        status, body = await slack.call(url, "events_api", payload)
        assert (status, json.loads(body)) == (200, {"challenge": "abc"})


@pytest.mark.parametrize(
    ("secret", "stamp"),
    [("wrong", ""), ("", "1700000000"), ("", "abc"), ("", "1e9"), ("", "\u0661")],
    ids=["another secret", "too old", "no number", "a float", "a digit of another script"],
)
async def test_what_slack_did_not_sign_is_refused(world: World, secret: str, stamp: str) -> None:
    async with over_http(world) as (slack, url, channel):
        payload = mentioned()
        headers = slack.signed(json.dumps(payload), secret=secret, stamp=stamp)
        assert (await slack.call(url, "events_api", payload, headers))[0] == 401
        assert (await slack.call(url, "events_api", payload, {}))[0] == 401
        await channel.tasks.idle()
        assert posted(slack) == []


async def test_a_port_that_is_taken_is_said_in_one_sentence(world: World) -> None:
    async with FakeSlack().running() as slack:
        settings = {
            "bot_token": slack.bot_token,
            "signing_secret": slack.signing_secret,
            "api_url": slack.base_url,
            "port": slack.port,
        }
        async with channel_on(world, slack, slack=settings) as (_, running):
            with pytest.raises(SettingsError, match="NIGHTLAMP_SLACK_PORT"):
                await running


async def test_an_answer_that_broke_off_between_two_parts_is_whole_after_a_restart(
    chat: SlackDriver,
) -> None:
    chat.slack.most_posts = 1
    await chat.slack.hand_over("events_api", mentioned(LONG))
    await chat.slack.until(lambda: len(chat.slack.called("chat.postMessage")) == 2)
    await chat.stop()
    assert len(posted(chat.slack)) == 1
    chat.slack.most_posts = 1_000_000
    await chat.start()
    (shown,) = await chat.messages(OPS)
    whole = await chat.ask(ANN, LONG)
    assert shown.text.removeprefix(f"Asked: {LONG}\n")[:3000] == whole.text[:3000]
    assert len(shown.handle.messages) == len(whole.handle.messages) > 1  # type: ignore[attr-defined]
