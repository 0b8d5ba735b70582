"""The reranker that the settings name."""

import asyncio
import logging

from core.engines.cross_encoder import AbsentReranker, CrossEncoderReranker, find_cross_encoder
from core.errors import RerankerError
from core.ports import Reranker
from core.settings_groups import NO_RERANKER

_log = logging.getLogger(__name__)


async def reranker_for(name: str, *, threads: int) -> Reranker | None:
    """Return the reranker of this name; None where the name stands for no reranker.

    No model is loaded yet, and what has to be fetched is fetched now. One that is missing is stood
    in for by one that always fails, and every order stands.
    """
    if name == NO_RERANKER:
        return None
    try:
        folder = await asyncio.to_thread(find_cross_encoder, name)
    except RerankerError as missing:
        return AbsentReranker(missing)
    return CrossEncoderReranker(folder, threads=threads)


async def loaded(reranker: Reranker | None) -> None:
    """Load the reranker, where there is one: until then every order stands as it was found.

    One that cannot be loaded is logged: whoever asks is answered without it.
    """
    if reranker is None:
        return
    try:
        await reranker.load()
    except RerankerError as error:
        _log.warning("Nothing is reranked: %s", error, exc_info=error.__cause__)
