"""Checks what Nightlamp stands on, and says what to do about each thing that is not right."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bots.app import channels_with_tokens
from bots.behind import update_says
from bots.check import Check, Level
from bots.counted import counted
from bots.digest_status import digest_states_at, said, without_tokens
from bots.left_out import left_out
from bots.reranker_check import reranker_check
from bots.served_model import served_model
from bots.source_checks import source_checks
from bots.vectors import server_checks
from bots.writer_status import writer_check
from core.engines.sentence import find_sentence_model
from core.errors import (
    DataFolderBusy,
    EmbedderMissing,
    JournalUnavailable,
    NightlampError,
    SettingsError,
)
from core.points import Filter, alike
from core.settings import Settings, meaningless_variables
from corpus.build import fingerprint
from corpus.data_folder import DataFolder
from corpus.lagging import Lagging
from corpus.library import HASHING, Library, open_library
from feedback.journal import open_journal
from feedback.restore import unfinished

LEAST_ROOM = 512_000_000
"""Bytes below which the next build may not fit."""


async def examine(
    settings: Settings, data: Path, *, sources: Sequence[Path] | None = None
) -> list[Check]:
    """Check settings, models, server, index, calibration, journal, sources, links and tokens."""
    checks = [
        _settings(),
        await asyncio.to_thread(_folder, data),
        await _model(settings),
    ]
    checks += await _reranker(settings)
    checks += await _server(settings)
    checks += [check async for check in _index(settings, data, sources)]
    checks += await asyncio.to_thread(_update, DataFolder(data))
    checks += [await _journal(DataFolder(data).journal), *await _language_model(settings)]
    checks += await _digests(settings, DataFolder(data).journal)
    checks += await asyncio.to_thread(lambda: list(source_checks(settings, data, sources)))
    return [*checks, _tokens(settings), *await _discord(settings), *await _slack(settings)]


async def _discord(settings: Settings) -> list[Check]:
    if settings.discord.token is None:
        return []
    from bots.discord_bot.checks import discord_checks  # takes its time to load

    return await discord_checks(settings)


async def _slack(settings: Settings) -> list[Check]:
    slack = settings.slack
    if slack.bot_token is None or not (slack.app_token or slack.signing_secret):
        return []
    from bots.slack_bot.checks import slack_checks  # likewise

    return await slack_checks(settings.slack)


def _settings() -> Check:
    if unknown := meaningless_variables():
        says = f"{', '.join(unknown)} in the environment does nothing: no setting has that name"
        return Check("settings", Level.NOTE, says)
    return Check("settings", Level.OK, "all can be read")


def _folder(data: Path) -> Check:
    there = data.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        says = f"{there} cannot be written: make it writable, or name another with --data"
        return Check("data folder", Level.PROBLEM, says)
    free = shutil.disk_usage(there).free
    says = f"{data.absolute()}, {free // 1_000_000:,} MB free"
    if free < LEAST_ROOM:
        says += f": free some space, a build may need {LEAST_ROOM // 1_000_000} MB"
        return Check("data folder", Level.PROBLEM, says)
    return Check("data folder", Level.OK, says)


async def _model(settings: Settings) -> Check:
    found = await served_model(settings.embedding)
    if found is None:
        return await asyncio.to_thread(_model_here, settings)
    wrong, says = found
    return Check("model", Level.PROBLEM if wrong else Level.OK, wrong or says)


def _model_here(settings: Settings) -> Check:
    name = settings.embedding.model
    if name == HASHING:
        least = settings.retrieval.dense_min_documents
        says = f"{HASHING}: it knows no meanings, and counts only from {least} documents on"
        return Check("model", Level.NOTE, says)
    try:
        found = find_sentence_model(name)
        found.check()
    except EmbedderMissing as error:
        return Check("model", Level.PROBLEM, f"{error} Until then search is by keywords only.")
    proved = "its weights are the original ones" if found.pinned else "its weights are your own"
    return Check("model", Level.OK, f"{found.name} in {found.path}, {proved}")


async def _reranker(settings: Settings) -> list[Check]:
    found = await reranker_check(settings.retrieval)
    if found is None:
        return []
    sound, says = found
    return [Check("reranker", Level.OK if sound else Level.PROBLEM, says)]


async def _server(settings: Settings) -> list[Check]:
    if settings.qdrant.url is None:
        return []
    wrong, says = await server_checks(settings.qdrant)
    return [Check("qdrant", Level.PROBLEM if wrong else Level.OK, wrong or says)]


async def _index(
    settings: Settings, data: Path, sources: Sequence[Path] | None
) -> AsyncIterator[Check]:
    try:
        async with open_library(settings, data, sources=sources) as library:
            yield await _build(library, settings)
            yield _calibration(library)
    except DataFolderBusy:
        holder = await asyncio.to_thread(DataFolder(data).holder)
        says = f"not checked: the data folder is {holder}; nightlamp status tells what it has"
        yield Check("index", Level.NOTE, says)
    except NightlampError as error:
        yield Check("index", Level.PROBLEM, str(error))


async def _build(library: Library, settings: Settings) -> Check:
    wrong = await library.index.health()
    info = library.index.info
    if wrong or info is None:
        return Check("index", Level.PROBLEM, wrong)
    if not alike(info.fingerprint, fingerprint(library.embedder, settings.splitter)):
        says = "it was built with another model or other settings: run nightlamp index"
        return Check("index", Level.PROBLEM, says)
    if library.stale:
        there = ", ".join(info.sources)
        return Check("index", Level.NOTE, f"it holds other sources ({there}): run nightlamp index")
    for tenant in sorted({source.settings.tenant for source in library.sources}):
        if info.documents and not await library.index.documents(Filter(tenant, None)):
            says = f"it holds nothing of the tenant {tenant}: run nightlamp index"
            return Check("index", Level.PROBLEM, says)
    holds = f"{counted(info.documents, 'document')}, {counted(info.sections, 'section')}"
    says = f"{holds}, built {info.created_at:%F}"
    if missing := await left_out(library):
        files = "1 file is" if missing == 1 else f"{missing:,} files are"
        says += f"; {files} not in it: run nightlamp index, it says why"
        return Check("index", Level.NOTE, says)
    return Check("index", Level.OK, says)


def _update(folder: DataFolder) -> list[Check]:
    failed = Lagging(folder.lagging).read().update
    return [Check("update", Level.PROBLEM, update_says(failed))] if failed else []


def _calibration(library: Library) -> Check:
    calibration = library.calibration
    if calibration.fitted:
        return Check("calibration", Level.OK, calibration.source)
    says = "not fitted for this model and splitter: answers and refusals are cut by others' weights"
    return Check("calibration", Level.NOTE, f"{says}; run python -m eval calibrate")


async def _journal(path: Path) -> Check:
    if await asyncio.to_thread(unfinished, path.parent):
        says = "a restore was cut off in the midst: stop the bot and run nightlamp restore again"
        return Check("journal", Level.PROBLEM, says)
    if not await asyncio.to_thread(path.exists):
        return Check("journal", Level.NOTE, "nothing has been asked yet")
    try:
        async with open_journal(path) as journal:
            wrong = await journal.health() or await journal.damage()
    except JournalUnavailable as error:
        wrong = str(error)
    says = wrong or "can be written, and is whole"
    return Check("journal", Level.PROBLEM if wrong else Level.OK, says)


async def _digests(settings: Settings, path: Path) -> list[Check]:
    tokenless = without_tokens(settings)
    says = f"{', '.join(tokenless)} cannot be reached: set the tokens of the platform"
    return [
        *([Check("digests", Level.NOTE, says)] if tokenless else []),
        *await _posted(settings, path),
    ]


async def _posted(settings: Settings, path: Path) -> list[Check]:
    return [
        Check(
            f"digest of {state.tenant} in {state.channel}",
            Level.OK if state.sound else Level.PROBLEM,
            said(state),
        )
        for state in await digest_states_at(settings, path)
    ]


async def _language_model(settings: Settings) -> list[Check]:
    found = await writer_check(settings.llm)
    if found is None:
        return []
    sound, says = found
    return [Check("language model", Level.OK if sound else Level.PROBLEM, says)]


def _tokens(settings: Settings) -> Check:
    try:
        platforms = channels_with_tokens(settings)
    except SettingsError as error:
        level = Level.PROBLEM if settings.slack.bot_token else Level.NOTE
        return Check("tokens", level, str(error))
    return Check("tokens", Level.OK, f"set for {', '.join(platforms)}")
