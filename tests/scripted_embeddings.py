"""A server of embeddings that says what it is told to, and fails in every way that one can."""

import asyncio
import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.engines.hashing import HashingEmbedder

Body = dict[str, Any]
_NO = b'{"error": {"message": "no: sk-secret, the disk is full"}}'
_HTML = b"<html><body>Please log in</body></html>"
STATUSES = {
    "400": 400, "401": 401, "403": 403, "404": 404, "413": 413, "422": 422, "429": 429,
    "429 long": 429, "500": 500, "503 html": 503, "redirect": 307,
}  # fmt: skip
BODIES = (
    "200 html", "bad json", "no data", "data of text", "too few", "too many", "same index", "short",
    "long", "nan", "infinite", "huge", "zero", "text", "null",
)  # fmt: skip
BREAKS = ("stall", "cut", "trickle", "endless")
FAULTS = (*STATUSES, *BODIES, *BREAKS)
"""All ways in which a request ends without vectors."""
_NUMBERS: Body = {
    "nan": math.nan, "infinite": math.inf, "huge": 10**400, "zero": 0.0, "text": "0.1",
    "null": None,
}  # fmt: skip
_STALLED = 30.0
"""Seconds that the server is silent where it stalls: longer than any deadline that is to pass."""


class ScriptedEmbeddings:
    """Embeds by hashing on loopback, unless `faults` has a fault for the request.

    Vectors are three times as long as they should be, and the last text's comes first. The last of
    `faults` stays. `requests` and `headers` have what came.
    """

    def __init__(self, *faults: str) -> None:
        self.faults = list(faults)
        self.refuses: set[str] = set()
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.base_url = ""
        self.stopped = threading.Event()

    @property
    def dimension(self) -> int:
        return HashingEmbedder().dimension

    @contextmanager
    def running(self) -> Iterator["ScriptedEmbeddings"]:
        """Listen on a free port of loopback, in threads: one loop after the other may ask."""
        handler = type("Handler", (_Handler,), {"scripted": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.base_url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield self
        finally:
            self.stopped.set()
            server.shutdown()
            server.server_close()
            thread.join()

    def fault(self) -> str:
        """Return the next fault, empty where there is none."""
        if len(self.faults) > 1:
            return self.faults.pop(0)
        return self.faults[0] if self.faults else ""

    def answer(self, body: Body) -> tuple[int, bytes]:
        """Return the status and body of an answer without a fault."""
        if refused := sorted(self.refuses & body.keys()):
            return 400, json.dumps({"error": {"message": f"unsupported: {refused[0]}"}}).encode()
        if not all(body["input"]):
            return 400, b'{"error": {"message": "input cannot be an empty string"}}'
        return 200, json.dumps({"object": "list", "data": rows(body["input"])}).encode()


class _Handler(BaseHTTPRequestHandler):
    """Answers one request, each in a thread of its own."""

    scripted: ScriptedEmbeddings

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the library's name
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.scripted.requests.append(body)
        self.scripted.headers.append({name.lower(): one for name, one in self.headers.items()})
        with suppress(ConnectionError):
            if self.path != "/v1/embeddings":
                raise AssertionError("A redirect was followed.")
            self._reply(self.scripted.fault(), body)

    def _reply(self, fault: str, body: Body) -> None:
        if fault in BREAKS:
            self._break(fault)
            return
        wait = {"429": "0", "429 long": "120"}.get(fault, "")
        status, text = self.scripted.answer(body)
        if fault in STATUSES:
            status, text = STATUSES[fault], _HTML if fault.endswith("html") else _NO
        elif fault:
            text = broken(fault, body["input"])
        self._begin(status, len(text), wait)
        self.wfile.write(text)

    def _break(self, fault: str) -> None:
        stopped = self.scripted.stopped
        if fault == "stall":
            stopped.wait(_STALLED)
            return
        self._begin(200, 10**12)
        if fault == "cut":
            self.wfile.write(b'{"data": [')
        while fault == "trickle" and not stopped.wait(0.05):
            self.wfile.write(b" ")
        while fault == "endless":
            self.wfile.write(b" " * 1_000_000)

    def _begin(self, status: int, length: int, wait: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        if status == 307:
            self.send_header("Location", "/elsewhere")
        if wait:
            self.send_header("Retry-After", wait)
        self.end_headers()


def rows(texts: list[str]) -> list[Body]:
    """Return the rows of an answer, the last text's first."""
    vectors = asyncio.run(HashingEmbedder().embed_passages(texts))
    made = [
        {"object": "embedding", "index": at, "embedding": [3.0 * one for one in vector]}
        for at, vector in enumerate(vectors)
    ]
    return made[::-1]


def broken(fault: str, texts: list[str]) -> bytes:
    """Return the body of an answer that is not the vectors asked for."""
    found = rows(texts)
    vector = found[0]["embedding"]
    whole = {"200 html": _HTML, "bad json": b'{"data": [', "no data": _NO}
    if fault in whole:
        return whole[fault]
    others = {
        "too few": found[1:],
        "too many": [*found, {**found[0], "index": len(texts)}],
        "same index": [*found, found[0]],
        "data of text": "none",
    }
    found[0]["embedding"] = {"short": vector[:-1], "long": [*vector, 0.0]}.get(
        fault, [_NUMBERS.get(fault, 1.0)] * len(vector)
    )
    return json.dumps({"data": others.get(fault, found)}).encode()
