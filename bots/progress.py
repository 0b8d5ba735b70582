"""How far an indexing run is, on standard error: a bar on a terminal, a few lines otherwise."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from bots.harmless import harmless
from core.reports import IndexProgress

_PHASES = {
    "fetching": ("Fetching", "repositories"),
    "reading": ("Reading", "files"),
    "cutting": ("Cutting", "documents"),
    "embedding": ("Embedding", "passages"),
    "storing": ("Storing", "passages"),
}
_SLOW = "embedding"
_STEP = 0.25
_MANY = 200
"""From so many on, a phase is worth telling how far it is."""

Told = Callable[[IndexProgress], None]


@contextmanager
def shown_on(stream: TextIO) -> Iterator[Told]:
    """Yield what an indexing run is to call with its progress."""
    if stream.isatty():
        with _bars(stream) as told:
            yield told
    else:
        yield _Lines(stream).told


@contextmanager
def _bars(stream: TextIO) -> Iterator[Told]:
    from rich.console import Console  # a pipe has no use for it, and it takes its time to load
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<20}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(file=stream), transient=True) as progress:
        tasks = {}

        def told(at: IndexProgress) -> None:
            name = at.phase, at.what
            if name not in tasks:
                tasks[name] = progress.add_task(escape(_said(at)), total=at.total)
            progress.update(tasks[name], completed=at.done, total=at.total)

        yield told


class _Lines:
    """Says when a phase or a fetch begins, and of the slow one how far it is, in quarters."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._phase = ""
        self._next = _STEP

    def told(self, at: IndexProgress) -> None:
        verb, noun = _words(at.phase)
        if at.what:
            self._about(at)
        elif at.phase != self._phase:
            self._phase, self._next = at.phase, _STEP
            self._print(f"{verb} {at.total:,} {noun if at.total != 1 else noun[:-1]}")
        elif at.phase == _SLOW and at.total >= _MANY and at.done >= self._next * at.total:
            self._print(f"  {at.done:,} of {at.total:,}")
            self._next = at.done / at.total + _STEP

    def _about(self, at: IndexProgress) -> None:
        """Say of each thing that it is begun: others may have been begun before it is done."""
        if not at.done:
            self._print(f"{_said(at)} …")

    def _print(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


def _said(at: IndexProgress) -> str:
    """Return what is going on, and with what: a name commands no terminal."""
    verb, noun = _words(at.phase)
    return f"{verb} {harmless(at.what)}" if at.what else f"{verb} {noun}"


def _words(phase: str) -> tuple[str, str]:
    return _PHASES.get(phase, (phase.capitalize(), "steps"))
