"""A build made by another process: it takes neither memory nor time of the one that answers.

The process that answers holds the data folder, reads the sources and decides what is to be written.
The other one (`corpus/child_process.py`) is told that, and fills a directory that was made for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from core.models import Document
from core.ports import Build, Embedder
from core.settings_groups import EmbeddingSettings, SplitterSettings
from corpus.build import Told, fill, seal
from corpus.child_process import COMMAND, ChildProcess

FEW_CHARS = 120_000
"""Up to so much text (about 200 passages, 5 s of embedding) is built where it is answered from: a
process of its own takes a second to start and loads the model anew."""


class Reserved(Protocol):
    """A directory that this process made and another one fills."""

    @property
    def place(self) -> Path:
        """Return the directory."""
        ...

    async def adopt(self) -> Build:
        """Open the build that was sealed and closed there.

        Raises:
            BuildFailed: it is not whole.
        """
        ...

    async def abandon(self) -> None:
        """Remove it."""
        ...


class Reserving(Protocol):
    """An index whose builds another process can fill."""

    async def reserve(self, *, from_live: bool) -> Reserved:
        """Make the directory of a build: a copy of the live one, or new.

        Raises:
            DataFolderBroken: the disk is full or not writable.
        """
        ...


@dataclass(frozen=True, slots=True)
class Work:
    """What is to become of a build: from what, without which documents, with which.

    `total` is how many documents it then holds.
    """

    from_live: bool
    drop: Sequence[str]
    documents: Sequence[Document]
    total: int
    sources: Mapping[str, str]
    created_at: datetime


async def complete(
    build: Build, work: Work, embedder: Embedder, splitter: SplitterSettings, told: Told
) -> None:
    """Do a work on a build that was begun for it, in this process, and seal it.

    Raises:
        EmbedderError: a passage could not be embedded.
        VectorIndexError, DataFolderBroken: something could not be written.
    """
    await build.delete_documents(work.drop)
    await fill(build, work.documents, embedder, splitter, told)
    await seal(
        build,
        embedder,
        splitter,
        documents=work.total,
        sources=work.sources,
        created_at=work.created_at,
    )


class Children(Protocol):
    """Leaves to another process what would take long in this one."""

    def worth(self, documents: Sequence[Document]) -> bool:
        """Return whether these are left to it."""
        ...

    async def make(self, work: Work, told: Told) -> Build:
        """Return a sealed build.

        Raises:
            NightlampError: it could not be made, and nothing is left of it.
        """
        ...


class ChildBuilds:
    """Has builds made by a child process, with the embedder of the settings."""

    def __init__(
        self,
        index: Reserving,
        embedding: EmbeddingSettings,
        splitter: SplitterSettings,
        data: Path,
        *,
        command: Sequence[str] = COMMAND,
        few_chars: int = FEW_CHARS,
    ) -> None:
        self._index = index
        self._child = ChildProcess(embedding, splitter, data, command)
        self._few_chars = few_chars

    def worth(self, documents: Sequence[Document]) -> bool:
        """Return whether these are too many to be embedded where questions are answered."""
        return chars(documents) > self._few_chars

    async def make(self, work: Work, told: Told) -> Build:
        """Return a sealed build that was filled by a child; cancelled, the child ends at once.

        Raises:
            BuildFailed: the child was ended, or what it made is not whole.
            NightlampError: what the child failed of: a model that is missing, a full disk.
        """
        reserved = await self._index.reserve(from_live=work.from_live)
        try:
            await self._child.run(_order(work, reserved.place), work.documents, told)
            return await reserved.adopt()
        except BaseException:
            await reserved.abandon()
            raise


def chars(documents: Sequence[Document]) -> int:
    """Return how much text these have: about how long embedding takes."""
    return sum(len(one.text) for one in documents)


def _order(work: Work, place: Path) -> Mapping[str, Any]:
    return {
        "place": str(place.absolute()),
        "drop": list(work.drop),
        "sources": dict(work.sources),
        "created_at": work.created_at.isoformat(),
        "total": work.total,
    }
