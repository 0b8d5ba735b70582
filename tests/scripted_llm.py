"""A language model's server that says what it is told to, and fails in every way that one can."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import web

Body = dict[str, Any]
FAULTS = (
    "429", "429 long", "401", "403", "404", "500", "503 html", "200 html", "bad json", "no choices",
    "error in 200", "null content", "empty", "reasoning only", "length", "slow", "stall", "trickle",
    "error event", "cut", "no end", "garbage events", "redirect", "endless line", "endless text",
    "too long",
)  # fmt: skip
"""All ways in which a request ends without an answer."""
STALLED = 30.0
"""Seconds that the server is silent where it stalls: longer than any deadline that is to pass."""


class ScriptedLlm:
    """Answers chat completions on loopback with `answer`, unless `fault` names a way to fail.

    `answer` may be a function of the request's body. `refuses` are parameters that are not taken;
    `hold`, if set, is waited for before anything is said. `requests` has what came, with headers.
    """

    def __init__(self) -> None:
        self.answer: str | Callable[[Body], str] = "Undo the last deploy [1]."
        self.fault = ""
        self.refuses: set[str] = set()
        self.models = ["scripted"]
        self.ends = True
        self.hold: asyncio.Event | None = None
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.asked = asyncio.Event()
        self.base_url = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator["ScriptedLlm"]:
        """Listen on a free port of loopback."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/elsewhere", self._elsewhere)
        runner = web.AppRunner(app, shutdown_timeout=0, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"
        try:
            yield self
        finally:
            await runner.cleanup()

    def last(self) -> tuple[str, str]:
        """Return the system's and the user's text of the last request."""
        system, user = self.requests[-1]["messages"]
        return system["content"], user["content"]

    async def _elsewhere(self, request: web.Request) -> web.Response:
        raise AssertionError("A redirect was followed.")

    async def _models(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        if fixed := _fixed(self.fault):
            return fixed
        found = [{"id": name, "object": "model"} for name in self.models]
        return web.json_response({"object": "list", "data": found})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.asked.set()
        for name in sorted(self.refuses & body.keys()):
            says = {"error": {"message": f"Unsupported parameter: '{name}'"}}
            return web.json_response(says, status=400)
        if self.hold is not None:
            await self.hold.wait()
        if fixed := _fixed(self.fault):
            return fixed
        if self.fault == "slow":
            await asyncio.sleep(STALLED)
        return await self._stream(request, body)

    async def _stream(self, request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        with suppress(ConnectionError):
            async for line in self._lines(body):
                await response.write(line)
            if self.fault == "cut" and request.transport is not None:
                request.transport.abort()
            if not self.ends:
                await asyncio.sleep(STALLED)
        return response

    async def _lines(self, body: Body) -> AsyncIterator[bytes]:
        while self.fault in _ENDLESS:
            yield _ENDLESS[self.fault]
        async for line in self._text(body):
            yield line
        if self.fault == "error event":
            yield _event({"error": {"message": "kv cache exhausted", "code": 500}})
        if self.fault not in {*_BREAKS, "no choices"}:
            for line in self._ending(body):
                yield line

    async def _text(self, body: Body) -> AsyncIterator[bytes]:
        if self.fault in _WORDLESS:
            yield _WORDLESS[self.fault]
            return
        said = self.answer if isinstance(self.answer, str) else self.answer(body)
        for at in range(0, len(said), 12):
            yield _chunk({"content": said[at : at + 12]})
            if self.fault in _BREAKS:
                await asyncio.sleep(_BREAKS[self.fault])
                if self.fault != "trickle":
                    return

    def _ending(self, body: Body) -> Iterator[bytes]:
        yield _chunk({}, finish="length" if self.fault == "length" else "stop")
        if body.get("stream_options"):
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            yield _event({**_NOTHING, "usage": usage})
        if self.ends:
            yield b"data: [DONE]\n\n"


def _chunk(delta: Body, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({"id": "x", "object": "chat.completion.chunk", "choices": [choice]})


def _event(value: Body) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


_NOTHING: Body = {"id": "x", "object": "chat.completion.chunk", "choices": []}
_PAGE = "<html><body>Please log in</body></html>"
_NO = json.dumps({"error": {"message": "no", "type": "error"}})
_LONG = json.dumps({"error": {"message": "the request exceeds the available context size"}})
_HTML, _JSON = "text/html", "application/json"
_FIXED = {
    "429": (429, _NO, _JSON, {"Retry-After": "1"}),
    "429 long": (429, _NO, _JSON, {"Retry-After": "120"}),
    "401": (401, _NO, _JSON, {}),
    "403": (403, _NO, _JSON, {}),
    "404": (404, _NO, _JSON, {}),
    "500": (500, _NO, _JSON, {}),
    "503 html": (503, _PAGE, _HTML, {}),
    "200 html": (200, _PAGE, _HTML, {}),
    "bad json": (200, '{"id": 1,', _JSON, {}),
    "error in 200": (200, _NO, _JSON, {}),
    "redirect": (307, "", _JSON, {"Location": "/elsewhere"}),
    "too long": (400, _LONG, _JSON, {}),
}
_WORDLESS = {
    "no choices": _event(_NOTHING) + b"data: [DONE]\n\n",
    "null content": _chunk({"content": None}),
    "empty": _chunk({"content": ""}),
    "reasoning only": _chunk({"content": None, "reasoning_content": "Let me delete it all."}),
    "garbage events": b"data: \xff\xfe not json\n\n: comment\n\nevent: \x00\ndata: {]\n\n",
}
_ENDLESS = {
    "endless line": b"data: " + b"x" * 60_000,
    "endless text": _chunk({"content": "and then " * 200}),
}
_BREAKS = {"stall": STALLED, "trickle": 0.2, "error event": 0.0, "cut": 0.0, "no end": 0.0}
"""Seconds of silence after a piece; after the first one nothing comes but for a trickle."""


def _fixed(fault: str) -> web.Response | None:
    """Return the whole response of a fault that needs no stream."""
    if fault not in _FIXED:
        return None
    status, text, kind, headers = _FIXED[fault]
    return web.Response(status=status, text=text, content_type=kind, headers=headers)
