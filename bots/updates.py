"""Every run of the indexer while the bot serves: who follows builds is told, a failure is kept."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.errors import BuildRefused, NightlampError
from core.ports import Clock, Indexer, SearchableIndex
from core.reports import IndexOptions, IndexProgress, IndexReport


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An update that failed, last of all, and since when none has succeeded.

    A refused one has read and built everything: only force lets it in.
    """

    since: datetime
    refused: bool
    sentence: str


class FollowedIndexer:
    """An Indexer that tells of every run that made another build live, and keeps what failed."""

    def __init__(
        self,
        inner: Indexer,
        index: SearchableIndex,
        built: Callable[[IndexReport], None],
        clock: Clock,
    ) -> None:
        self._inner = inner
        self._index = index
        self._built = built
        self._clock = clock
        self._unfinished: Unfinished | None = None

    @property
    def running_since(self) -> datetime | None:
        """Return when the run that is going on began; None while there is none."""
        return self._inner.running_since

    @property
    def unfinished(self) -> Unfinished | None:
        """Return the update that failed last; None once one has succeeded."""
        return self._unfinished

    async def run(
        self, options: IndexOptions, progress: Callable[[IndexProgress], None] | None = None
    ) -> IndexReport:
        """Run the indexer; who waits for it does not wait for what follows."""
        before = self._live
        try:
            report = await self._inner.run(options, progress)
        except BaseException as error:
            if isinstance(error, NightlampError | OSError) and not options.dry_run:
                self._failed(error)
            if self._live != before:
                self._built(IndexReport(build=self._live))
            raise
        if not options.dry_run:
            self._unfinished = None
        if self._live != before:
            self._built(report)
        return report

    def _failed(self, error: NightlampError | OSError) -> None:
        """Keep what failed; what the system says of a file is put into a sentence."""
        said = str(error)
        if isinstance(error, OSError):
            said = f"A file cannot be read or written: {said}"
        since = self._unfinished.since if self._unfinished else self._clock.now()
        self._unfinished = Unfinished(since, isinstance(error, BuildRefused), said)

    @property
    def _live(self) -> str:
        return self._index.info.id if self._index.info else ""
