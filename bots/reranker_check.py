"""Whether the reranker that is set can be used, for doctor."""

from core.errors import RerankerError
from core.settings_groups import RetrievalSettings
from corpus.rerankers import reranker_for


async def reranker_check(settings: RetrievalSettings) -> tuple[bool, str] | None:
    """Return whether it can be used, and what it is or what is wrong; None where none is set.

    It is loaded, which takes seconds: nothing else tells that its files are whole.
    """
    reranker = await reranker_for(settings.reranker, threads=1)
    if reranker is None:
        return None
    try:
        await reranker.load()
    except RerankerError as error:
        return False, f"{error} Until then the order of the search stands."
    finally:
        await reranker.aclose()
    within = f"within {settings.reranker_seconds:g} s of a question"
    return True, f"{settings.reranker}, {settings.reranker_candidates} sections {within}"
