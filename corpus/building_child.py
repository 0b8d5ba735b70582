"""Fills and seals a build for another process, or embeds for it: a program of its own.

    python -P -m corpus.building_child

What to do stands on its standard input (`corpus/child_process.py`). An order with a `place` is for
a build there; without one, all is embedded into the vector cache (`corpus/remembered_builds.py`).
What it has done is told on its standard output. It ends as soon as that input does, whatever it is
doing: an orphan would write into a folder that is no longer its parent's.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from core.engines.edge_reserved import filling
from core.engines.vector_cache import CachedEmbedder
from core.errors import NightlampError
from core.models import Document
from core.ports import Embedder
from core.settings_groups import EmbeddingSettings, SplitterSettings
from core.wire import from_plain
from corpus.build import Told, embedded, fill, seal
from corpus.data_folder import DataFolder
from corpus.library import embedder_for

_ORPHANED = 4
_NICENESS = 5
"""Whoever waits for an answer goes first."""

MakeEmbedder = Callable[[EmbeddingSettings, DataFolder], Awaitable[Embedder]]
Say = Callable[[Mapping[str, Any]], None]


def main(make_embedder: MakeEmbedder = embedder_for) -> int:
    """Do what standard input says; return the exit code."""
    say = _saying(_own_output())
    order, documents = _read(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    try:
        asyncio.run(_work(order, documents, make_embedder, say))
    except NightlampError as error:
        say({"failed": type(error).__name__, "sentence": str(error)})
        return error.exit_code
    return 0


async def _work(
    order: Mapping[str, Any], documents: list[Document], make_embedder: MakeEmbedder, say: Say
) -> None:
    def told(phase: str, done: int, total: int) -> None:
        say({"phase": phase, "done": done, "total": total})

    splitter = SplitterSettings.model_validate(order["splitter"])
    embedding = EmbeddingSettings.model_validate(order["embedding"])
    embedder = await make_embedder(embedding, DataFolder(Path(order["data"])))
    try:
        if order["place"] is None:
            await _remember(documents, embedder, splitter, told)
        else:
            await _build(order, documents, embedder, splitter, told)
    finally:
        await embedder.aclose()
    say({"finished": True})


async def _build(
    order: Mapping[str, Any],
    documents: list[Document],
    embedder: Embedder,
    splitter: SplitterSettings,
    told: Told,
) -> None:
    build = await asyncio.to_thread(filling, Path(order["place"]), embedder.dimension)
    try:
        await build.delete_documents(order["drop"])
        await fill(build, documents, embedder, splitter, told)
        await seal(
            build,
            embedder,
            splitter,
            documents=order["total"],
            sources=order["sources"],
            created_at=datetime.fromisoformat(order["created_at"]),
        )
    finally:
        await build.leave()


async def _remember(
    documents: list[Document], embedder: Embedder, splitter: SplitterSettings, told: Told
) -> None:
    """Embed all passages for their vectors to be kept; end early where they are not."""
    async for _ in embedded(documents, embedder, splitter, told):
        if not (isinstance(embedder, CachedEmbedder) and embedder.remembers):
            return  # whoever asked for it embeds what is not remembered


def _read(stream: BinaryIO) -> tuple[Mapping[str, Any], list[Document]]:
    order = json.loads(_line(stream))
    return order, [
        from_plain(Document, json.loads(_line(stream))) for _ in range(order["documents"])
    ]


def _line(stream: BinaryIO) -> bytes:
    line = stream.readline()
    if not line.endswith(b"\n"):
        os._exit(_ORPHANED)
    return line


def _end_with_parent() -> None:
    """Wait for the end of standard input, past Python's buffer, and end where it stands.

    What it started ends with it, unless it shares its session with whoever started it by hand.
    """
    os.read(sys.stdin.fileno(), 1)
    if os.getsid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(_ORPHANED)


def _own_output() -> int:
    """Return a descriptor for what is told; what libraries print goes to standard error."""
    own = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own


def _saying(descriptor: int) -> Say:
    def say(told: Mapping[str, Any]) -> None:
        waiting = json.dumps(told).encode() + b"\n"
        while waiting:
            waiting = waiting[os.write(descriptor, waiting) :]

    return say


if __name__ == "__main__":
    sys.exit(main())
