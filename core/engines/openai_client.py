"""The openai library without its habits that hurt: for whatever speaks to such a server.

By itself it tries again and obeys a `Retry-After` of minutes, takes proxies, headers and a key for
another host from the environment, follows redirects, and writes whole requests to the log.
"""

import logging
from typing import Final

import httpx2
import openai

from core.engines.bounded_http import MOST_BYTES, BoundedTransport

NO_KEY: Final = "none"
"""Sent where no key is set: else the library sends OPENAI_API_KEY of the environment to any host.
"""
_HEADERS: Final = frozenset(
    {
        "accept", "accept-encoding", "authorization", "connection", "content-length",
        "content-type", "host", "user-agent",
    }
)  # fmt: skip
"""What is sent; the library adds headers from the environment (OPENAI_CUSTOM_HEADERS, _ORG_ID …).
"""


def openai_client(
    base_url: str | None,
    api_key: str,
    *,
    seconds: float,
    connect: float,
    most_bytes: int = MOST_BYTES,
) -> openai.AsyncOpenAI:
    """Return a client that asks once, sends our headers alone and reads no endless body.

    `seconds` bound each single read, `connect` the connection: the caller sets the deadline of the
    whole.
    """
    logging.getLogger("openai").setLevel(logging.WARNING)  # below, it logs whole requests
    http = httpx2.AsyncClient(
        transport=BoundedTransport(httpx2.AsyncHTTPTransport(), most_bytes),
        timeout=httpx2.Timeout(seconds, connect=connect),
        trust_env=False,
        follow_redirects=False,
        event_hooks={"request": [_ours_alone]},
    )
    return openai.AsyncOpenAI(
        base_url=base_url, api_key=api_key or NO_KEY, max_retries=0, http_client=http
    )


async def _ours_alone(request: httpx2.Request) -> None:
    for name in request.headers.keys() - _HEADERS:
        del request.headers[name]
