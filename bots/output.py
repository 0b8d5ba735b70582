"""What the program prints: results on standard output, everything else on standard error."""

import io
import json
import logging
import os
import sys
from collections.abc import Mapping
from typing import Any

import typer

from bots.harmless import harmless
from core.errors import NightlampError

OURS = ("bots", "core", "corpus", "eval", "feedback")


def prepare_streams() -> None:
    """Let no character that a stream's encoding lacks end the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class LogLines(logging.Formatter):
    """Lines of the log, in which what others wrote commands no terminal and forges no line.

    Names of files and what was typed come into it with errors; whatever follows a line end is
    indented. A library's error may hold an address with a password, or a header: secrets are
    replaced as those of runbooks are.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as it is written."""
        from core.redaction import redact  # takes its time to load

        first, *rest = harmless(redact(super().format(record))[0]).split("\n")
        return "\n".join((first, *(f"  {line}" for line in rest)))


def log_at(level: str) -> None:
    """Log to standard error: ours from this level on, libraries from warnings on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    for name in OURS:
        logging.getLogger(name).setLevel(level.upper())


def say(text: str) -> None:
    """Print a result; where nobody reads it any more (`| head`) the program ends quietly.

    Raises:
        Exit: of typer, with code 0: the reader left.
        NightlampError: standard output cannot be written.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_output()
        raise typer.Exit(0) from None
    except OSError as error:
        _give_up_output()
        reason = error.strerror or type(error).__name__
        raise NightlampError(f"The answer cannot be printed: {reason}.") from None


def _give_up_output() -> None:
    """Let what is still buffered go nowhere: the interpreter flushes it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object; letters beyond ASCII stand as they are where the stream has them."""
    plain = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") != "utf8"
    say(json.dumps(value, ensure_ascii=plain, indent=2, default=str) + "\n")


def note(text: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(f"{harmless(text)}\n")
    sys.stderr.flush()
