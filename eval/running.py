"""What the commands share: where they work, their progress, and what Ctrl-C leaves behind."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import typer
from rich.console import Console

from eval.place import Place
from eval.progress import Bars
from eval.run import Told

INTERRUPTED: Final = 130
"""The exit code of a program that Ctrl-C ended, as shells have it."""

_Value = TypeVar("_Value")


def place_of(context: typer.Context) -> Place:
    """Return what was said before the command."""
    place: Place = context.obj
    return place


def finished(work: Callable[[Told], Coroutine[Any, Any, _Value]], kept: str) -> _Value:
    """Return what the work gives, its progress shown.

    Raises:
        typer.Exit: it was interrupted; `kept`, a sentence, was said of what is left of it.
    """
    bars = Bars()
    with interruptible(lambda: kept), bars.bars:
        return asyncio.run(work(bars))


def printed(show: Callable[[Console], None], write: Callable[[], None]) -> None:
    """Print what was found, then write it: hours of work are not lost where either fails."""
    try:
        show(Console())
    finally:
        write()


@contextmanager
def interruptible(kept: Callable[[], str]) -> Iterator[None]:
    """Say that the block was interrupted and what is kept, asked for then; empty says nothing more.

    Raises:
        typer.Exit: it was interrupted.
    """
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(" ".join(filter(None, ("Interrupted.", kept()))), err=True)
        raise typer.Exit(INTERRUPTED) from None
