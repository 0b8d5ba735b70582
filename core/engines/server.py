"""Calls to a Qdrant server: who it is, how long it may take, what its failures mean.

Every call is idempotent, so each may be made again after a failure that could pass: a question once
more within `timeout` seconds over all, a write three times more within a minute, with growing,
jittered pauses. Whatever the client, httpx or a gateway's page raises becomes one sentence here,
and the original is let go of: it may quote a response, and a response may quote the key.

Proxies and certificate authorities of the environment (`HTTPS_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`)
hold for `https://` alone. Over plain `http://`, which is for a host or network of one's own, a
proxy would read the key and the runbooks, so none is used.
"""

import asyncio
import random
import warnings
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Final, TypeVar

from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from core.engines.build_folder import REBUILD
from core.errors import (
    IndexMisconfigured,
    IndexUnavailable,
    NightlampError,
    VectorIndexError,
)
from core.settings_groups import QdrantSettings

OLDEST: Final = (1, 12)
"""The first version whose query, tenant index and filters are all those that are used here."""
WRITE_SECONDS: Final = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_PASSING = frozenset({408, 425, 429})

T = TypeVar("T")
Call = Callable[[AsyncQdrantClient], Awaitable[T]]


class CollectionMissing(IndexUnavailable):
    """The server is there and the collection is not."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often something is tried, and for how many seconds over all."""

    attempts: int
    seconds: float


class ServerCalls:
    """One server, and the one way to call it."""

    def __init__(self, client: AsyncQdrantClient, url: str, timeout: float) -> None:
        self._client = client
        self.url = url
        self._asking = Patience(2, timeout)
        self._writing = Patience(4, max(WRITE_SECONDS, timeout))
        self._version = ""

    @classmethod
    def to(cls, settings: QdrantSettings) -> "ServerCalls":
        """Prepare to call the server of these settings; nothing is sent yet."""
        url = settings.url or ""
        key = settings.api_key.get_secret_value() if settings.api_key else None
        with warnings.catch_warnings():  # that a key goes over plain HTTP is said by `doctor`
            warnings.simplefilter("ignore")
            client = AsyncQdrantClient(
                url=url,
                api_key=key,
                timeout=int(max(WRITE_SECONDS, settings.timeout)),
                prefer_grpc=False,
                check_compatibility=False,
                trust_env=url.startswith("https:"),
            )
        return cls(client, url, settings.timeout)

    async def ask(self, call: Call[T]) -> T:
        """Make a call that somebody waits for.

        Raises:
            CollectionMissing: it is about a collection that is not there.
            IndexUnavailable: the server is away, or failed.
            IndexMisconfigured: it refused the key or the call, or is too old.
        """
        return await self._made(call, self._asking)

    async def write(self, call: Call[T]) -> T:
        """Make a call that changes something, with the patience of a build.

        Raises:
            VectorIndexError: as for `ask`.
        """
        return await self._made(call, self._writing)

    async def version(self) -> str:
        """Return the server's version, as `1.20.0`; asked for once.

        Raises:
            IndexMisconfigured: it is older than what is needed, or is not Qdrant.
            IndexUnavailable: the server is away, or failed.
        """
        if not self._version:
            try:
                said = await self._tried(lambda client: client.info(), self._asking)
            except CollectionMissing:
                raise _refused(404, self.url) from None
            self._version = _supported(said.version, self.url)
        return self._version

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _made(self, call: Call[T], patience: Patience) -> T:
        await self.version()
        return await self._tried(call, patience)

    async def _tried(self, call: Call[T], patience: Patience) -> T:
        try:
            async with asyncio.timeout(patience.seconds):
                return await self._again_and_again(call, patience.attempts)
        except TimeoutError:
            raise _away(self.url, f"no answer within {patience.seconds:g} seconds") from None

    async def _again_and_again(self, call: Call[T], attempts: int) -> T:
        attempt = 1
        while True:
            try:
                return await call(self._client)
            except NightlampError:
                raise
            except Exception as error:  # noqa: BLE001 - httpx's, json's, pydantic's, the client's
                if attempt == attempts or not _may_pass(error):
                    raise _translated(error, self.url) from None
            await asyncio.sleep(_pause(attempt))
            attempt += 1


def _pause(attempt: int) -> float:
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries, hides nothing


def _supported(version: str, url: str) -> str:
    major, minor, *_ = (*version.split("."), "", "")
    if not (major.isdecimal() and minor.isdecimal()):
        raise IndexMisconfigured(
            f"What answers at {url} does not say which Qdrant it is: correct NIGHTLAMP_QDRANT_URL."
        )
    if (int(major), int(minor)) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise IndexMisconfigured(
            f"The Qdrant server at {url} is version {version}: upgrade it to {oldest} or newer."
        )
    return version


def _may_pass(error: Exception) -> bool:
    """Return whether trying again could help: not where the call itself is refused."""
    if isinstance(error, UnexpectedResponse):
        status = error.status_code or 0
        return status >= 500 or status in _PASSING
    return not (_untrusted(error) or _missing(error) or _unsendable(error))


def _missing(error: Exception) -> bool:
    """Return whether the collection is not there, as a server or the local mode says it."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code == 404
    return isinstance(error, ValueError) and "not found" in str(error)


def _unsendable(error: Exception) -> bool:
    """Return whether it was our own words that could not be put into JSON."""
    return isinstance(error, ValueError) and not isinstance(error, JSONDecodeError)


def _untrusted(error: Exception) -> bool:
    """Return whether the server's certificate was not accepted."""
    return "CERTIFICATE_VERIFY_FAILED" in str(getattr(error, "source", ""))


def _translated(error: Exception, url: str) -> VectorIndexError:
    if _missing(error):
        return CollectionMissing(f"The Qdrant server at {url} does not have the index: {REBUILD}.")
    if _untrusted(error):
        return IndexMisconfigured(
            f"The certificate of the Qdrant server at {url} is not trusted: "
            "name its authority's file in SSL_CERT_FILE."
        )
    if _unsendable(error):
        return IndexMisconfigured(
            f"The index was given what Qdrant cannot hold ({type(error).__name__}): {REBUILD}."
        )
    if isinstance(error, UnexpectedResponse) and not _may_pass(error):
        return _refused(error.status_code or 0, url)
    if isinstance(error, UnexpectedResponse):
        return _away(url, f"it answers {error.status_code}")
    if isinstance(error, QdrantException):
        return _away(url, "it has too much to do")
    if isinstance(error, ResponseHandlingException):
        return _away(url, type(error.source).__name__)
    return _away(url, type(error).__name__)


def _refused(status: int, url: str) -> IndexMisconfigured:
    if status in {401, 403}:
        return IndexMisconfigured(
            f"The Qdrant server at {url} refused the key: correct NIGHTLAMP_QDRANT_API_KEY."
        )
    return IndexMisconfigured(
        f"The Qdrant server at {url} did not accept a call (it answers {status}): "
        "check NIGHTLAMP_QDRANT_URL and the server's log."
    )


def _away(url: str, reason: str) -> IndexUnavailable:
    return IndexUnavailable(
        f"The Qdrant server at {url} cannot be reached ({reason}): "
        "start it, or correct NIGHTLAMP_QDRANT_URL."
    )
