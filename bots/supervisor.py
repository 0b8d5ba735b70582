"""Keeps channels running: restarts the one that fails, with back-off, and never the others."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from bots.connection import Connection
from core.errors import NightlampError, SettingsError
from core.ports import Clock

log = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 1.0, 300.0
"""Seconds before the first restart, doubled each time up to the longest.

Discord resets a token that identifies 1,000 times in a day; at five minutes apart that is 288.
"""
LONGEST_UNREACHED = 60.0
"""The longest where the platform was not even reached, which costs nothing there."""
STEADY = 600.0
"""Seconds of running after which a failure counts as the first again."""


class Channel(Protocol):
    """A chat platform, or anything else that runs until it is cancelled."""

    @property
    def name(self) -> str:
        """Return its name in logs and `status`."""
        ...

    @property
    def connection(self) -> Connection | None:
        """Return its connection; None where it needs none."""
        ...

    async def run(self) -> None:
        """Run until cancelled; an exception is a failure, a return is a wish to end.

        Raises:
            SettingsError: running it again would fail the same way (a wrong token).
        """
        ...


@dataclass(frozen=True, slots=True)
class ChannelState:
    """How a channel is: connecting, running, waiting to be restarted, stopped, or ended."""

    state: str
    since: datetime
    failures: int = 0
    sentence: str = ""


class Supervisor:
    """Runs channels side by side in one task group."""

    def __init__(
        self,
        channels: tuple[Channel, ...],
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._channels = channels
        self._clock = clock
        self._sleep = sleep
        self._states: dict[str, ChannelState] = {}

    @property
    def states(self) -> Mapping[str, ChannelState]:
        """Return each channel's state by its name."""
        return {
            channel.name: _seen(self._states[channel.name], channel.connection)
            for channel in self._channels
            if channel.name in self._states
        }

    async def run(self) -> None:
        """Run all channels until they have ended or this is cancelled.

        Raises:
            SettingsError: every channel was stopped for good; the first one's sentence.
        """
        async with asyncio.TaskGroup() as group:
            for channel in self._channels:
                group.create_task(self._keep(channel), name=channel.name)
        stopped = [state for state in self._states.values() if state.state == "stopped"]
        if stopped and len(stopped) == len(self._channels):
            raise SettingsError(stopped[0].sentence)

    async def _keep(self, channel: Channel) -> None:
        failures = 0
        while True:
            self._set(channel, "running", failures)
            started = self._clock.now()
            try:
                await _run(channel)
            except SettingsError as error:
                log.error("%s stopped: %s", channel.name, error)
                self._set(channel, "stopped", failures + 1, str(error))
                return
            except Exception as error:  # one channel's fault, whatever it is, ends no other
                steady = (self._clock.now() - started).total_seconds() >= STEADY
                failures = 1 if steady else failures + 1
                unreached = isinstance(error, OSError)
                wait = _wait(failures, LONGEST_UNREACHED if unreached else LONGEST_WAIT)
                said = _sentence(error)
                told = (channel.name, failures, wait, said or "a fault in the program")
                log.error("%s failed (%d), again in %.0f s: %s", *told, exc_info=not said)
                self._set(channel, "waiting", failures, said)
                await self._sleep(wait)
            else:
                self._set(channel, "ended", failures)
                return

    def _set(self, channel: Channel, state: str, failures: int, sentence: str = "") -> None:
        self._states[channel.name] = ChannelState(state, self._clock.now(), failures, sentence)


def _seen(state: ChannelState, connection: Connection | None) -> ChannelState:
    """Return the state of a channel that runs as its connection has it."""
    if state.state != "running" or connection is None:
        return state
    up = "running" if connection.up else "connecting"
    return replace(state, state=up, since=max(state.since, connection.since))


async def _run(channel: Channel) -> None:
    """Run a channel; one that is cancelled from inside, by its library, has failed."""
    try:
        await channel.run()
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise RuntimeError(f"{channel.name} was cancelled from inside") from None


def _sentence(error: Exception) -> str:
    """Return what failed where that says enough: a network that is away needs no traceback."""
    return str(error) or type(error).__name__ if isinstance(error, NightlampError | OSError) else ""


def _wait(failures: int, most: float) -> float:
    longest: float = min(FIRST_WAIT * 2 ** min(failures - 1, 30), most)
    return longest * random.uniform(0.8, 1.0)  # noqa: S311 - spreads restarts, guards no secret
