"""Embeddings kept in a SQLite file, so that a passage is embedded once.

It is a cache: a file that is broken, locked or full costs time, never an answer.
"""

import asyncio
import hashlib
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from core.engines.vector_rows import VectorRows
from core.models import Vector
from core.points import comparable
from core.ports import Embedder

CHUNK: Final = 256
"""Texts embedded before they are saved: what an interrupted run keeps."""

T = TypeVar("T")


class CachedEmbedder:
    """An embedder that remembers passages by (fingerprint, text). Questions are not remembered."""

    def __init__(
        self, inner: Embedder, path: Path, *, today: Callable[[], int] | None = None
    ) -> None:
        self._inner = inner
        self._rows = VectorRows(path, 4 * inner.dimension, today or _today)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vector-cache")

    @property
    def fingerprint(self) -> str:
        """Return the inner embedder's fingerprint."""
        return self._inner.fingerprint

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._inner.dimension

    @property
    def window(self) -> int:
        """Return how many tokens one text may have."""
        return self._inner.window

    @property
    def trusted(self) -> bool:
        """Return whether the inner embedder is trusted."""
        return self._inner.trusted

    @property
    def remembers(self) -> bool:
        """Return whether vectors are kept: the file has not failed so far."""
        return self._rows.usable

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a text as the inner embedder counts them."""
        return self._inner.count_tokens(text)

    async def embed_question(self, text: str) -> Vector:
        """Embed one question with the inner embedder."""
        return await self._inner.embed_question(text)

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Return remembered vectors, and embed the rest; the same text is embedded once.

        Vectors are single precision, whether remembered or new. The rest is saved chunk by chunk.

        Raises:
            EmbedderError: the inner embedder failed; what came before is saved.
        """
        keys = [self._key(text) for text in texts]
        known = await self._run(self._rows.read, set(keys))
        missing = {k: text for k, text in zip(keys, texts, strict=True) if k not in known}
        done = len(texts) - len(missing)
        if progress and done:
            progress(done)
        by_length = iter(sorted(missing, key=lambda key: -len(missing[key])))
        while chunk := list(islice(by_length, CHUNK)):
            told = progress and _from(progress, done)
            vectors = await self._inner.embed_passages([missing[key] for key in chunk], told)
            new = {key: array("f", vector) for key, vector in zip(chunk, vectors, strict=True)}
            await self._run(self._rows.write, new)
            known |= new
            done += len(chunk)
        return [known[key] for key in keys]

    async def forget_unused(self) -> int:
        """Let go of vectors that were not used for 90 days; return how many.

        For after a build from nothing: by then all that the live build consists of has been used.
        """
        return await self._run(self._rows.forget_unused)

    async def aclose(self) -> None:
        """Close the file, the worker and the inner embedder."""
        await self._run(self._rows.close)
        self._worker.shutdown(wait=False)
        await self._inner.aclose()

    def _key(self, text: str) -> bytes:
        named = f"{comparable(self.fingerprint)}\0{text}"
        return hashlib.sha256(named.encode("utf-8", "surrogatepass")).digest()

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, work, *arguments)


def _today() -> int:
    return datetime.now(UTC).date().toordinal()


def _from(progress: Callable[[int], None], start: int) -> Callable[[int], None]:
    return lambda done: progress(start + done)
