"""Builds on a server whose passages another process has embedded.

No other process can fill a server's collection for this one: its generations are this index's own
affair. But embedding is what takes the time and the memory. So a child embeds into the vector cache
and this process, which loads no model for it, writes what is remembered. Whatever ends the child or
this process, what was embedded by then is remembered by the next run; and what the cache could not
keep is embedded here.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from core.engines.vector_cache import CachedEmbedder
from core.models import Document
from core.ports import Build
from core.settings_groups import EmbeddingSettings, SplitterSettings
from corpus.build import Told
from corpus.building import FEW_CHARS, Work, chars, complete
from corpus.child_process import COMMAND, ChildProcess


class Beginning(Protocol):
    """An index that begins builds: all that is needed of one here."""

    async def begin(self, *, from_live: bool) -> Build:
        """Start a build: a copy of what is live, or empty."""
        ...


class RememberedBuilds:
    """Has a child embed into the cache of `embedder`, then fills the build from there."""

    def __init__(
        self,
        index: Beginning,
        embedder: CachedEmbedder,
        embedding: EmbeddingSettings,
        splitter: SplitterSettings,
        data: Path,
        *,
        command: Sequence[str] = COMMAND,
        few_chars: int = FEW_CHARS,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._splitter = splitter
        self._child = ChildProcess(embedding, splitter, data, command)
        self._few_chars = few_chars

    def worth(self, documents: Sequence[Document]) -> bool:
        """Return whether these are many, and what is embedded of them can be remembered."""
        return self._embedder.remembers and chars(documents) > self._few_chars

    async def make(self, work: Work, told: Told) -> Build:
        """Return a sealed build; cancelled, the child ends at once.

        The build is begun first: a server that is away is no reason to embed.

        Raises:
            BuildFailed: the child was ended.
            EmbedderError: a passage could not be embedded, there or here.
            VectorIndexError, DataFolderBroken: the build cannot be begun, or not be written.
        """

        def storing(phase: str, done: int, total: int) -> None:
            if phase == "embedding":
                told("storing", done, total)

        build = await self._index.begin(from_live=work.from_live)
        try:
            await self._child.run({"place": None}, work.documents, told)
            await complete(build, work, self._embedder, self._splitter, storing)
        except BaseException:
            await build.drop()
            raise
        return build
