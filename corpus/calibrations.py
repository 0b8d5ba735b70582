"""Which calibration an index is read with: a team's own, the shipped one, or a stand-in.

`calibration.json` in the data folder maps an index's fingerprint to its weights:

    {"<fingerprint>": {"weights": {"cos": 3.5, …}, "intercept": -5.6,
                       "cutoffs": {"weak": 0.38, "answer": 0.6}, "source": "…"}}
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from core.errors import SettingsError
from core.evidence import Calibration
from core.outcomes import Cutoffs
from core.points import FINGERPRINT_SEPARATOR, alike, comparable
from core.settings_groups import SplitterSettings
from corpus.build import model_of
from corpus.splitters import splitter_fingerprint

SHIPPED_MODEL: Final = "all-MiniLM-L6-v2:torch:fp32:53aa51172d142c89:256:'':''"
"""The model whose shipped weights are measured, by either backend, with the default splitter."""
SHIPPED: Final = Calibration(
    weights={"cos": 4.04, "gap20": 1.61, "dcover": 2.33, "agree": 0.51, "qlen": 1.06},
    intercept=-6.18,
    cutoffs=Cutoffs(weak=0.59, answer=0.85),
    source="156 questions over 455 public runbooks and postmortems, 2026-11-30, MiniLM fp32",
)
"""Logistic regression (L2, C = 10) of "the corpus has an answer" on the signals of retrieval."""
_SPLITTER: Final = "splitter "


def calibration_for(print_: str, file: Path) -> Calibration:
    """Return the calibration for an index's fingerprint; not `fitted` where it is a stand-in.

    Raises:
        SettingsError: the file is there and cannot be read.
    """
    own = _own(print_, file)
    if own is not None:
        return own
    measured = alike(model_of(print_), SHIPPED_MODEL) and _cut_as_usual(print_)
    return SHIPPED if measured else replace(SHIPPED, fitted=False)


def _cut_as_usual(print_: str) -> bool:
    """Return whether an index is cut by the default splitter, of whatever version.

    Another one finds pieces of other lengths, whose scores mean other things.
    """
    usual = splitter_fingerprint(SplitterSettings()).partition(" ")[2]
    cuts = [part for part in print_.split(FINGERPRINT_SEPARATOR) if part.startswith(_SPLITTER)]
    return [cut.removeprefix(_SPLITTER).partition(" ")[2] for cut in cuts] == [usual]


def _own(print_: str, file: Path) -> Calibration | None:
    try:
        all_ = json.loads(file.read_text(encoding="utf-8"))
        own = {comparable(name): stored for name, stored in all_.items()}
        stored = own.get(comparable(print_))
        return None if stored is None else _calibration(stored)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(
            f"{file} is no calibration: remove it, or run python -m eval calibrate."
        ) from error


def _calibration(stored: Mapping[str, Any]) -> Calibration:
    cutoffs = stored["cutoffs"]
    return Calibration(
        weights={str(name): float(weight) for name, weight in stored["weights"].items()},
        intercept=float(stored["intercept"]),
        cutoffs=Cutoffs(float(cutoffs["weak"]), float(cutoffs["answer"])),
        source=str(stored["source"]),
    )
