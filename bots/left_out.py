"""How many files of the sources no document was made of: they failed, or came after the build."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from core.errors import SourceError
from corpus.library import Library
from corpus.sources import Source


async def left_out(library: Library) -> int:
    """Count the files that are there to be read, and that the live index does not hold."""
    documents = (await library.index.documents()).values()
    indexed = {(document.source, document.path) for document in documents}
    return len(await asyncio.to_thread(_files, library.sources) - indexed)


def _files(sources: Sequence[Source]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for source in sources:
        with suppress(SourceError):  # the check of the source says so
            found |= {(source.settings.name, path) for path in source.listing().files}
    return found
