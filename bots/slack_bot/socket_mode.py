"""Socket Mode: the connection over which Slack calls, and the watch over it."""

import asyncio
import logging
import time

import aiohttp
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bots.connection import Connection

log = logging.getLogger(__name__)

CONNECTING = 30.0
"""Seconds that a connection may take: a wrong token would be tried for ever."""


class SocketMode:
    """Keeps one connection; one that has gone deaf is thrown away, its session with it.

    `ping` is how often the library pings Slack, `deaf` how long nothing may come back, `look` how
    often that is looked at, all in seconds.
    """

    def __init__(
        self,
        bolt: AsyncApp,
        app_token: str,
        connection: Connection,
        *,
        ping: float = 10.0,
        deaf: float = 60.0,
        look: float = 5.0,
    ) -> None:
        self._bolt = bolt
        self._app_token = app_token
        self._connection = connection
        self._ping = ping
        self._deaf = deaf
        self._look = look
        self._heard = 0.0
        self.rebuilt = 0

    async def run(self) -> None:
        """Stay connected until cancelled.

        Raises:
            TimeoutError: Slack cannot be connected to.
        """
        while True:
            handler = AsyncSocketModeHandler(self._bolt, self._app_token, ping_interval=self._ping)
            handler.client.on_message_listeners.append(self._on_frame)
            try:
                async with asyncio.timeout(CONNECTING):
                    await handler.connect_async()
                self._connection.made()
                self._heard = time.time()
                await self._until_deaf(handler)
            finally:
                self._connection.broke()
                await handler.close_async()
            self.rebuilt += 1
            log.warning("Slack has been silent for %.0f s: connecting anew", self._deaf)

    async def _on_frame(self, _: aiohttp.WSMessage) -> None:
        self._heard = time.time()

    async def _until_deaf(self, handler: AsyncSocketModeHandler) -> None:
        client = handler.client
        while True:
            await asyncio.sleep(self._look)
            heard = max(self._heard, client.last_ping_pong_time or 0.0)
            receiver = client.message_receiver
            ended = client.message_processor.done() or (receiver is not None and receiver.done())
            if ended or time.time() - heard > self._deaf:
                return
