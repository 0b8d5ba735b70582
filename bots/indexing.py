"""Bringing the index up to date from the terminal, with progress on standard error."""

import sys
from collections.abc import Sequence
from pathlib import Path

from bots.progress import shown_on
from core.reports import IndexOptions, IndexReport
from core.settings import Settings
from corpus.library import Library, open_library
from eval.judges import judges_for

WAIT = 10.0
"""Seconds that another command may take to leave the data folder."""


async def run_indexer(library: Library, options: IndexOptions) -> IndexReport:
    """Run the indexer, its progress shown on standard error.

    Raises:
        NightlampError: it failed; the index answers as before.
    """
    with shown_on(sys.stderr) as told:
        return await library.indexer.run(options, told)


async def index(
    settings: Settings,
    data: Path,
    options: IndexOptions,
    *,
    sources: Sequence[Path] | None = None,
) -> IndexReport:
    """Bring the index up to date and return what changed.

    Raises:
        NightlampError: it failed; the index answers as before.
    """
    judges = judges_for(settings)
    async with open_library(settings, data, sources=sources, wait=WAIT, judges=judges) as library:
        return await run_indexer(library, options)
