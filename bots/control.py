"""The socket by which commands reach a running bot.

`serve` opens it in the data folder before its channels connect. A request names a verb, and the
verbs are a table: `Mapping[str, Handler]`, put together in `bots/control_verbs.py`. To make a
command work beside a running bot, write a handler

    async def gaps(arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]: …

which takes and returns what JSON has, tells what happens meanwhile (`tell("progress", {…})`,
`tell("note", {"text": …})`), and raises a `NightlampError` for what the command is to say and exit
with; add its line to the table; and let the command call `bots.control_client.beside`.

What was begun is finished, whether or not somebody still listens: a client that leaves only
detaches. A fault in one connection, whatever it is, ends that connection.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from bots.control_protocol import (
    LONGEST_REQUEST,
    Event,
    Failed,
    Reply,
    Request,
    Result,
    failed,
    read_request,
    reply_line,
)
from bots.control_socket import bound, same_user, unbind
from core.errors import DataFolderBroken, NightlampError, UsageError

Tell = Callable[[str, Mapping[str, Any]], None]
"""Sends an event; a client that does not read misses those that it has no room for."""

Handler = Callable[[Mapping[str, Any], Tell], Awaitable[Mapping[str, Any]]]
"""Does what a verb says with what came along, and returns the result."""

MOST_CONNECTIONS: Final = 16
IDLE_SECONDS: Final = 30.0
"""How long a connection may be silent, or leave what it was sent unread."""
_ROOM = 256_000
_FAULT = 3
log = logging.getLogger(__name__)


@asynccontextmanager
async def control_open(path: Path, verbs: Mapping[str, Handler]) -> AsyncIterator[None]:
    """Serve the verbs at this path while the context lasts; what is still running then is ended.

    Whoever calls this holds the data folder. Without a place for a socket the bot runs all the
    same, and the log says that commands do not reach it.
    """
    try:
        listening = await asyncio.to_thread(bound, path)
    except (DataFolderBroken, AttributeError) as error:  # Windows has no such sockets
        log.warning("Commands do not reach this bot. %s", error)
        yield
        return
    connections = ControlServer(verbs)
    server = await asyncio.start_unix_server(
        connections.serve, sock=listening, limit=LONGEST_REQUEST
    )
    try:
        yield
    finally:
        server.close()
        await connections.end()
        await asyncio.to_thread(unbind, path)


class ControlServer:
    """Answers connections, each with one request after another."""

    def __init__(
        self,
        verbs: Mapping[str, Handler],
        *,
        most: int = MOST_CONNECTIONS,
        idle: float = IDLE_SECONDS,
    ) -> None:
        self._verbs = verbs
        self._most = most
        self._idle = idle
        self._running: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end, whatever happens in it."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - the server makes one for every connection
        refusal = self._refusal(writer)
        self._running.add(task)
        try:
            if refusal:
                await self._send(writer, "", Failed(_FAULT, refusal))
            else:
                await self._requests(reader, writer)
        except (OSError, TimeoutError):
            pass
        except asyncio.CancelledError:
            # The bot stops, and whoever waits is told; nothing cancels this task but `end`.
            writer.write(reply_line("", Failed(_FAULT, "The bot was stopped before it was done.")))
        except Exception:  # one connection's fault, whatever it is, must not end the others
            log.exception("a connection to the control socket failed")
        finally:
            self._running.discard(task)
            writer.close()

    async def end(self) -> None:
        """End every connection, and what it is waiting for."""
        running = list(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    def _refusal(self, writer: asyncio.StreamWriter) -> str:
        """Return why a connection is not served; an empty string if it is."""
        if not same_user(writer.get_extra_info("socket")):
            return "This bot belongs to another user."
        if len(self._running) >= self._most:
            return f"The bot has {self._most} commands to answer already: try again."
        return ""

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (request := await self._request(reader)) is not None:
            if isinstance(request, Failed):
                await self._send(writer, "", request)
                return
            await self._send(writer, request.id, await self._done(request, writer))

    async def _request(self, reader: asyncio.StreamReader) -> Request | Failed | None:
        """Return the next request, or why there can be none; None where the client has left."""
        try:
            async with asyncio.timeout(self._idle):
                line = await reader.readline()
            return read_request(line) if line else None
        except ValueError:  # asyncio's word for a line that is too long: what follows has no start
            too_long = f"A request has {LONGEST_REQUEST:,} bytes at most."
            return Failed(UsageError.exit_code, too_long)
        except UsageError as error:
            return failed(error)

    async def _done(self, request: Request, writer: asyncio.StreamWriter) -> Reply:
        """Do what a request says, and return what came of it."""

        def tell(name: str, value: Mapping[str, Any]) -> None:
            there = not writer.transport.is_closing()
            if there and writer.transport.get_write_buffer_size() < _ROOM:
                writer.write(reply_line(request.id, Event(name, value)))

        handler = self._verbs.get(request.do)
        if handler is None:
            return Failed(UsageError.exit_code, f"This bot does not know how to {request.do}.")
        try:
            return Result(await handler(request.arguments, tell))
        except NightlampError as error:
            return failed(error)
        except Exception:  # a fault of ours: the log has it, the client a number to find it by
            reference = uuid4().hex[:8]
            log.exception("the command %s failed (%s)", request.do, reference)
            return Failed(
                _FAULT, f"Something is wrong in the running bot: its log has {reference}."
            )

    async def _send(self, writer: asyncio.StreamWriter, id_: str, reply: Reply) -> None:
        writer.write(reply_line(id_, reply))
        with suppress(ConnectionError):  # who asked has left
            async with asyncio.timeout(self._idle):
                await writer.drain()
