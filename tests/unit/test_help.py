"""What `--help` prints: whole sentences at 80 columns, in a pipe as on a screen."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer import Typer
from typer.main import get_command
from typer.testing import CliRunner

from bots.cli import app as nightlamp
from eval.cli import app as evaluation

COLUMNS = 80


def paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from paths(below, (*path, name))


EVERY = [(app, path) for app in (nightlamp, evaluation) for path in paths(get_command(app))]


@pytest.mark.parametrize(
    ("app", "path"), EVERY, ids=[" ".join(path) or "whole" for _, path in EVERY]
)
def test_help_is_whole_at_80_columns(app: Typer, path: tuple[str, ...]) -> None:
    printed = CliRunner().invoke(
        app, [*path, "--help"], terminal_width=COLUMNS, env={"COLUMNS": str(COLUMNS)}
    )
    lines = printed.output.splitlines()
    assert printed.exit_code == 0
    assert [line for line in lines if len(line) > COLUMNS or line != line.rstrip()] == []
    assert [line for line in lines if line.endswith("...") and "[ARGS]" not in line] == []
    assert "list[" not in printed.output
    assert "int range" not in printed.output


@pytest.mark.parametrize(("app", "path"), EVERY)
def test_every_option_says_what_it_does(app: Typer, path: tuple[str, ...]) -> None:
    command: Any = get_command(app)
    for name in path:
        command = command.commands[name]
    assert command.help
    assert [one.name for one in command.params if not getattr(one, "help", "")] == []
