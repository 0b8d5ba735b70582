"""The watcher beside the channels: whatever happens to it, they go on."""

import asyncio
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from bots.following import following
from core.reports import IndexOptions, IndexReport
from core.settings_lists import SourceSettings
from corpus.data_folder import DataFolder
from corpus.library import Library
from corpus.sources import Source, open_source
from tests.fakes import FrozenClock


@dataclass
class Shelf:
    """As much of a library as is followed."""

    folder: DataFolder
    sources: tuple[Source, ...]
    fault: Exception | None = None
    asked: list[IndexOptions] = field(default_factory=list)
    ran: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def indexer(self) -> "Shelf":
        return self

    async def run(self, options: IndexOptions) -> IndexReport:
        self.asked.append(options)
        self.ran.set()
        if self.fault:
            raise self.fault
        return IndexReport()


def shelf(tmp_path: Path, fault: Exception | None = None) -> Shelf:
    books = tmp_path / "books"
    books.mkdir()
    sources = (open_source(SourceSettings(name="books", path=books)),)
    return Shelf(DataFolder(tmp_path / "data"), sources, fault)


@pytest.mark.slow
async def test_the_index_is_brought_up_to_date_as_the_command_does_it(tmp_path: Path) -> None:
    library = shelf(tmp_path)
    async with following(cast("Library", cast("Any", library)), FrozenClock()):
        await library.ran.wait()
    assert library.asked == [IndexOptions()]


class Heard(logging.Handler):
    """Keeps the first message, and tells that there is one."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.message: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def emit(self, record: logging.LogRecord) -> None:
        if not self.message.done():
            self.message.set_result(record.getMessage())


@pytest.mark.slow
async def test_a_fault_of_the_watcher_is_logged_and_nothing_else(tmp_path: Path) -> None:
    library = shelf(tmp_path, RuntimeError("a bug"))
    log, heard = logging.getLogger("bots.supervisor"), Heard()
    log.addHandler(heard)
    try:
        async with following(cast("Library", cast("Any", library)), FrozenClock()):
            assert (await heard.message).startswith("watcher failed (1), again in")
    finally:
        log.removeHandler(heard)
