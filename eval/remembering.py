"""An embedder that embeds each question once: a comparison asks the same ones many times."""

from collections.abc import Callable, Sequence

from core.models import Vector
from core.ports import Embedder


class RememberingEmbedder:
    """Another embedder, whose vectors of questions are kept in memory. Passages pass through."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._questions: dict[str, Vector] = {}

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
        """Return a question's vector, embedded the first time it is asked for.

        Raises:
            EmbedderError: the inner embedder failed; it is asked again the next time.
        """
        if text not in self._questions:
            self._questions[text] = await self._inner.embed_question(text)
        return self._questions[text]

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Embed passages with the inner embedder.

        Raises:
            EmbedderError: the inner embedder failed.
        """
        return await self._inner.embed_passages(texts, progress)

    async def aclose(self) -> None:
        """Close the inner embedder."""
        await self._inner.aclose()
