import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bots.connection import Connection
from bots.supervisor import FIRST_WAIT, Supervisor
from core.errors import SettingsError
from tests.fakes import FrozenClock


class Scripted:
    """A channel that ends as its script says: an exception to raise, or None to return."""

    connection: Connection | None = None

    def __init__(self, name: str, *script: BaseException | None) -> None:
        self.name = name
        self.script = list(script)
        self.runs = 0

    async def run(self) -> None:
        self.runs += 1
        ending = self.script.pop(0)
        if ending:
            raise ending


class Sleeps:
    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


def supervisor(sleeps: Sleeps, *channels: Scripted) -> Supervisor:
    return Supervisor(channels, FrozenClock(datetime(2026, 1, 5, tzinfo=UTC)), sleep=sleeps)


async def test_a_channel_that_fails_is_restarted_and_the_other_never_notices() -> None:
    broken, steady = Scripted("broken", OSError("gone"), None), Scripted("steady", None)
    sleeps = Sleeps()
    await supervisor(sleeps, broken, steady).run()
    assert (broken.runs, steady.runs) == (2, 1)
    assert [FIRST_WAIT * 0.8 <= wait <= FIRST_WAIT for wait in sleeps.waits] == [True]


@pytest.mark.parametrize(("error", "longest"), [(ValueError(), 300), (OSError(), 60)])
async def test_the_wait_doubles_up_to_five_minutes_or_one_where_nothing_was_reached(
    error: Exception, longest: float
) -> None:
    sleeps = Sleeps()
    await supervisor(sleeps, Scripted("broken", *[error] * 12, None)).run()
    assert 1.6 <= sleeps.waits[1] <= 2
    assert 0.8 * longest <= sleeps.waits[11] <= longest


async def test_a_wrong_token_is_not_tried_again() -> None:
    wrong, steady = Scripted("wrong", SettingsError("bad token")), Scripted("steady", None)
    running = supervisor(Sleeps(), wrong, steady)
    await running.run()
    assert wrong.runs == 1
    assert (running.states["wrong"].state, running.states["wrong"].sentence) == (
        "stopped",
        "bad token",
    )


async def test_when_every_channel_is_stopped_for_good_the_program_says_why() -> None:
    running = supervisor(Sleeps(), Scripted("wrong", SettingsError("bad token")))
    with pytest.raises(SettingsError, match="bad token"):
        await running.run()


@pytest.mark.parametrize(
    ("error", "said", "traced"),
    [
        (ConnectionRefusedError("connection refused"), "connection refused", False),
        (TimeoutError(), "TimeoutError", False),
        (KeyError("x"), "a fault in the program", True),
    ],
)
async def test_a_network_that_is_away_is_one_line_and_a_fault_is_traced(
    caplog: pytest.LogCaptureFixture, error: Exception, said: str, traced: bool
) -> None:
    await supervisor(Sleeps(), Scripted("broken", error, None)).run()
    [record] = caplog.records
    assert record.getMessage().startswith("broken failed (1), again in ")
    assert record.getMessage().endswith(said)
    assert bool(record.exc_info and record.exc_info[0]) is traced


async def test_a_channel_that_its_own_library_cancels_is_restarted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = Scripted("broken", asyncio.CancelledError(), None)
    supervised = supervisor(Sleeps(), broken)
    await supervised.run()
    assert (broken.runs, supervised.states["broken"].state) == (2, "ended")
    assert "was cancelled from inside" in caplog.text


class Connecting:
    """A channel that runs until it is cancelled, over a connection."""

    name = "chat"

    def __init__(self, clock: FrozenClock) -> None:
        self.connection = Connection(clock)
        self.begun = asyncio.Event()

    async def run(self) -> None:
        self.begun.set()
        await asyncio.Event().wait()


async def test_a_channel_is_connecting_until_its_connection_is_up_and_when_it_breaks() -> None:
    clock = FrozenClock(datetime(2026, 1, 5, tzinfo=UTC))
    chat = Connecting(clock)
    supervised = Supervisor((chat,), clock)
    running = asyncio.create_task(supervised.run())
    await chat.begun.wait()

    def seen() -> tuple[str, int]:
        state = supervised.states["chat"]
        return state.state, state.since.minute

    assert seen() == ("connecting", 0)
    for minute, (told, state) in enumerate(
        [
            (chat.connection.made, ("running", 1)),
            (chat.connection.made, ("running", 1)),
            (chat.connection.broke, ("connecting", 3)),
            (chat.connection.made, ("running", 4)),
        ],
        start=1,
    ):
        clock.advance(timedelta(minutes=1))
        told()
        assert (minute, seen()) == (minute, state)
    running.cancel()
    await asyncio.wait({running})


async def test_a_channel_that_waits_to_be_restarted_is_not_connecting() -> None:
    clock = FrozenClock(datetime(2026, 1, 5, tzinfo=UTC))
    wrong = Scripted("wrong", SettingsError("bad token"))
    wrong.connection = Connection(clock)
    supervised = Supervisor((wrong, Scripted("steady", None)), clock)
    await supervised.run()
    assert supervised.states["wrong"].state == "stopped"
