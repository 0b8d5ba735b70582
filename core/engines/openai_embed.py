"""Embeddings of OpenAI, or of any server that speaks its `/embeddings`.

The library's own habits are switched off where they would hurt: it obeys a `Retry-After` of
minutes, takes proxies, headers and a key for another host from the environment, follows redirects,
and takes a page of HTML for an answer. Nothing that a server says is repeated: it may hold the key
or the text. Tokens are counted without the model's vocabulary, which would have to be fetched: a
tokenizer makes no more tokens than a text has bytes, and so no text is ever beyond the window.
"""

import asyncio
import json
import logging
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn
from urllib.parse import urlsplit

import httpx2
import openai

from core.engines.bounded_http import TooLarge
from core.engines.openai_client import openai_client
from core.engines.openai_vectors import BadVectors, vectors_from
from core.errors import EmbedderError, EmbedderUnavailable
from core.models import Vector
from core.settings import secret
from core.settings_groups import FULL_LENGTHS, EmbeddingSettings

MOST_TEXTS: Final = 128
"""Texts of one request; OpenAI takes 2,048, whose answer would be read for seconds."""
MOST_TOKENS: Final = 250_000
"""Tokens of one request, counted as here; OpenAI takes 300,000."""
_FAILURES: Final = 3
_SPECIAL: Final = 4
"""Tokens that a tokenizer may put around a text."""
_NUMBER_BYTES: Final = 32
"""Of a vector's number written out, with what stands between."""
_AGAIN: Final = frozenset({408, 409, 429})
_WRONG: Final = {
    400: "refuses what it is sent: check NIGHTLAMP_EMBEDDING_MODEL and its window",
    401: "refuses the key: correct NIGHTLAMP_EMBEDDING_API_KEY",
    403: "refuses the key: correct NIGHTLAMP_EMBEDDING_API_KEY",
    404: "knows no such model or address: correct NIGHTLAMP_EMBEDDING_MODEL, or "
    "NIGHTLAMP_EMBEDDING_BASE_URL, which mostly ends with /v1",
    413: "finds the texts too long: lower NIGHTLAMP_EMBEDDING_WINDOW",
    422: "refuses what it is sent: check NIGHTLAMP_EMBEDDING_MODEL and its window",
    429: "takes no more for now: wait, or raise its limit",
}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that a question and a batch may take in all, retries and waits included.

    `tries` are made at most, the pauses between them random up to `pause`, doubled each time. After
    three questions that failed in a row none is sent for `rest` seconds: search goes by keywords
    then, and nobody waits for what does not come.
    """

    question: float = 5.0
    batch: float = 60.0
    tries: int = 4
    pause: float = 0.5
    rest: float = 30.0


class OpenAIEmbedder:
    """A model behind `/embeddings`. Vectors are checked, and L2-normalised here."""

    trusted = True

    def __init__(self, settings: EmbeddingSettings, patience: Patience | None = None) -> None:
        self._settings = settings
        self._patience = patience or Patience()
        self._sends_length = settings.length != FULL_LENGTHS.get(settings.model)
        self._host = urlsplit(settings.base_url or "").netloc.lower()
        self._failed = 0
        self._rests_until = 0.0
        self._client = openai_client(
            settings.base_url,
            secret(settings.api_key),
            seconds=self._patience.batch,
            connect=self._patience.question,
            most_bytes=1_000_000 + MOST_TEXTS * settings.length * _NUMBER_BYTES,
        )

    @property
    def fingerprint(self) -> str:
        """Return model, server, length, window and prefixes: what the vectors depend on."""
        one = self._settings
        prefixes = f"{one.query_prefix!r}:{one.passage_prefix!r}"
        return f"{one.model}:openai:{self._host}:{one.length}:{one.window}:{prefixes}"

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._settings.length

    @property
    def window(self) -> int:
        """Return how many tokens one text may have."""
        return self._settings.window

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a passage with its prefix may have at most, special ones too."""
        return len(_encoded(self._settings.passage_prefix + text)) + _SPECIAL

    async def embed_question(self, text: str) -> Vector:
        """Embed one question, within seconds.

        Raises:
            EmbedderUnavailable: the server cannot be reached, refuses, or gives no such vector.
        """
        now = asyncio.get_running_loop().time
        if self._failed >= _FAILURES and now() < self._rests_until:
            self._fail("failed a moment ago, and is left alone for half a minute")
        try:
            [vector] = await self._embed(
                [self._bounded(self._settings.query_prefix, text)], self._patience.question
            )
        except EmbedderError:
            self._failed += 1
            self._rests_until = now() + self._patience.rest
            raise
        self._failed = 0
        return vector

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Embed texts in their order, batch by batch.

        Raises:
            EmbedderUnavailable: the server cannot be reached, refuses, or gives no such vectors.
        """
        made: list[Vector] = []
        for batch in _batches([self._bounded(self._settings.passage_prefix, one) for one in texts]):
            made += await self._embed(batch, self._patience.batch)
            if progress:
                progress(len(made))
        return made

    async def health(self) -> str:
        """Return an empty string, or one sentence that says what is wrong; embeds one word."""
        try:
            await self._embed(["runbook"], self._patience.question)
        except EmbedderError as error:
            return str(error)
        return ""

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._client.close()

    def _bounded(self, prefix: str, text: str) -> str:
        """Return a text with its prefix, cut where it might be beyond the window, never blank."""
        cut = _encoded(prefix + text)[: self.window - _SPECIAL].decode("utf-8", "ignore")
        return cut if cut.strip("\0 \t\r\n") else "."

    async def _embed(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        """Return the vectors of one request, which is made again within the seconds.

        Nothing is chained to the error: what the server or the library says may hold the texts.
        """
        try:
            async with asyncio.timeout(seconds) as deadline:
                until = deadline.when() or 0.0
                tried = 0
                while True:
                    tried += 1
                    try:
                        body = await self._asked(texts)
                        return await asyncio.to_thread(
                            vectors_from, body, len(texts), self._settings.length
                        )
                    except openai.APIError as error:
                        await self._wait(error, tried, until)
        except TimeoutError:
            self._fail(f"did not reply within {seconds:g} seconds: see that it runs")
        except TooLarge:
            self._fail("sends more than vectors can take: correct NIGHTLAMP_EMBEDDING_BASE_URL")
        except BadVectors as error:
            self._fail(
                f"sends {error}: correct NIGHTLAMP_EMBEDDING_BASE_URL, _MODEL or _DIMENSIONS"
            )
        except (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError):
            self._fail("breaks off its answers: see that it runs")

    async def _asked(self, texts: Sequence[str]) -> bytes:
        """Return the body of an answer; a server that refuses a length is asked without one."""
        body: dict[str, Any] = {
            "input": list(texts),
            "model": self._settings.model,
            "encoding_format": "float",
        }
        if self._sends_length:
            body["dimensions"] = self._settings.length
        try:
            response = await self._client.post("/embeddings", cast_to=httpx2.Response, body=body)
        except openai.APIStatusError as error:
            about = json.dumps(error.body) if error.body else ""
            if not (
                self._sends_length and error.status_code in {400, 422} and "dimension" in about
            ):
                raise
            self._sends_length = False
            return await self._asked(texts)
        return response.content

    async def _wait(self, error: openai.APIError, tried: int, until: float) -> None:
        """Wait until the request may be made again, or fail for good.

        A server that wants more time than there is left gets no second request.
        """
        status = error.status_code if isinstance(error, openai.APIStatusError) else 0
        if status and status not in _AGAIN and status < 500:
            self._fail(_refusal(status))
        pause = self._patience.pause * 2**tried * random.random()  # noqa: S311 - no secret
        if isinstance(error, openai.APIStatusError):
            pause = max(pause, _retry_after(error.response))
        if tried == self._patience.tries or asyncio.get_running_loop().time() + pause > until:
            self._fail(_refusal(status))
        _log.info("The embedding server is asked again in %.1f s (status %d).", pause, status)
        await asyncio.sleep(pause)

    def _fail(self, how: str) -> NoReturn:
        raise EmbedderUnavailable(f"The embedding server {self._host} {how}.") from None


def _refusal(status: int) -> str:
    if not status:
        return "cannot be reached: correct NIGHTLAMP_EMBEDDING_BASE_URL, and see that it runs"
    if 300 <= status < 400:
        return "leads to another address, which is not followed: set NIGHTLAMP_EMBEDDING_BASE_URL"
    return _WRONG.get(status, f"fails with status {status}: see its log")


def _retry_after(response: httpx2.Response) -> float:
    """Return the seconds that a server asks for; a date counts as nothing."""
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return 0.0


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in their order, no more together than a server takes."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        more = len(_encoded(text)) + _SPECIAL
        if batch and (len(batch) == MOST_TEXTS or tokens + more > MOST_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += more
    if batch:
        yield batch
