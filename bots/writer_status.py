"""How the language model is doing: what it was asked today, whether it is left alone, its check."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bots.scribing import open_writer, patience_of
from core.clock import SystemClock
from core.errors import JournalUnavailable
from core.settings_groups import LlmSettings
from core.writing import breaker_now, spent_today
from core.written import Spent
from feedback.journal import open_journal


@dataclass(frozen=True, slots=True)
class WriterStatus:
    """What was written today (UTC); `paused_until` is set while the model is left alone."""

    model: str
    today: Spent
    a_day: int
    failures: int
    paused_until: datetime | None


async def writer_status(settings: LlmSettings, path: Path) -> WriterStatus | None:
    """Return how the model is doing, by the journal; None where none is configured."""
    if not settings.enabled or settings.model is None:
        return None
    spent, failures, until = Spent(), 0, None
    if await asyncio.to_thread(path.exists):
        now = SystemClock().now()
        try:
            async with open_journal(path) as journal:
                spent = await spent_today(journal, now)
                state = await breaker_now(journal, patience_of(settings))
        except JournalUnavailable:
            pass
        else:
            failures, until = state.failures, None if state.allows(now) else state.until
    return WriterStatus(settings.model, spent, settings.answers_per_day, failures, until)


def writer_rows(status: WriterStatus) -> Iterator[tuple[str, str]]:
    """Yield what is said of the model, by its name."""
    today = status.today
    yield "model", status.model
    yield (
        "today",
        f"{today.answers} of {status.a_day} asked for, {today.shown} shown, {today.failed} failed",
    )
    yield "tokens today", f"{today.tokens_in:,} read, {today.tokens_out:,} written"
    yield "time today", f"{today.ms / 1000:,.1f} s"
    if status.paused_until is not None:
        until = f"until {status.paused_until:%H:%M:%S} UTC, after {status.failures} failures"
        yield "left alone", until


async def writer_check(settings: LlmSettings) -> tuple[bool, str] | None:
    """Return whether the model can be asked, and what is to be said of it; bounded in time.

    None where no model is wanted.
    """
    if not (settings.base_url or settings.model):
        return None
    if not settings.enabled:
        missing = "MODEL" if settings.base_url else "BASE_URL"
        return False, f"off: set NIGHTLAMP_LLM_{missing} too"
    async with open_writer(settings) as writer:
        wrong = await writer.health() if writer else ""
    at = f"{settings.model} at {settings.base_url}"
    return not wrong, f"{at}: {wrong}" if wrong else at
