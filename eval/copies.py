"""A corpus as large as one likes: the same documents again and again, none quite like another.

Vectors are those of the real passages with noise on them, so that nothing is embedded anew.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import DocumentError
from core.models import Document, Vector
from core.ports import Embedder
from core.settings_lists import SourceSettings
from corpus.sources import Listing

NAME = "copies"
_KEPT = ("#", "```", "~~~", "|")
_DROPPED = 7
"""One line in so many is left out of a copy."""
_NOISE = 0.5
"""The length of the noise beside a vector's 1: near copies, and still told apart."""


class CopiesSource:
    """Documents multiplied; `count` of them are listed, and `changed` ones have a line more."""

    root: Path | None = None
    commit = ""

    def __init__(self, documents: Sequence[Document], count: int) -> None:
        self.settings = SourceSettings(name=NAME, path=Path(NAME))
        self._documents = documents
        self._count = count
        self.changed: set[str] = set()

    async def refresh(self) -> str:
        """Do nothing: the copies are made here."""
        return ""

    def listing(self) -> Listing:
        """List the copies, in the order of their paths."""
        return Listing(tuple(map(self._path, range(self._count))))

    def read(self, path: str) -> bytes:
        """Return one copy's bytes.

        Raises:
            DocumentError: there is no such copy.
        """
        number = int(path.partition("/")[0])
        if not number < self._count or path != self._path(number):
            raise DocumentError(f"there is no copy {path}")
        copy, at = divmod(number, len(self._documents))
        text = _thinned(self._documents[at].text, copy)
        return (text + "\nOne line more.\n" * (path in self.changed)).encode()

    def _path(self, number: int) -> str:
        return f"{number:06}/{self._documents[number % len(self._documents)].path}"


class PerturbedEmbedder:
    """Gives passages the vectors of others with noise on them; questions are embedded for real."""

    def __init__(self, inner: Embedder, vectors: Sequence[Vector]) -> None:
        self._inner = inner
        self._base = np.asarray(vectors, dtype=np.float32)
        self._made = 0
        self.fingerprint = f"{inner.fingerprint}:perturbed"
        self.dimension = inner.dimension
        self.window = inner.window
        self.trusted = True

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a text as the inner embedder counts them."""
        return self._inner.count_tokens(text)

    async def embed_question(self, text: str) -> Vector:
        """Embed one question with the inner embedder.

        Raises:
            EmbedderError: the inner embedder failed.
        """
        return await self._inner.embed_question(text)

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Return a vector a text, whatever the text says."""
        made: list[Vector] = list(self.perturbed(len(texts)).tolist())
        if progress:
            progress(len(texts))
        return made

    def perturbed(self, count: int) -> "np.ndarray[Any, np.dtype[np.float32]]":
        """Return the next vectors, one a row; the same order of calls gives the same ones."""
        rows = np.arange(self._made, self._made + count)
        draws = np.random.default_rng(self._made)
        self._made += count
        noise = draws.standard_normal((count, self.dimension), dtype=np.float32)
        noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        vectors = self._base[rows % len(self._base)] + noise
        unit: np.ndarray[Any, np.dtype[np.float32]] = vectors / np.linalg.norm(
            vectors, axis=1, keepdims=True
        )
        return unit

    async def aclose(self) -> None:
        """Close the inner embedder."""
        await self._inner.aclose()


def _thinned(text: str, copy: int) -> str:
    """Return a text with some of its lines left out, others in every copy; the first is whole."""
    if copy == 0:
        return text
    return "".join(_kept_lines(text.splitlines(keepends=True), copy))


def _kept_lines(lines: Iterable[str], copy: int) -> Iterable[str]:
    for number, line in enumerate(lines):
        chance = hashlib.blake2b(f"{copy}:{number}".encode(), digest_size=2).digest()
        if line.lstrip().startswith(_KEPT) or int.from_bytes(chance, "big") % _DROPPED:
            yield line
