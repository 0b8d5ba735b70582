"""What is indexed and running, read beside a running `serve`: nothing here needs the lock."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.clock import SystemClock
from core.engines.build_folder import BuildFolders
from core.errors import DataFolderBroken, DataFolderBusy, IndexUnavailable, JournalUnavailable
from core.outcomes import Gate
from core.points import BuildInfo
from core.settings import Settings
from corpus.calibrations import calibration_for
from corpus.data_folder import DataFolder
from corpus.library import HASHING
from feedback.journal import open_journal

NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a data folder: its build, model, gate, calibration, journal and lock.

    `journal` has the rows by table, None where it cannot be read. `holder` says who has the lock.
    """

    data: str
    build: BuildInfo | None
    model: str
    gate: Gate
    calibration: str
    fitted: bool
    journal: Mapping[str, int] | None
    holder: str


async def status_of(settings: Settings, data: Path) -> Status:
    """Gather the state of a data folder, which need not exist yet.

    Raises:
        SettingsError: the calibration's file cannot be read.
    """
    folder = DataFolder(data)
    build = await asyncio.to_thread(live_build, folder)
    calibration = await asyncio.to_thread(
        calibration_for, build.fingerprint if build else "", folder.calibration
    )
    return Status(
        data=str(data),
        build=build,
        model=settings.embedding.model,
        gate=gate_of(settings, build),
        calibration=calibration.source,
        fitted=calibration.fitted,
        journal=await _counts(folder.journal),
        holder=await holder_of(folder),
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
    except (DataFolderBusy, DataFolderBroken) as error:
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
