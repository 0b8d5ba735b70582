"""Every way in which Discord refuses an answer ends in a message somewhere, or in a log."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.fake_discord import CHANNEL, FakeDiscord, fake_discord
from tests.e2e.test_discord_transport import TITLE, WHO, Running, connected, opened
from tests.e2e.world import World

NO_REPLY = {
    "the token has expired": (401, 50027),
    "the webhook is gone": (404, 10015),
    "the reply was deleted": (404, 10008),
    "access is missing": (403, 50001),
    "permissions are missing": (403, 50013),
}
NO_CHANNEL = {
    "access is missing": (403, 50001),
    "permissions are missing": (403, 50013),
    "the thread is archived": (400, 50083),
    "the channel is gone": (404, 10003),
    "the form is not taken": (400, 50035),
}
REPLY, ROOM = r"/webhooks/.*", rf"/channels/{CHANNEL}/messages"
LONG = "dns timeouts: check every resolver"
DIRECT = "/channels/7000/messages"


@pytest.fixture
async def running(folder: Path, indexed_world: World) -> AsyncIterator[Running]:
    async with (
        fake_discord() as fake,
        opened(folder, indexed_world) as app,
        connected(app, fake) as running,
    ):
        yield running


def refuse(fake: FakeDiscord, method: str, path: str, code: tuple[int, int]) -> None:
    fake.fail(method, path, code[0], {"code": code[1], "message": "ordered"}, times=5)


async def sent_to(fake: FakeDiscord, path: str) -> str:
    """Wait for a message there; returns its title."""
    await fake.until(lambda: any(one == path for _, one, _ in fake.calls))
    bodies = [body for method, one, body in fake.calls if (method, one) == ("POST", path)]
    return str(bodies[0]["embeds"][0]["title"])


@pytest.mark.parametrize("code", NO_REPLY.values(), ids=NO_REPLY)
async def test_what_cannot_be_a_reply_stands_in_the_channel(
    running: Running, code: tuple[int, int]
) -> None:
    refuse(running.fake, "PATCH", REPLY, code)
    await running.fake.command("query", text="disk full")
    assert await sent_to(running.fake, ROOM) == TITLE


@pytest.mark.parametrize("code", NO_CHANNEL.values(), ids=NO_CHANNEL)
async def test_what_cannot_stand_in_the_channel_either_is_a_direct_message(
    running: Running, code: tuple[int, int]
) -> None:
    refuse(running.fake, "PATCH", REPLY, NO_REPLY["the token has expired"])
    refuse(running.fake, "POST", ROOM, code)
    await running.fake.command("query", text="disk full")
    assert await sent_to(running.fake, DIRECT) == TITLE


async def test_what_can_be_said_nowhere_is_logged_with_its_exchange(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    refuse(running.fake, "PATCH", REPLY, NO_REPLY["the token has expired"])
    refuse(running.fake, "POST", ROOM, NO_CHANNEL["access is missing"])
    refuse(running.fake, "POST", DIRECT, (403, 50007))
    await running.fake.command("query", text="disk full")
    await running.fake.until(lambda: "could not be delivered" in caplog.text)
    (exchange,) = await running.app.journal.recent(WHO, 1)
    assert f"{exchange.id}: a message could not be delivered" in caplog.text


async def test_a_call_that_is_hung_up_on_is_no_lost_answer(running: Running) -> None:
    running.fake.hangs_up_on = REPLY
    await running.fake.command("query", text="disk full")
    assert await sent_to(running.fake, ROOM) == TITLE


async def test_an_answer_that_broke_off_between_two_parts_is_whole_after_a_restart(
    folder: Path, indexed_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots.discord_bot.bot._AT_THE_END", 0.0)
    async with fake_discord() as fake, opened(folder, indexed_world) as app:
        async with connected(app, fake):
            fake.never_answers = r"POST /webhooks/.*"
            await fake.command("query", text=LONG)
            await fake.until(
                lambda: any(one == "POST" and "/webhooks/" in path for one, path, _ in fake.calls)
            )
        (broken,) = await app.journal.recent(WHO, 1)
        assert len(broken.messages) == 1
        fake.never_answers = ""
        async with connected(app, fake):
            await fake.until(lambda: [path for _, path, _ in fake.calls if "/reactions/" in path])
        (whole,) = await app.journal.recent(WHO, 1)
        assert whole.messages[0] == broken.messages[0]
        assert len(whole.messages) > 1
        assert await app.service.unanswered() == []
