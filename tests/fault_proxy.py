"""Stands between a client and a server on loopback, and does what networks and gateways do."""

import asyncio
import socket
import struct
from collections import deque
from dataclasses import dataclass
from types import TracebackType

from tests.kept_port import KeptPort


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is reset once the request has begun to come."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The answer ends after so many bytes, with a reset."""

    after: int


@dataclass(frozen=True, slots=True)
class Delay:
    """Everything takes so many seconds longer."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing is ever answered."""


@dataclass(frozen=True, slots=True)
class Says:
    """Something else answers, whatever is asked."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    echo: bool = False

    def response(self, request: bytes) -> bytes:
        body = self.body + (request if self.echo else b"")
        lines = [f"HTTP/1.1 {self.status} Something", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


Fault = Reset | Cut | Delay | Silence | Says


class FaultProxy:
    """Forwards to a port; `fault` holds for every connection, `next` for one each, and first."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self._kept = KeptPort()
        self.port = self._kept.number
        self.fault: Fault | None = None
        self.next: deque[Fault | None] = deque()
        self.connections = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "FaultProxy":
        await self.accept()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.refuse()
        self._kept.let_go()

    async def accept(self) -> None:
        """Listen, always on the same port."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)

    async def refuse(self) -> None:
        """Stop listening: connections are refused."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        self.connections += 1
        fault = self.next.popleft() if self.next else self.fault
        task = asyncio.create_task(_served(reading, writing, fault, self.upstream))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _served(
    reading: asyncio.StreamReader,
    writing: asyncio.StreamWriter,
    fault: Fault | None,
    upstream: int,
) -> None:
    try:
        match fault:
            case Reset():
                await reading.read(1)
                _reset(writing)
            case Silence():
                await asyncio.Event().wait()
            case Says():
                request = await reading.readuntil(b"\r\n\r\n")
                writing.write(fault.response(request))
                await writing.drain()
            case Delay(seconds):
                await asyncio.sleep(seconds)
                await _forwarded(reading, writing, upstream)
            case Cut(after):
                await _forwarded(reading, writing, upstream, after)
            case None:
                await _forwarded(reading, writing, upstream)
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writing.close()


async def _forwarded(
    reading: asyncio.StreamReader,
    writing: asyncio.StreamWriter,
    upstream: int,
    after: int | None = None,
) -> None:
    up_reading, up_writing = await asyncio.open_connection("127.0.0.1", upstream)
    asking = asyncio.create_task(_pumped(reading, up_writing))
    try:
        await _pumped(up_reading, writing, after)
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        up_writing.close()


async def _pumped(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, after: int | None = None
) -> None:
    while data := await source.read(65536):
        if after is not None and len(data) >= after:
            target.write(data[:after])
            await target.drain()
            _reset(target)
            return
        target.write(data)
        await target.drain()
        after = None if after is None else after - len(data)


def _reset(writing: asyncio.StreamWriter) -> None:
    connection = writing.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writing.transport.abort()
