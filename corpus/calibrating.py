"""After a build: which calibration its outcomes are decided by, fitted if there is none for it."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from core.engines.durable import write_durably
from core.errors import NightlampError, SettingsError
from core.evidence import Calibration
from core.points import comparable
from core.ports import SearchableIndex
from core.retrieval import Retriever
from corpus.calibrations import calibration_for

Search = Callable[[SearchableIndex], Retriever]
"""Puts the search of the settings over an index: the live one, or a build before it is."""

Fit = Callable[[SearchableIndex], Awaitable[Calibration | None]]
"""Fits a calibration for an index from what is in it; None where that says too little."""

_log = logging.getLogger(__name__)


class BuildCalibrator:
    """Puts the calibration of a new build to use, fitted first where none is known for its kind."""

    def __init__(self, file: Path, fit: Fit | None, use: Callable[[Calibration], None]) -> None:
        self._file = file
        self._fit = fit
        self._use = use

    async def calibrate(self, index: SearchableIndex) -> None:
        """Choose or fit, write and use a calibration; a failure leaves the stand-in in use."""
        if index.info is None:
            return
        try:
            self._use(await self._chosen(index, index.info.fingerprint))
        except NightlampError:
            _log.warning("no calibration was fitted for build %s", index.info.id, exc_info=True)

    async def _chosen(self, index: SearchableIndex, print_: str) -> Calibration:
        known = await asyncio.to_thread(calibration_for, print_, self._file)
        if known.fitted or self._fit is None:
            return known
        fitted = await self._fit(index)
        if fitted is None:
            return known
        await asyncio.to_thread(write_calibration, self._file, print_, fitted)
        return fitted


def write_calibration(file: Path, print_: str, calibration: Calibration) -> None:
    """Write a fingerprint's calibration to the data folder, those of others kept. Blocks.

    Raises:
        SettingsError: the file is there and cannot be read.
        DataFolderBroken: the disk is full or not writable.
    """
    stored = _stored(file)
    stored[comparable(print_)] = {
        "weights": dict(calibration.weights),
        "intercept": calibration.intercept,
        "cutoffs": {"weak": calibration.cutoffs.weak, "answer": calibration.cutoffs.answer},
        "source": calibration.source,
    }
    text = json.dumps(stored, indent=2, ensure_ascii=False) + "\n"
    write_durably(file, text.encode())


def _stored(file: Path) -> dict[str, Mapping[str, Any]]:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} is no calibration: remove it, and calibrate again.") from error
    if not isinstance(stored, dict):
        raise SettingsError(f"{file} is no calibration: remove it, and calibrate again.")
    return stored
