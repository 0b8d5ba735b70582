"""The watcher beside the channels: what it does wrong is its own affair."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bots.supervisor import Supervisor
from core.ports import Clock
from core.reports import IndexOptions, IndexReport
from corpus.library import Library
from corpus.watch import Watcher

log = logging.getLogger(__name__)


@asynccontextmanager
async def following(library: Library, clock: Clock) -> AsyncIterator[None]:
    """Keep the index up to date with sources that change, for as long as the context is open."""

    async def reindex() -> IndexReport:
        return await library.indexer.run(IndexOptions())

    watcher = Watcher(library.sources, reindex, library.folder.root)
    watching = asyncio.create_task(Supervisor((watcher,), clock).run(), name=watcher.name)
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.wait({watching})
        if not watching.cancelled() and (error := watching.exception()):
            log.error("The watcher ended: %s", error)
