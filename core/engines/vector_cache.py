"""Embeddings kept in a SQLite file, so that a passage is embedded once.

It is a cache: a file that is broken, locked or full costs time, never an answer.
"""

import asyncio
import hashlib
import logging
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from core.models import Vector
from core.points import comparable
from core.ports import Embedder

CHUNK: Final = 256
"""Texts embedded before they are saved: what an interrupted run keeps."""
_LOCK_SECONDS = 0.2
_log = logging.getLogger(__name__)

T = TypeVar("T")


class CachedEmbedder:
    """An embedder that remembers passages by (fingerprint, text). Questions are not remembered."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._rows = _Rows(path, 4 * inner.dimension)
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


def _from(progress: Callable[[int], None], start: int) -> Callable[[int], None]:
    return lambda done: progress(start + done)


class _Rows:
    """The file itself. Every method runs in the one worker thread, and none of them fails."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self._database: sqlite3.Connection | None = None
        self._usable = True

    def read(self, keys: Iterable[bytes]) -> "dict[bytes, array[float]]":
        return self._attempt(lambda database: self._found(database, keys), {})

    def _found(
        self, database: sqlite3.Connection, keys: Iterable[bytes]
    ) -> "dict[bytes, array[float]]":
        found = {}
        for key in keys:
            row = database.execute("select vector from vectors where key = ?", (key,)).fetchone()
            if row is not None and len(row[0]) == self._size:
                found[key] = array("f", row[0])
        return found

    def write(self, vectors: "Mapping[bytes, array[float]]") -> None:
        rows = [(key, vector.tobytes()) for key, vector in vectors.items()]
        self._attempt(lambda database: _save(database, rows), None)

    def close(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
        self._database, self._usable = None, False

    def _attempt(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Do the work; drop a file that is broken and try once more; else go without a cache."""
        for _ in range(2):
            if not self._usable:
                break
            try:
                return work(self._opened())
            except sqlite3.OperationalError as error:
                _log.warning("The vector cache is not used from here on: %s.", error)
                self.close()
            except sqlite3.DatabaseError as error:
                _log.warning("The vector cache was broken and is begun anew: %s.", error)
                self._remove()
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            with suppress(OSError):  # which the database says better
                self._path.touch(mode=0o600)
            self._database = sqlite3.connect(self._path, timeout=_LOCK_SECONDS)
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = normal")
            self._database.execute(
                "create table if not exists vectors (key blob primary key, vector blob not null)"
            )
        return self._database

    def _remove(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._usable = True


def _save(database: sqlite3.Connection, rows: Sequence[tuple[bytes, bytes]]) -> None:
    with database:
        database.executemany("insert or replace into vectors (key, vector) values (?, ?)", rows)
