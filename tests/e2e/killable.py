"""A process that indexes and stays at a step until it is killed: python -m tests.e2e.killable.

    DATA PAGES STEP

The steps of `tests/scripted_child.py` are the child's; the others are this process's own.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

from core.clock import SystemClock
from core.engines.edge import Shard
from core.engines.edge_index import EdgeIndex
from core.engines.served import Served
from core.errors import NightlampError
from core.ports import SearchableIndex
from core.reports import IndexOptions, IndexProgress, Verdict
from core.settings_groups import EmbeddingSettings, SplitterSettings
from core.settings_lists import SourceSettings
from corpus.building import ChildBuilds
from corpus.data_folder import DataFolder
from corpus.indexer import SourceIndexer
from corpus.sources import open_source
from tests.fakes import ScriptedEmbedder
from tests.scripted_child import STEPS, command

OWN_STEPS = ("reading", "admitting", "activating", "retiring")


class StoppingIndex(EdgeIndex):
    """Stays right before the pointer is written, or right after."""

    at: Callable[[str], None]

    async def serve(self, served: Served[Shard]) -> None:
        self.at("activating")
        await super().serve(served)

    async def retire(self) -> None:
        self.at("retiring")
        await super().retire()


class StoppingAdmission:
    """Admits every build, or stays over it."""

    def __init__(self, at: Callable[[str], None]) -> None:
        self._at = at

    async def admit(self, live: SearchableIndex, candidate: SearchableIndex) -> Verdict:
        self._at("admitting")
        return Verdict(admitted=True)


async def main(data: Path, pages: Path, step: str) -> None:
    def at(reached: str) -> None:
        if reached == step:
            sys.stderr.write(f"at {step}\n")
            sys.stderr.flush()
            time.sleep(600)

    def told(progress: IndexProgress) -> None:
        if progress.phase == "reading":
            at("reading")

    folder = DataFolder(data)
    await folder.hold(SystemClock())
    embedder, splitter = ScriptedEmbedder(), SplitterSettings()
    index = await StoppingIndex.open(folder.index, embedder.dimension)
    assert isinstance(index, StoppingIndex)
    index.at = at
    child = command(step) if step in STEPS else command()
    indexer = SourceIndexer(
        index,
        embedder,
        [open_source(SourceSettings(name="runbooks", path=pages))],
        splitter,
        SystemClock(),
        admission=StoppingAdmission(at),
        children=ChildBuilds(
            index, EmbeddingSettings(), splitter, data, command=child, few_chars=0
        ),
    )
    await indexer.run(IndexOptions(rebuild=True), told)


if __name__ == "__main__":
    try:
        asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
    except NightlampError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
