"""An embedder without a model: hashed words and character n-grams.

Texts that share words or parts of words lie near each other, and nothing else does: its distances
mean little, so it is not trusted on a small corpus. For tests, and for machines without torch.
"""

import asyncio
import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from core.models import Vector

_WORD = re.compile(r"\w+")
_GRAM = 4
_PART = 0.5
"""What a part of a word counts, beside the 1 of the whole word."""


class HashingEmbedder:
    """Feature hashing with signs (Weinberger et al., 2009) into 256 numbers, L2-normalised."""

    fingerprint = "hashing:1:256"
    dimension = 256
    window = 512
    trusted = False

    def count_tokens(self, text: str) -> int:
        """Return the number of words, and one for the end."""
        return len(_WORD.findall(text)) + 1

    async def embed_question(self, text: str) -> Vector:
        """Embed one question. A text without any word is the same as every other such text."""
        return await asyncio.to_thread(_embed, text)

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Embed texts in their order; `progress` is told how many are done."""
        vectors: list[Vector] = []
        for text in texts:
            vectors.append(await asyncio.to_thread(_embed, text))
            if progress:
                progress(len(vectors))
        return vectors

    async def aclose(self) -> None:
        """Let go of nothing: there is no model."""


def _embed(text: str) -> Vector:
    sums = [0.0] * HashingEmbedder.dimension
    for feature, weight in _features(text).items():
        digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        sign = 1.0 if digest[0] & 1 else -1.0
        sums[int.from_bytes(digest[1:5], "big") % len(sums)] += sign * math.sqrt(weight)
    length = math.hypot(*sums)
    if length == 0:
        return [1.0] + [0.0] * (len(sums) - 1)
    return [number / length for number in sums]


def _features(text: str) -> dict[str, float]:
    features: defaultdict[str, float] = defaultdict(float)
    for word in _WORD.findall(text.casefold()):
        features[word] += 1
        for part in _parts(word):
            features[part] += _PART
    return features


def _parts(word: str) -> Iterator[str]:
    framed = f"<{word}>"
    for start in range(len(framed) - _GRAM + 1):
        yield framed[start : start + _GRAM]
