"""The client for Slack's Web API, patient within bounds; and what its refusals mean."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient

from core.errors import SettingsError
from core.settings import secret
from core.settings_groups import SlackSettings

TIMEOUT = 15
TRIES = 3
LONGEST_WAIT = 60.0
"""Seconds that one call may be told to wait; more is not waited for."""
_NO_TOKEN = {
    "invalid_auth",
    "not_authed",
    "account_inactive",
    "token_revoked",
    "token_expired",
    "not_allowed_token_type",
}
Sleep = Callable[[float], Awaitable[None]]
UNREACHABLE = (SlackApiError, aiohttp.ClientError, TimeoutError)
"""What a call raises that Slack refused, or that did not get through."""


class WaitsAsTold(AsyncRetryHandler):
    """Waits as long as Slack says in a 429, and asks again."""

    def __init__(self, sleep: Sleep) -> None:
        super().__init__(max_retry_count=TRIES)
        self._sleep = sleep

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if response is None or response.status_code != 429:
            return False
        return _seconds(response) <= LONGEST_WAIT

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        """Wait for what Slack said, and a little longer."""
        state.next_attempt_requested = True
        spread = random.uniform(0.0, 0.3)  # noqa: S311 - spreads calls, guards no secret
        await self._sleep((_seconds(response) if response else 1.0) + spread)
        state.increment_current_attempt()


def web_client(
    settings: SlackSettings, session: aiohttp.ClientSession, *, sleep: Sleep = asyncio.sleep
) -> AsyncWebClient:
    """Return a client with the bot's token, on a session that its owner closes."""
    return AsyncWebClient(
        token=secret(settings.bot_token),
        base_url=settings.api_url or AsyncWebClient.BASE_URL,
        timeout=TIMEOUT,
        session=session,
        retry_handlers=[
            WaitsAsTold(sleep),
            AsyncConnectionErrorRetryHandler(max_retry_count=TRIES),
            AsyncServerErrorRetryHandler(max_retry_count=TRIES),
        ],
    )


def code_of(error: BaseException) -> str:
    """Return the name by which Slack refused a call; empty where it did not get through."""
    return str(error.response.get("error", "")) if isinstance(error, SlackApiError) else ""


def as_setting(error: SlackApiError, name: str) -> Exception:
    """Return a refused token as the setting that is wrong; any other refusal as it is."""
    if code_of(error) not in _NO_TOKEN:
        return error
    return SettingsError(f"Slack refuses {name} ({code_of(error)}): copy it again from the app.")


def _seconds(response: HttpResponse) -> float:
    for name, value in response.headers.items():
        if name.lower() == "retry-after":
            first = value[0] if isinstance(value, list) else value
            return float(first) if str(first).isdecimal() else 1.0
    return 1.0
