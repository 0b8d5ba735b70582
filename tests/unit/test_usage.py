"""What the command line says of an option in the wrong place, and of a value that is none."""

import pytest
from typer.testing import CliRunner

from bots.cli import app

WIDE = {"COLUMNS": "200"}


@pytest.mark.parametrize("command", [["ask", "disk full"], ["index"], ["gaps"], ["status"]])
def test_an_option_of_every_command_that_stands_after_one_is_shown_its_place(
    command: list[str],
) -> None:
    told = CliRunner().invoke(app, [*command, "--data", "there"], env=WIDE)
    assert told.exit_code == 2
    assert f"nightlamp --data … {command[0]} …" in told.output


def test_it_is_shown_its_place_below_a_command_of_several_too() -> None:
    told = CliRunner().invoke(app, ["gaps", "own", "G-7KQ2", "--corpus", "there"], env=WIDE)
    assert told.exit_code == 2
    assert "No such option: --corpus. It stands before the command" in told.output


def test_an_option_of_a_command_that_stands_before_it_is_shown_its_place() -> None:
    told = CliRunner().invoke(app, ["--visibility", "payments", "ask", "disk full"], env=WIDE)
    assert told.exit_code == 2
    assert "It stands after the command: nightlamp ask --visibility …" in told.output


@pytest.mark.parametrize("args", [["--zebra", "ask", "x"], ["ask", "x", "--zebra"]])
def test_an_option_that_no_command_has_is_said_to_be_none(args: list[str]) -> None:
    told = CliRunner().invoke(app, args, env=WIDE)
    assert told.exit_code == 2
    assert "No such option: --zebra\n" in told.output


@pytest.mark.parametrize("args", [["gaps", "--kind", "bogus"], ["forget", "irc", "U1"]])
def test_a_value_that_is_none_is_said_without_the_name_of_an_exception(args: list[str]) -> None:
    told = CliRunner().invoke(app, args, env=WIDE)
    assert told.exit_code == 2
    assert f"'{args[-1] if args[0] == 'gaps' else args[1]}' is not one of" in told.output
    assert "Value error" not in told.output
