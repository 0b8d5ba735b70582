"""Every run of the indexer while the bot serves: who follows builds is told of those."""

from collections.abc import Callable
from datetime import datetime

from core.ports import Indexer, SearchableIndex
from core.reports import IndexOptions, IndexProgress, IndexReport


class FollowedIndexer:
    """An Indexer that tells of every run that made another build live."""

    def __init__(
        self, inner: Indexer, index: SearchableIndex, built: Callable[[IndexReport], None]
    ) -> None:
        self._inner = inner
        self._index = index
        self._built = built

    @property
    def running_since(self) -> datetime | None:
        """Return when the run that is going on began; None while there is none."""
        return self._inner.running_since

    async def run(
        self, options: IndexOptions, progress: Callable[[IndexProgress], None] | None = None
    ) -> IndexReport:
        """Run the indexer; who waits for it does not wait for what follows."""
        before = self._live
        try:
            report = await self._inner.run(options, progress)
        except BaseException:
            if self._live != before:
                self._built(IndexReport(build=self._live))
            raise
        if self._live != before:
            self._built(report)
        return report

    @property
    def _live(self) -> str:
        return self._index.info.id if self._index.info else ""
