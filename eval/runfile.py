"""The run file: one JSON object a question, in the order asked, from which every figure follows.

`{"id", "outcome": "answer"|"weak"|"refusal", "distance", "confidence", "ms", "results": […]}`, the
results in the shape of `ask --json`, up to ten whatever the outcome. A line with `"error"` is a
question that got no outcome: it counts as failed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from core.answering import Answered
from core.errors import NightlampError, UsageError
from core.models import Span
from core.ports import Linker
from core.results_json import answered_json
from eval.results import real_place, write_text

RESULTS = 10


class RunFileError(NightlampError):
    """A run file cannot be written."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one result showed: sections of one document by their spans, best first.

    `chars` is the length of the text that a reader sees.
    """

    source: str
    path: str
    anchor: str
    parts: tuple[Span, ...]
    chars: int


@dataclass(frozen=True, slots=True)
class RunLine:
    """How one question went; `error` is empty unless it got no outcome."""

    id: str
    outcome: str
    distance: float | None
    confidence: float
    ms: float
    results: tuple[Shown, ...]
    error: str = ""


def answered_line(
    id_: str, question: str, answered: Answered, ms: float, link: Linker
) -> dict[str, Any]:
    """Return a question's line as JSON; help shows no runbook, so that it stands as a refusal."""
    full = answered_json(question, answered, link)
    return {
        "id": id_,
        "outcome": "refusal" if full["outcome"] == "help" else full["outcome"],
        "distance": full["distance"],
        "confidence": full["confidence"],
        "ms": round(ms, 3),
        "results": full["results"][:RESULTS],
    }


def failed_line(id_: str, error: Exception, ms: float) -> dict[str, Any]:
    """Return the line of a question that got no outcome."""
    return {
        "id": id_,
        "outcome": "refusal",
        "distance": None,
        "confidence": 0.0,
        "ms": round(ms, 3),
        "results": [],
        "error": f"{type(error).__name__}: {error}",
    }


def line_from(raw: Mapping[str, Any]) -> RunLine:
    """Read a line back from its JSON object."""
    return RunLine(
        id=raw["id"],
        outcome=raw["outcome"],
        distance=raw["distance"],
        confidence=raw["confidence"],
        ms=raw["ms"],
        results=tuple(_shown(result) for result in raw["results"]),
        error=raw.get("error", ""),
    )


def _shown(raw: Mapping[str, Any]) -> Shown:
    return Shown(
        source=raw["source"],
        path=raw["path"],
        anchor=raw["parts"][0]["anchor"],
        parts=tuple(Span(part["start"], part["end"]) for part in raw["parts"]),
        chars=len(raw["text"]),
    )


class RunWriter:
    """Writes whole lines, each before the next question is asked."""

    def __init__(self, file: FileIO, path: Path) -> None:
        self.file = file
        self._path = path
        self.lines = 0
        self.whole = True

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line.

        Raises:
            RunFileError: the disk did not take all of it.
        """
        data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        self.whole = False
        try:
            written = self.file.write(data)
        except OSError as error:
            raise RunFileError(f"{self._path} cannot be written: {error.strerror}.") from None
        if written != len(data):
            raise RunFileError(f"{self._path} cannot be written: the disk is full.")
        self.whole = True
        self.lines += 1


@contextmanager
def run_file(path: Path) -> Iterator[RunWriter]:
    """Open a run file, which takes its name when it is left, however that happens.

    Until then it is `NAME.part`, and the run that had the name before is whole, with its summary.
    Its folder is made, and a link to it stays.
    An interrupted run keeps the questions that were finished; one that the disk did not take
    leaves nothing.

    Raises:
        UsageError: the path is no place for a file.
        RunFileError: it cannot be written.
    """
    place = real_place(path)
    part = place.with_name(f"{place.name}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        file = FileIO(part, "w")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
    writer = RunWriter(file, path)
    try:
        yield writer
    finally:
        try:
            file.close()
            if writer.lines and writer.whole:
                part.replace(place)
                Path(os.path.realpath(summary_path(path))).unlink(missing_ok=True)
        except OSError as error:
            raise RunFileError(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            with suppress(OSError):  # what failed is what is told
                part.unlink(missing_ok=True)


def summary_path(run: Path) -> Path:
    """Return where the figures of a run stand: `RUN.summary.json` beside `RUN.jsonl`."""
    return run.with_name(f"{run.stem}.summary.json")


def write_summary(run: Path, summary: Mapping[str, Any]) -> None:
    """Write a run's figures beside it, all of the file or nothing.

    Raises:
        ResultError: it cannot be written.
    """
    write_text(summary_path(run), json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
