"""A reranker that does what a test tells it."""

import asyncio
from collections.abc import Callable, Sequence

from core.errors import RerankerError
from core.outcomes import Hit

Order = Callable[[Sequence[Hit]], list[Hit]]


class FakeReranker:
    """Orders by a function, the hits turned round without one; fails or never ends if told to."""

    def __init__(
        self,
        order: Order | None = None,
        *,
        failing: str = "",
        cause: Exception | None = None,
        endless: bool = False,
    ) -> None:
        self.order = order or (lambda hits: list(reversed(hits)))
        self.failing = failing
        self.cause = cause
        self.endless = endless
        self.asked: list[tuple[str, list[str]]] = []
        self.loads = 0
        self.closed = False

    async def load(self) -> None:
        self.loads += 1
        self._may_fail()

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        self.asked.append((question, [hit.section.breadcrumb for hit in hits]))
        self._may_fail()
        if self.endless:
            await asyncio.Event().wait()
        return self.order(hits)

    async def aclose(self) -> None:
        self.closed = True

    def _may_fail(self) -> None:
        if self.failing:
            raise RerankerError(self.failing) from self.cause
