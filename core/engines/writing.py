"""A language model behind any server that speaks OpenAI's chat completions.

One way for all of them (OpenAI, Ollama, llama.cpp, vLLM, gateways): a stream, two roles, one limit
of length. The library's own habits are switched off where they would hurt: it tries again and
obeys a `Retry-After` of minutes, takes proxies and a key for another host from the environment,
follows redirects, and knows no limit for a stream that trickles.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk

from core.engines.bounded_http import TooLarge
from core.engines.openai_client import openai_client
from core.engines.writing_faults import HINTS, OPTIONAL, reason_of
from core.errors import WriterError
from core.settings import secret
from core.settings_groups import LlmSettings
from core.thoughts import without_thoughts
from core.written import Prompt, Written

LONGEST = 40_000
"""Characters of one answer, reasoning included; a server that writes more has lost its way."""
_CONNECT = 5.0
_HEALTH = 5.0
_REST = 1.0
"""Seconds that a server has, once it said that the answer is complete, to count tokens and end."""


class _Answer:
    """What came of a stream so far.

    A page of HTML or an error that came with status 200 has no choices: it adds nothing, and what
    never says that it stopped counts as unfinished. Reasoning in a field of its own is no text.
    """

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.finish = ""
        self.usage: Any = None
        self._size = 0

    def add(self, chunk: ChatCompletionChunk) -> bool:
        """Take a chunk in; returns whether it says that the answer has ended.

        Raises:
            WriterError: there is more text than an answer can have.
        """
        self.usage = getattr(chunk, "usage", None) or self.usage
        if not (choices := getattr(chunk, "choices", None)):
            return False
        text = (choices[0].delta.content or "") if choices[0].delta else ""
        self.pieces.append(text)
        self._size += len(text)
        if self._size > LONGEST:
            raise WriterError("too_large")
        self.finish = choices[0].finish_reason or self.finish
        return bool(choices[0].finish_reason)


class OpenAIWriter:
    """A core.ports.Writer over chat completions."""

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._model = settings.model or ""
        self._refused: set[str] = set()
        self._client = openai_client(
            settings.base_url,
            secret(settings.api_key),
            seconds=settings.deadline,
            connect=min(_CONNECT, settings.deadline),
        )

    @property
    def model(self) -> str:
        """Return the model's name, as the server knows it."""
        return self._model

    async def write(self, prompt: Prompt, *, seconds: float) -> Written:
        """Return what the model wrote to its very end, reasoning left out, within the seconds.

        An optional parameter that the server refuses is left out from then on.

        Raises:
            WriterError: for every fault there is.
        """
        began = time.perf_counter()
        async with _in_time(seconds):
            while True:
                try:
                    answer = await self._stream(prompt)
                    break
                except openai.APIStatusError as error:
                    self._refused.add(self._refused_by(error))
        shown = without_thoughts("".join(answer.pieces)).strip()
        if not shown:
            raise WriterError("empty")
        ms = (time.perf_counter() - began) * 1000
        tokens_in, tokens_out = _tokens(answer.usage)
        return Written(shown, ms, tokens_in, tokens_out)

    async def health(self) -> str:
        """Return an empty string, or one sentence that says what is wrong."""
        try:
            async with _in_time(min(_HEALTH, self._settings.deadline)):
                listed = [model.id for model in (await self._client.models.list()).data]
        except WriterError as error:
            return HINTS.get(error.reason, f"It cannot be asked for its models: {error.reason}.")
        if self._model not in listed and f"{self._model}:latest" not in listed:
            return f"It does not list the model {self._model}: correct NIGHTLAMP_LLM_MODEL."
        return ""

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def _stream(self, prompt: Prompt) -> _Answer:
        stream = await self._client.chat.completions.create(
            model=self._model,
            messages=[
                {"role": "system", "content": prompt.instructions},
                {"role": "user", "content": prompt.content},
            ],
            stream=True,
            **self._options(prompt),
        )
        answer = _Answer()
        async with stream:
            try:
                async with asyncio.timeout(None) as rest:
                    async for chunk in stream:
                        if answer.add(chunk):
                            rest.reschedule(asyncio.get_running_loop().time() + _REST)
            except TimeoutError:
                if not answer.finish:
                    raise
        if answer.finish != "stop":
            raise WriterError(f"unfinished {answer.finish}".strip())
        return answer

    def _options(self, prompt: Prompt) -> dict[str, Any]:
        options: dict[str, Any] = {self._settings.token_parameter: prompt.max_tokens}
        if self._settings.temperature is not None:
            options["temperature"] = self._settings.temperature
        options["stream_options"] = {"include_usage": True}
        return {name: value for name, value in options.items() if name not in self._refused}

    def _refused_by(self, error: openai.APIStatusError) -> str:
        """Return the optional parameter that a refusal is about.

        Raises:
            APIStatusError: it is about something else.
        """
        for name in OPTIONAL - self._refused:
            if error.status_code in {400, 422} and name in str(error.message):
                return name
        raise error


@asynccontextmanager
async def _in_time(seconds: float) -> AsyncIterator[None]:
    """Bound everything inside, and turn every fault into a WriterError.

    The library lets more through than its own errors: a body that is no JSON, a page of HTML taken
    for an answer, and what its transport raises while a stream is read.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise WriterError("deadline") from error
    except TooLarge as error:
        raise WriterError("too_large") from error
    except openai.APIError as error:
        raise WriterError(reason_of(error)) from error
    except httpx2.HTTPError as error:
        raise WriterError("cut") from error
    except (openai.OpenAIError, ValueError, AttributeError, TypeError, LookupError) as error:
        raise WriterError("garbled") from error


def _tokens(usage: Any) -> tuple[int | None, int | None]:
    counts = (getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens"))
    tokens_in, tokens_out = (
        count if isinstance(count, int) and count >= 0 else None for count in counts
    )
    return tokens_in, tokens_out
