"""The language model put together from the settings, where there is one."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from core.composing import Composer, rules_of
from core.ports import Clock, Writer
from core.service import Reply
from core.settings_groups import LlmSettings
from core.writing import Budgets, Scribe
from core.writings_port import Writings
from core.written import WrittenOutcome

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_writer(settings: LlmSettings) -> AsyncIterator[Writer | None]:
    """Open the language model's client; None where none is configured, and nothing is loaded."""
    if not settings.enabled:
        yield None
        return
    writer = await asyncio.to_thread(_writer, settings)
    try:
        yield writer
    finally:
        await writer.aclose()


@asynccontextmanager
async def open_scribe(
    settings: LlmSettings, journal: Writings, clock: Clock
) -> AsyncIterator[Scribe | None]:
    """Open what writes answers; None where no language model is configured."""
    async with open_writer(settings) as writer:
        if writer is None:
            yield None
            return
        yield Scribe(
            Composer(writer, rules_of(settings)),
            journal,
            clock,
            Budgets(settings.answers_per_day, settings.answers_per_person_per_day),
            patience=patience_of(settings),
        )


async def written_for(reply: Reply, scribe: Scribe) -> WrittenOutcome | None:
    """Return what is written for a reply; what fails is in the log, and is nothing to be seen."""
    try:
        return await scribe.write(reply)
    except Exception:  # whatever it is, the answer stands without it
        log.exception("%s: nothing was written", reply.exchange_id)
        return None


def patience_of(settings: LlmSettings) -> timedelta:
    """Return how long one attempt may take."""
    return timedelta(seconds=settings.deadline)


def _writer(settings: LlmSettings) -> Writer:
    from core.engines.writing import OpenAIWriter  # takes half a second and 50 MB to load

    return OpenAIWriter(settings)
