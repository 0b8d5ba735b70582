"""The real client against a Discord on loopback: what its network and gateway do to the bot."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bots.app import App
from bots.discord_bot.bot import NightlampBot
from bots.discord_bot.channel import INTENTS_OFF, WRONG_TOKEN, DiscordChannel
from core.errors import SettingsError
from core.exchanges import Person
from core.models import Platform, Vote
from tests.e2e.fake_discord import ANN, CHANNEL, GUILD, TOKEN, FakeDiscord, fake_discord
from tests.e2e.world import World
from tests.waiting import PATIENT, until

TITLE = "Disk full › Grow the volume"
WHO = Person(Platform.DISCORD, str(ANN))


@dataclass(frozen=True)
class Running:
    """A bot that is connected to the fake, and the task that runs it."""

    fake: FakeDiscord
    app: App
    bot: NightlampBot
    task: "asyncio.Task[None]"

    async def asked(self, text: str = "disk full") -> str:
        """Ask, wait for the answer with its thumbs; returns the interaction's token."""
        token = await self.fake.command("query", text=text)
        await self.fake.until(lambda: self.fake.answer(token))
        await self.fake.until(lambda: len(self.message(token)["reactions"]) == 2)
        return token

    def message(self, token: str) -> dict[str, object]:
        """Return the message that answers an interaction."""
        message = self.fake.answer(token)
        assert message is not None
        return message

    async def voted(self, token: str) -> dict[Person, Vote]:
        """Return the votes on an answer, as soon as there are any."""
        (exchange,) = await self.app.journal.recent(WHO, 1)
        async with asyncio.timeout(PATIENT):
            votes: dict[Person, Vote] = {}
            while not votes:
                votes = await self.app.journal.votes(exchange.id)
        return votes


@asynccontextmanager
async def opened(folder: Path, like: World, token: str = TOKEN) -> AsyncIterator[App]:
    world = World.at(folder, like=like)
    tenant = {"name": "acme", "discord_guilds": [str(GUILD)]}
    settings = world.settings(tenants=[tenant, {"name": "globex"}], discord={"token": token})
    async with world.open_app(settings) as app:
        yield app


@pytest.fixture
async def app(folder: Path, indexed_world: World) -> AsyncIterator[App]:
    async with opened(folder, indexed_world) as app:
        yield app


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with fake_discord() as fake:
        yield fake


@pytest.fixture
async def running(app: App, fake: FakeDiscord) -> AsyncIterator[Running]:
    async with connected(app, fake) as running:
        yield running


@asynccontextmanager
async def connected(
    app: App, fake: FakeDiscord, *, silence: float = PATIENT
) -> AsyncIterator[Running]:
    """Connect a bot that leaves a gateway which is silent for so many seconds."""
    bot = NightlampBot(app, guild_ready_timeout=0.1, heartbeat_timeout=silence)
    async with bot:
        task = asyncio.create_task(bot.start(TOKEN))
        await fake.until(lambda: fake.commands and fake.identified)
        await bot.wait_until_ready()
        yield Running(fake, app, bot, task)
    task.cancel()
    await asyncio.wait({task})


async def test_a_command_is_acknowledged_and_answered_over_the_wire(running: Running) -> None:
    token = await running.asked()
    embeds = running.message(token)["embeds"]
    assert isinstance(embeds, list)
    assert running.fake.interactions[token]["response"]["type"] == 5
    assert embeds[0]["title"] == TITLE


async def test_a_wrong_token_is_one_sentence(
    folder: Path, indexed_world: World, fake: FakeDiscord
) -> None:
    async with opened(folder, indexed_world, token="wrong") as app:  # noqa: S106
        with pytest.raises(SettingsError) as told:
            await DiscordChannel(app).run()
    assert str(told.value) == WRONG_TOKEN


async def test_refused_intents_are_one_sentence(app: App, fake: FakeDiscord) -> None:
    fake.refuses_intents = True
    with pytest.raises(SettingsError) as told:
        await DiscordChannel(app).run()
    assert (str(told.value), len(fake.identified)) == (INTENTS_OFF, 1)


async def test_a_token_that_was_reset_while_running_is_one_sentence(
    app: App, fake: FakeDiscord
) -> None:
    serving = asyncio.create_task(DiscordChannel(app).run())
    await fake.until(lambda: fake.commands and fake.identified)
    await fake.close(4004)
    with pytest.raises(SettingsError) as told:
        await serving
    assert str(told.value) == WRONG_TOKEN


async def test_status_has_it_connecting_until_it_is_connected_and_after_the_end(
    app: App, fake: FakeDiscord
) -> None:
    channel = DiscordChannel(app)
    assert not channel.connection.up
    serving = asyncio.create_task(channel.run())
    await until(lambda: channel.connection.up)
    serving.cancel()
    await asyncio.wait({serving})
    assert not channel.connection.up


async def test_without_message_content_it_is_not_asked_for(app: App, fake: FakeDiscord) -> None:
    fake.flags = 0
    serving = asyncio.create_task(DiscordChannel(app).run())
    await fake.until(lambda: fake.identified)
    serving.cancel()
    await asyncio.wait({serving})
    assert fake.identified[0]["intents"] & (1 << 15) == 0


async def test_a_reaction_that_was_missed_is_replayed_after_a_cut(running: Running) -> None:
    token = await running.asked()
    running.fake.cut()
    await running.fake.react(str(running.message(token)["id"]), "👍")
    await running.fake.until(lambda: running.fake.resumed)
    assert await running.voted(token) == {WHO: Vote.UP}
    assert len(running.fake.identified) == 1


async def test_a_vote_that_nobody_was_told_of_is_found_at_the_next_start(
    app: App, fake: FakeDiscord
) -> None:
    async with connected(app, fake) as running:
        token = await running.asked()
        fake.missed[str(running.message(token)["id"]), "👎"].append(ANN)
    async with connected(app, fake) as running:
        assert await running.voted(token) == {WHO: Vote.DOWN}


async def test_an_order_to_reconnect_is_a_resume(running: Running) -> None:
    await running.fake.reconnect()
    await running.fake.until(lambda: running.fake.resumed)
    await running.asked()
    assert len(running.fake.identified) == 1


@pytest.mark.slow
async def test_a_lost_session_is_begun_anew_and_commands_are_not_told_again(
    running: Running,
) -> None:
    running.fake.takes_resume = False
    await running.fake.reconnect()
    await running.fake.until(lambda: len(running.fake.identified) == 2)
    await running.asked()
    told = [
        path for method, path, _ in running.fake.calls if method == "PUT" and "commands" in path
    ]
    assert len(told) == 1


@pytest.mark.slow
async def test_a_silent_gateway_is_left(app: App, fake: FakeDiscord) -> None:
    fake.acknowledges_heartbeats = False
    async with connected(app, fake, silence=2.0) as running:
        await fake.until(lambda: fake.resumed)
        fake.acknowledges_heartbeats = True
        await running.asked()


async def test_too_many_requests_cost_time_and_no_thumb(running: Running) -> None:
    limited = {"message": "You are being rate limited.", "retry_after": 0.05, "global": False}
    running.fake.fail("PUT", r".*/reactions/.*", 429, limited, {"Retry-After": "1"}, times=2)
    token = await running.asked()
    assert len(running.message(token)["reactions"]) == 2  # type: ignore[arg-type]


@pytest.mark.slow
async def test_a_bad_gateway_is_tried_again(running: Running) -> None:
    running.fake.fail("PATCH", r"/webhooks/.*", 502)
    token = await running.asked()
    assert running.message(token)["id"] == running.fake.originals[token]


async def test_an_expired_reply_goes_to_the_channel(running: Running) -> None:
    running.fake.fail("PATCH", r"/webhooks/.*", 401, {"code": 50027, "message": "Invalid"})
    await running.fake.command("query", text="disk full")
    posted = f"/channels/{CHANNEL}/messages"
    await running.fake.until(lambda: any(path == posted for _, path, _ in running.fake.calls))
    (body,) = [body for _, path, body in running.fake.calls if path == posted]
    assert body["embeds"][0]["title"] == TITLE


async def test_a_question_that_is_acknowledged_too_late_is_answered_in_the_channel(
    running: Running,
) -> None:
    running.fake.fail("POST", r"/interactions/.*", 404, {"code": 10062, "message": "Unknown"})
    await running.fake.command("query", text="disk full")
    posted = f"/channels/{CHANNEL}/messages"
    await running.fake.until(lambda: any(path == posted for _, path, _ in running.fake.calls))
    (exchange,) = await running.app.journal.recent(WHO, 1)
    assert exchange.recorded is not None


async def test_an_event_that_cannot_be_read_ends_the_run_for_the_supervisor(
    running: Running,
) -> None:
    await running.fake.dispatch("INTERACTION_CREATE", {"id": "1", "type": 3})
    done, _ = await asyncio.wait({running.task}, timeout=PATIENT)
    assert done
    assert running.task.exception() is not None


async def test_the_end_waits_for_what_is_being_answered(app: App, fake: FakeDiscord) -> None:
    serving = asyncio.create_task(DiscordChannel(app).run())
    await fake.until(lambda: fake.commands and fake.identified)
    token = await fake.command("query", text="disk full")
    await fake.until(lambda: fake.interactions[token]["response"])
    serving.cancel()
    await asyncio.wait({serving})
    assert fake.answer(token) is not None
