"""A world that finds with the model that is shipped: pictures show what it really finds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bots.app import App, open_app
from core.reports import IndexOptions
from core.settings import Settings
from tests.e2e.world import World

WEAK = "redis is out of memory"
"""Something that is answered weakly in it."""


class RealWorld(World):
    """A world with the shipped model in place of the scripted one."""

    @asynccontextmanager
    async def open_app(self, settings: Settings) -> AsyncIterator[App]:
        async with open_app(settings, self.folder / "data", clock=self.clock) as app:
            if app.library.stale:
                await app.library.indexer.run(IndexOptions())
            yield app
