"""What every driver starts from: people, places, two tenants' pages, and the app over them."""

import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bots.app import App, service_over
from bots.scribing import open_scribe
from core.engines.build_folder import copy_sparsely
from core.engines.hashing import HashingEmbedder
from core.models import EVERYONE, Scope
from core.ports import Embedder
from core.reports import IndexOptions
from core.settings import Settings
from corpus.library import open_library
from feedback.journal import open_journal
from tests.fakes import SCRIPTED_CALIBRATION, FrozenClock, ScriptedEmbedder

PAGES = Path(__file__).parent / "pages"
OPEN = Scope()
ANN, BEN = "ann", "ben"
"""Two people who may write in every place."""
ROOT = "root"
"""An admin of acme."""
MONDAYS = "0 9 * * mon"
"""When digests are posted."""


async def at_once(seconds: float) -> None:
    """Wait for nothing: for what sleeps between two people or two tries."""
    del seconds


@dataclass(frozen=True, slots=True)
class Place:
    """A channel: whose it is, and what it may see. Drivers map its name to an id."""

    name: str
    tenant: str
    scope: Scope = OPEN


OPS = Place("ops", "acme")
PAYMENTS = Place("payments", "acme", Scope(visibility=(EVERYONE, "payments-team")))
PLANT = Place("plant", "globex")
PLACES = (OPS, PAYMENTS, PLANT)


@dataclass(frozen=True, slots=True)
class World:
    """A folder with the runbooks as they are now, and what outlives a restart of the app.

    `make_embedder` gives each start its model; `clock` stands still. `llm` are the settings of a
    language model, where there is one.
    """

    folder: Path
    make_embedder: Callable[[], Embedder] = ScriptedEmbedder
    clock: FrozenClock = field(default_factory=FrozenClock)
    llm: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, *, like: "World | None" = None, trusted: bool = True) -> "World":
        """Return a world with its own copy of the pages; an untrusted model is the hashing one.

        One that is `like` a world whose app has stopped begins with a copy of its index.
        """
        shutil.copytree(PAGES, folder / "pages")
        if like is not None:
            copy_sparsely(like.folder / "data", folder / "data")
        return cls(folder, ScriptedEmbedder if trusted else HashingEmbedder)

    def write(self, path: str, text: str) -> None:
        """Write a page, such as `acme/disk-full.md`."""
        (self.folder / "pages" / path).write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        """Return a page as it stands in its file."""
        return (self.folder / "pages" / path).read_text(encoding="utf-8")

    def remove(self, path: str) -> None:
        """Delete a page."""
        (self.folder / "pages" / path).unlink()

    def settings(self, **channels: Any) -> Settings:
        """Return settings with both tenants' sources, and what a driver adds for its platform."""
        sources = [self._source("acme"), self._source("globex")]
        return Settings.model_validate({"sources": sources, "llm": self.llm, **channels})

    def _source(self, tenant: str) -> Mapping[str, str]:
        return {
            "name": tenant,
            "path": str(self.folder / "pages" / tenant),
            "link": f"https://{tenant}.example/{{path}}#{{anchor}}",
            "tenant": tenant,
        }

    @asynccontextmanager
    async def open_app(self, settings: Settings) -> AsyncIterator[App]:
        """Start the app over this world's data folder, with the pages indexed."""
        data = self.folder / "data"
        async with (
            open_library(
                settings,
                data,
                embedder=self.make_embedder(),
                calibration=SCRIPTED_CALIBRATION,
                clock=self.clock,
            ) as library,
            open_journal(library.folder.journal, now=self.clock.now) as journal,
            open_scribe(settings.llm, journal, self.clock) as scribe,
        ):
            if library.stale:
                await library.indexer.run(IndexOptions())
            service = service_over(library, journal, self.clock)
            yield App(settings, library, journal, service, self.clock, scribe)
