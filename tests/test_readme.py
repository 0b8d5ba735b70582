"""README.md against what is there: every command, every setting, every link."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from typer.main import get_command

from bots.cli import app as nightlamp
from core.settings import Settings
from core.settings_lists import Group
from eval.cli import app as evaluation

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, body in FENCES if kind == "bash" for line in body.splitlines()]


def variables(model: type[BaseModel], prefix: str = "NIGHTLAMP") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Group):
            yield from variables(kind, f"{prefix}_{name.upper()}")
        elif name not in {"sources", "tenants", "channels"}:
            yield f"{prefix}_{name.upper()}"


def test_every_setting_has_its_row_and_every_row_its_setting() -> None:
    rows = re.findall(r"^\| `(NIGHTLAMP_\w+)` \|", README, re.MULTILINE)
    assert sorted(rows) == sorted(variables(Settings))


def test_every_setting_named_anywhere_exists() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = set(re.findall(r"NIGHTLAMP_[A-Z_]+[A-Z]", README + example))
    assert named <= set(variables(Settings))


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("make ")])
def test_every_make_target_exists(line: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    target = shlex.split(line)[1]
    assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("line", [line for line in COMMANDS if "/nightlamp " in line])
def test_every_nightlamp_command_is_one(line: str) -> None:
    accepted(get_command(nightlamp), shlex.split(line)[1:])


@pytest.mark.parametrize("line", [line for line in COMMANDS if "-m eval " in line])
def test_every_evaluation_command_is_one(line: str) -> None:
    accepted(get_command(evaluation), shlex.split(line)[3:])


def test_there_is_no_other_kind_of_command() -> None:
    known = ("make ", ".venv/bin/nightlamp ", ".venv/bin/python -m eval ")
    assert [line for line in COMMANDS if not line.startswith(known)] == []


def test_every_toml_example_is_read() -> None:
    for kind, body in FENCES:
        if kind == "toml":
            Settings.model_validate(tomllib.loads(body))


def test_every_local_link_leads_to_a_file() -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert [target for target in targets if not (ROOT / target).exists()] == []


def accepted(command: Any, arguments: list[str]) -> None:
    """Look every option of a command line up where it stands: before the command, or after it."""
    name = next(argument for argument in arguments if argument in command.commands)
    at = arguments.index(name)
    for part, owner in ((arguments[:at], command), (arguments[at:], command.commands[name])):
        known = {o for p in owner.params for o in (*p.opts, *p.secondary_opts)}
        assert {argument for argument in part if argument.startswith("--")} <= known
