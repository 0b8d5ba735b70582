"""An embedder that is not there: search goes on by keywords, and indexing says what is missing."""

from collections.abc import Callable, Sequence
from typing import NoReturn

from core.errors import EmbedderMissing
from core.models import Vector


class AbsentEmbedder:
    """Raises the same sentence whenever anything is to be embedded or counted."""

    fingerprint = "absent"
    dimension = 1
    window = 1
    trusted = True

    def __init__(self, missing: EmbedderMissing) -> None:
        self._sentence = str(missing)

    def count_tokens(self, text: str) -> int:
        """Count nothing.

        Raises:
            EmbedderMissing: always.
        """
        self._refuse()

    async def embed_question(self, text: str) -> Vector:
        """Embed nothing.

        Raises:
            EmbedderMissing: always.
        """
        self._refuse()

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Embed nothing.

        Raises:
            EmbedderMissing: always.
        """
        self._refuse()

    async def aclose(self) -> None:
        """Let go of nothing."""

    def _refuse(self) -> NoReturn:
        raise EmbedderMissing(self._sentence)
