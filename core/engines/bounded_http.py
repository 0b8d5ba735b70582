"""An HTTP transport that reads no endless body: a server may send what it likes."""

from collections.abc import AsyncIterator

import httpx2

MOST_BYTES = 4_000_000
"""Bytes of one body: a hundred times what the longest answer takes in its events."""


class TooLarge(Exception):
    """A body was longer than anything that can be an answer."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Ends a body that passes a limit of bytes with TooLarge."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, most: int = MOST_BYTES) -> None:
        self._inner = inner
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the response's body is counted as it is read."""
        response = await self._inner.handle_async_request(request)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Counted(response.stream, self._most)
        return response

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > self._most:
                raise TooLarge
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
