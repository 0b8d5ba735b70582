"""Bringing the index up to date from the terminal, with progress on standard error."""

import sys
from asyncio import CancelledError
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from bots.control_client import ControlClient, beside
from bots.output import note
from bots.progress import Told, shown_on
from core.reports import IndexOptions, IndexProgress, IndexReport
from core.settings import Settings
from core.wire import from_plain, to_plain
from corpus.data_folder import DataFolder
from corpus.library import open_library
from corpus.starter import sources_of
from eval.judges import judges_for


class OnTheWay:
    """Shows on standard error what is told before there is a result."""

    def __init__(self) -> None:
        self._bars = ExitStack()
        self._told: Told | None = None

    def __enter__(self) -> "OnTheWay":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end_bars()

    def tell(self, name: str, value: Mapping[str, Any]) -> None:
        """Show a `progress` as it is, a `note` by its text, and nothing else."""
        if name == "progress":
            self._told = self._told or self._bars.enter_context(shown_on(sys.stderr))
            self._told(from_plain(IndexProgress, value))
        elif name == "note":
            self._end_bars()
            note(str(value.get("text", "")))

    def progress(self, at: IndexProgress) -> None:
        """Show how far an indexing run of this process is."""
        self.tell("progress", to_plain(at))

    def _end_bars(self) -> None:
        self._told = None
        self._bars.close()


async def index(
    settings: Settings,
    data: Path,
    options: IndexOptions,
    *,
    sources: Sequence[Path] | None = None,
) -> IndexReport:
    """Bring the index up to date and return what changed; a bot that runs does it, if one does.

    Raises:
        DataFolderBusy: another process has the folder, or the bot indexes already.
        NightlampError: it failed; the index answers as before.
    """
    with OnTheWay() as shown:
        return await beside(
            DataFolder(data),
            partial(_through, settings, options, sources, shown),
            partial(_alone, settings, data, options, sources, shown),
        )


async def _alone(
    settings: Settings,
    data: Path,
    options: IndexOptions,
    sources: Sequence[Path] | None,
    shown: OnTheWay,
) -> IndexReport:
    judges = judges_for(settings)
    async with open_library(settings, data, sources=sources, judges=judges) as library:
        return await library.indexer.run(options, shown.progress)


async def _through(
    settings: Settings,
    options: IndexOptions,
    sources: Sequence[Path] | None,
    shown: OnTheWay,
    bot: ControlClient,
) -> IndexReport:
    wanted = {"options": to_plain(options), "sources": named(settings, sources)}
    try:
        return from_plain(IndexReport, await bot.call("index", wanted, shown.tell))
    except CancelledError:
        shown.tell("note", {"text": "The running bot goes on with it."})
        raise


def named(settings: Settings, sources: Sequence[Path] | None) -> list[str] | None:
    """Return the names of folders given in place of the configured sources; None without any."""
    if sources is None:
        return None
    opened = sources_of(settings.sources, sources, settings.limits.file_bytes)
    return sorted(source.settings.name for source in opened)
