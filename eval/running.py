"""What the commands share: where they work, their progress, and what Ctrl-C leaves behind."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

import typer
from rich.console import Console

from eval.place import Place
from eval.progress import Bars
from eval.results import ResultError
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


def printed(show: Callable[[Console], None], write: Callable[[], None] = lambda: None) -> None:
    """Print what was found, then write it: hours of work are not lost where either fails.

    Raises:
        ResultError: it cannot be printed; that nobody reads it any more (`| head`) is no error.
    """
    try:
        show(_Output())
    except UnicodeEncodeError as error:
        raise ResultError(
            f"What was found cannot be printed: it has letters that {error.encoding} lacks. "
            "Set PYTHONIOENCODING=utf-8."
        ) from None
    except OSError as error:
        _give_up_output()
        reason = error.strerror or type(error).__name__
        raise ResultError(f"What was found cannot be printed: {reason}.") from None
    finally:
        write()


class _Output(Console):
    """Standard output; where its reader leaves, what is still to be done goes on in silence."""

    def on_broken_pipe(self) -> None:
        """Print nothing more; rich would end the program with 1."""
        self.quiet = True
        _give_up_output()


def _give_up_output() -> None:
    """Let what is still buffered go nowhere: the interpreter flushes it once more at its end."""
    with suppress(OSError):  # it is no file of the system: nothing is flushed to one
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
