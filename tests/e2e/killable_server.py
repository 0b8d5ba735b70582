"""A process that indexes onto a server and stays at a step of its child until it is killed.

    python -m tests.e2e.killable_server DATA PAGES STEP URL

Without a step it indexes to the end and says how many passages were embedded in this process.
"""

import asyncio
import sys
from pathlib import Path

from core.clock import SystemClock
from core.engines.server_index import ServerIndex
from core.engines.vector_cache import CachedEmbedder
from core.reports import IndexOptions
from core.settings_groups import EmbeddingSettings, QdrantSettings, SplitterSettings
from core.settings_lists import SourceSettings
from corpus.data_folder import DataFolder
from corpus.indexer import SourceIndexer
from corpus.remembered_builds import RememberedBuilds
from corpus.sources import open_source
from tests.fakes import ScriptedEmbedder
from tests.scripted_child import command


async def main(data: Path, pages: Path, step: str, url: str) -> None:
    folder = DataFolder(data)
    await folder.hold(SystemClock())
    inner, splitter = ScriptedEmbedder(), SplitterSettings()
    embedder = CachedEmbedder(inner, folder.vectors)
    told = QdrantSettings(url=url, timeout=60)
    index = await ServerIndex.open(folder.index, inner.dimension, told)
    children = RememberedBuilds(
        index,
        embedder,
        EmbeddingSettings(),
        splitter,
        data,
        command=command(step, cached=True),
        few_chars=0,
    )
    indexer = SourceIndexer(
        index,
        embedder,
        [open_source(SourceSettings(name="runbooks", path=pages))],
        splitter,
        SystemClock(),
        children=children if step else None,
    )
    await indexer.run(IndexOptions(rebuild=True))
    sys.stderr.write(f"embedded {inner.asked}\n")
    await embedder.aclose()
    await index.aclose()
    folder.release()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]))
