"""A command's end of the socket of a running bot: done there where one runs, here otherwise."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeVar
from uuid import uuid4

from bots.control_protocol import (
    LONGEST_REPLY,
    Event,
    Failed,
    Reply,
    Request,
    Result,
    error_of,
    read_reply,
    request_line,
)
from bots.control_socket import connected
from core.errors import DataFolderBusy, NightlampError
from corpus.data_folder import DataFolder

WAIT: Final = 10.0
"""Seconds that another command, or a bot that is starting, may take."""
_POLL_SECONDS = 0.1

Told = Callable[[str, Mapping[str, Any]], None]
"""Is told the name and the value of an event."""
T = TypeVar("T")


class ControlClient:
    """A connection to a running bot."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def call(
        self,
        do: str,
        arguments: Mapping[str, Any],
        told: Told | None = None,
        *,
        deadline: float | None = None,
    ) -> Mapping[str, Any]:
        """Have the bot do something, and return the result; events are handed on meanwhile.

        Leaving before only detaches: what was begun goes on in the bot. `deadline` is how many
        seconds the bot may say nothing.

        Raises:
            NightlampError: what the bot says, with its exit code; or it ended, or says nothing.
        """
        self._writer.write(request_line(Request(uuid4().hex[:8], do, arguments)))
        while True:
            match await self._said(deadline):
                case Result(value):
                    return value
                case Failed() as said:
                    raise error_of(said)
                case Event(name, value):
                    if told:
                        told(name, value)

    async def _said(self, deadline: float | None) -> Reply:
        try:
            async with asyncio.timeout(deadline):
                line = await self._reader.readline()
        except TimeoutError:
            raise NightlampError("The running bot does not answer: see its log.") from None
        except (OSError, ValueError):
            line = b""
        if not line.endswith(b"\n"):
            raise NightlampError("The running bot ended before it was done: run the command again.")
        return read_reply(line)


@asynccontextmanager
async def reached(folder: DataFolder) -> AsyncIterator[ControlClient | None]:
    """Connect to the bot that runs over a data folder; None where none does.

    Raises:
        DataFolderBroken: the socket there is another user's.
    """
    try:
        connection = await asyncio.to_thread(connected, folder.control)
    except AttributeError:  # Windows has no such sockets
        connection = None
    if connection is None:
        yield None
        return
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_REPLY)
    try:
        yield ControlClient(reader, writer)
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def beside(
    folder: DataFolder,
    through: Callable[[ControlClient], Awaitable[T]],
    alone: Callable[[], Awaitable[T]],
    *,
    wait: float = WAIT,
) -> T:
    """Do something through the bot that runs over a data folder; `alone` where none does.

    `alone` takes the folder's lock without waiting. While another process has it and no bot
    answers (another command, or a bot that is starting) both are tried again, for `wait` seconds.

    Raises:
        DataFolderBusy: the other process did neither leave nor answer in time.
        NightlampError: what either failed of.
    """
    until = asyncio.get_running_loop().time() + wait
    while True:
        async with reached(folder) as client:
            if client is not None:
                return await through(client)
        try:
            return await alone()
        except DataFolderBusy:
            if asyncio.get_running_loop().time() >= until:
                raise
        await asyncio.sleep(_POLL_SECONDS)
