"""HTTP mode: a small server of its own that Slack calls, every request signed."""

import asyncio
import logging

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp

from bots.connection import Connection
from core.errors import SettingsError

log = logging.getLogger(__name__)

PATH = "/slack/events"
LARGEST = 1_000_000
"""Bytes of a request; Slack's own are far smaller."""


class HttpMode:
    """Serves one path until cancelled. Bolt checks the signature of each request."""

    def __init__(self, bolt: AsyncApp, connection: Connection, host: str, port: int) -> None:
        self._bolt = bolt
        self._connection = connection
        self._host = host
        self._port = port
        self.port: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Listen until cancelled.

        Raises:
            SettingsError: the address cannot be listened on.
        """
        served = web.Application(client_max_size=LARGEST)
        served.router.add_post(PATH, self._handle)
        runner = web.AppRunner(served, access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, self._host, self._port)
            await site.start()
            self._connection.made()
            self.port.set_result(runner.addresses[0][1])
            log.info("waiting for Slack on http://%s:%d%s", self._host, self.port.result(), PATH)
            await asyncio.Event().wait()
        except OSError as error:
            raise SettingsError(
                f"NIGHTLAMP_SLACK_PORT: {self._host}:{self._port} cannot be listened on: {error}."
            ) from error
        finally:
            await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.Response:
        stamp = request.headers.get("X-Slack-Request-Timestamp", "")
        if not (stamp.isascii() and stamp.isdigit()):
            return web.Response(status=401, text="not signed")
        answer = await self._bolt.async_dispatch(await to_bolt_request(request))
        return await to_aiohttp_response(answer)
