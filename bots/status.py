"""What is indexed and running, read beside a running `serve`: nothing here needs the lock."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from bots.control_client import reached
from bots.digest_status import DigestState, digest_states_at
from bots.supervisor import ChannelState
from bots.vectors import vectors_at
from bots.writer_status import WriterStatus, writer_status
from core.clock import SystemClock
from core.engines.build_folder import BuildFolders
from core.errors import (
    DataFolderBroken,
    DataFolderBusy,
    IndexUnavailable,
    JournalUnavailable,
    NightlampError,
)
from core.outcomes import Gate
from core.points import BuildInfo
from core.settings import Settings
from core.settings_groups import NO_RERANKER
from core.wire import from_plain
from corpus.calibrations import calibration_for
from corpus.data_folder import DataFolder
from corpus.lagging import Lagging, LaggingSource, Unfinished
from corpus.library import HASHING
from feedback.journal import open_journal

NOBODY = "nobody"
DEADLINE = 20.0
"""Seconds that a running bot may take to tell of itself."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a data folder: its build, vectors, model, gate, calibration, journal and lock.

    `journal` has the rows by table, None where it cannot be read. `holder` says who has the lock.
    `written` is how the language model is doing, None where none is configured, and `digests` how
    each digest stands. `lagging` are the sources that the last run could not read anew, and
    `unfinished` is the update of the index that failed, if none has succeeded since.
    Of a bot that runs: the states of its channels by name, and since when it is indexing, if it is.
    `reranker` is empty where none is set.
    """

    data: str
    build: BuildInfo | None
    vectors: str
    model: str
    gate: Gate
    calibration: str
    fitted: bool
    journal: Mapping[str, int] | None
    holder: str
    channels: Mapping[str, ChannelState] = field(default_factory=dict)
    indexing_since: datetime | None = None
    written: WriterStatus | None = None
    digests: tuple[DigestState, ...] = ()
    unfinished: Unfinished | None = None
    lagging: tuple[LaggingSource, ...] = ()
    reranker: str = ""


REFUSED = (
    "The index answers as before, for it would lose by what the sources hold now. Where the bot "
    "runs, nightlamp status says what, and nightlamp index --force lets it through."
)
FAILED = "The index answers as before. Where the bot runs, nightlamp status says what is wrong."
OLD = (
    "Pages that are indexed answer as they were. Where the bot runs, nightlamp status says what is "
    "wrong."
)
"""What a tenant is told of an update that failed, and of a source: errors name what may be
another's, or the operator's."""


def for_tenant(status: Status, tenant: str, sources: Collection[str] | None) -> Status:
    """Return what a tenant may be told: nothing of another's sources, digests and questions.

    Where the data lie on the machine is the operator's affair. Where `sources` is None, none are
    set up and all are theirs.
    """
    build = status.build
    if build is not None and sources is not None:
        kept = {name: commit for name, commit in build.sources.items() if name in sources}
        build = replace(build, sources=kept, uncommitted={})
    digests = tuple(one for one in status.digests if one.tenant == tenant)
    unfinished = status.unfinished
    if unfinished is not None:
        unfinished = replace(unfinished, sentence=REFUSED if unfinished.refused else FAILED)
    lagging = tuple(
        replace(one, sentence=OLD)
        for one in status.lagging
        if sources is None or one.name in sources
    )
    return replace(
        status,
        build=build,
        data="",
        holder="",
        journal={},
        digests=digests,
        unfinished=unfinished,
        lagging=lagging,
    )


async def status(settings: Settings, data: Path) -> Status:
    """Return the state of a data folder as the bot that runs over it tells it, if one does.

    A bot that does not answer within seconds is passed over: its files tell the most of it.

    Raises:
        SettingsError: the calibration's file cannot be read.
    """
    try:
        async with reached(DataFolder(data)) as bot:
            if bot is not None:
                told = await bot.call("status", {}, deadline=DEADLINE)
                return replace(from_plain(Status, told), data=str(data))
    except (NightlampError, ValueError) as error:
        _log.warning("What the running bot says of itself is left out: %s", error)
    return await status_of(settings, data)


async def status_of(settings: Settings, data: Path, lagging: Lagging | None = None) -> Status:
    """Gather the state of a data folder, which need not exist yet.

    `lagging` is the indexer's own where it is open: it knows what could not be written down.

    Raises:
        SettingsError: the calibration's file cannot be read.
    """
    folder = DataFolder(data)
    behind = await asyncio.to_thread((lagging or Lagging(folder.lagging)).read)
    build = await asyncio.to_thread(live_build, folder)
    calibration = await asyncio.to_thread(
        calibration_for, build.fingerprint if build else "", folder.calibration
    )
    return Status(
        data=str(data),
        build=build,
        vectors=await vectors_at(settings.qdrant),
        model=settings.embedding.model,
        gate=gate_of(settings, build),
        calibration=calibration.source,
        fitted=calibration.fitted,
        journal=await _counts(folder.journal),
        holder=await holder_of(folder),
        written=await writer_status(settings.llm, folder.journal),
        digests=await digest_states_at(settings, folder.journal),
        unfinished=behind.update,
        lagging=behind.sources,
        reranker="" if settings.retrieval.reranker == NO_RERANKER else settings.retrieval.reranker,
    )


def live_build(folder: DataFolder) -> BuildInfo | None:
    """Return what the pointer names, None where that cannot be read. Blocks."""
    current = BuildFolders(folder.index).current()
    try:
        return current.read()[0] if current else None
    except IndexUnavailable:
        return None


def gate_of(settings: Settings, build: BuildInfo | None) -> Gate:
    """Return whether the dense half counts: not switched off, nor untrusted on too few pages."""
    if settings.retrieval.search == "keyword":
        return Gate(dense=False, reason="dense search is switched off")
    few = build is None or build.documents < settings.retrieval.dense_min_documents
    if settings.embedding.model == HASHING and few:
        return Gate(dense=False, reason="untrusted model on a small corpus")
    return Gate(dense=True)


async def holder_of(folder: DataFolder) -> str:
    """Return who holds the folder's lock, or why that cannot be told, as a sentence."""
    if not folder.root.exists():
        return NOBODY
    try:
        await folder.hold(SystemClock())
    except DataFolderBusy:
        return await asyncio.to_thread(folder.holder)
    except DataFolderBroken as error:
        return str(error)
    folder.release()
    return NOBODY


async def _counts(path: Path) -> Mapping[str, int] | None:
    if not await asyncio.to_thread(path.exists):
        return {}
    try:
        async with open_journal(path) as journal:
            return await journal.counts()
    except JournalUnavailable:
        return None
