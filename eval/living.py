"""A home in which the plan's own documents are served: a copy of them, and a data folder.

What lies around it has no say there: no tenants, no channels, no language model, no server.
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final

from core.engines.durable import disk_errors
from core.engines.hub import local_folder
from core.errors import DocumentError
from core.settings import Settings
from core.settings_groups import LlmSettings, QdrantSettings
from corpus.data_folder import DataFolder
from corpus.sources import Source
from corpus.starter import sources_of
from eval.folders import made
from eval.run import Plan

GROUPS: Final = ("embedding", "splitter", "retrieval", "limits")
"""The settings that answers depend on, and that hold in such a home."""
_CORPUS, _DATA = "corpus", "data"


def data_of(home: Path) -> Path:
    """Return the data folder of a home."""
    return home / _DATA


def settings_for(settings: Settings) -> Settings:
    """Return the settings that hold in a home; files that they name are named absolutely."""
    model, vocabulary = settings.embedding.model, settings.retrieval.vocabulary
    local = local_folder(model)
    embedding = {"model": str(local.absolute())} if local else {}
    files = tuple(path.absolute() for path in vocabulary)
    return settings.model_copy(
        update={
            "embedding": settings.embedding.model_copy(update=embedding),
            "retrieval": settings.retrieval.model_copy(update={"vocabulary": files}),
            "qdrant": QdrantSettings(),
            "llm": LlmSettings(),
            "sources": (),
            "tenants": (),
            "channels": (),
        }
    )


async def settle_in(home: Path, plan: Plan, memory: DataFolder) -> tuple[Path, ...]:
    """Copy what the plan's sources list into a home, and return the folders of the copies.

    What was exported and remembered in `memory` is found in the home's data folder too.
    Repositories are read as they were fetched last.

    Raises:
        SourceError: a source cannot be read.
        DataFolderBroken: the home cannot be filled.
    """
    settings = plan.settings
    sources = sources_of(
        settings.sources,
        plan.folders,
        settings.limits.file_bytes,
        clones=DataFolder(plan.data).sources,
    )
    with disk_errors(home):
        return await asyncio.to_thread(_settle, home, sources, memory)


def _settle(home: Path, sources: tuple[Source, ...], memory: DataFolder) -> tuple[Path, ...]:
    made(memory.models)
    data = DataFolder(data_of(home))
    data.root.mkdir()
    data.models.symlink_to(memory.models.absolute(), target_is_directory=True)
    data.vectors.symlink_to(memory.vectors.absolute())
    folders = []
    for number, source in enumerate(sources):
        folder = home / _CORPUS / str(number)
        folder.mkdir(parents=True)
        _copy(source, folder)
        folders.append(folder)
    return tuple(folders)


def _copy(source: Source, folder: Path) -> None:
    for path in source.listing().files:
        with suppress(DocumentError):  # it is none of the documents either
            content = source.read(path)
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
