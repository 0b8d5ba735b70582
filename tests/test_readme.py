"""README.md and all other pages against what is there: commands, settings, links, examples."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from typer.main import get_command

from bots.cli import app as nightlamp
from bots.commands import COMMANDS
from core.settings import Settings, read_settings
from core.settings_lists import Group
from eval.cli import app as evaluation

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
WRITTEN = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (
        *sorted(ROOT.glob("*.md")),
        ROOT / "corpus" / "README.md",
        *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "report.md"),
    )
}
"""Every page that is written by hand, by its path."""
_FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(r"`(nightlamp|python -m eval) ([^`\n]+)`")
_CHAT = re.compile(r"`/(nightlamp )?([a-z][a-z-]*)")

FENCES = [
    (page, kind, body) for page, text in WRITTEN.items() for kind, body in _FENCE.findall(text)
]
LINES = [
    (page, line.strip())
    for page, kind, body in FENCES
    if kind == "bash"
    for line in body.splitlines()
]
PROGRAMS = {"nightlamp": get_command(nightlamp), "python -m eval": get_command(evaluation)}
CALLS = [
    *(
        (page, program, line.partition(f"{program} ")[2])
        for page, line in LINES
        for program in PROGRAMS
        if re.match(rf"(?:\.venv/bin/)?{re.escape(program)} ", line)
    ),
    *(
        (page, program, rest)
        for page, text in WRITTEN.items()
        for program, rest in _TYPED.findall(text)
    ),
]
"""Every call of a program: its page, the program, and what follows."""
OF_TESTS = {"NIGHTLAMP_REQUIRE_LLAMA"}
"""Variables that are no settings."""


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


def test_the_rows_stand_by_groups() -> None:
    rows = re.findall(r"^\| `NIGHTLAMP_([A-Z]+)\w*` \|", README, re.MULTILINE)
    groups = [group for group, _ in groupby(rows)]
    assert len(groups) == len(set(groups))


@pytest.mark.parametrize("page", [*WRITTEN, ".env.example"])
def test_every_setting_named_anywhere_exists(page: str) -> None:
    named = set(re.findall(r"NIGHTLAMP_[A-Z_]+[A-Z]", WRITTEN.get(page, EXAMPLE)))
    assert named - OF_TESTS <= set(variables(Settings))


def test_the_example_of_an_environment_has_every_setting_with_its_default(tmp_path: Path) -> None:
    assert sorted(re.findall(r"^#(NIGHTLAMP_\w+)=", EXAMPLE, re.MULTILINE)) == sorted(
        variables(Settings)
    )
    dotenv, config = tmp_path / ".env", tmp_path / "nightlamp.toml"
    text = re.sub(r"^#(?=NIGHTLAMP_)", "", EXAMPLE, flags=re.MULTILINE)
    dotenv.write_text(text, encoding="utf-8")
    config.touch()
    assert read_settings(config=config, dotenv=dotenv) == Settings()


@pytest.mark.parametrize(
    ("page", "line"), [(page, line) for page, line in LINES if line.startswith("make ")]
)
def test_every_make_target_exists(page: str, line: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    target = shlex.split(line)[1]
    assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE)


@pytest.mark.parametrize(("page", "program", "rest"), CALLS)
def test_every_call_of_a_program_is_one(page: str, program: str, rest: str) -> None:
    assert refused(PROGRAMS[program], shlex.split(rest)) == []


def test_there_is_no_other_kind_of_command() -> None:
    known = ("make ", "nightlamp ", ".venv/bin/nightlamp ", ".venv/bin/python -m eval ")
    assert [line for _, line in LINES if not line.startswith(known)] == []


@pytest.mark.parametrize("page", ["docs/discord.md", "docs/slack.md"])
def test_every_command_of_a_chat_is_one(page: str) -> None:
    known = {command.name for command in COMMANDS} | {"invite", "nightlamp"}
    assert {name for _, name in _CHAT.findall(WRITTEN[page])} - known - {"slack"} == set()


@pytest.mark.parametrize(
    ("page", "body"), [(page, body) for page, kind, body in FENCES if kind == "toml"]
)
def test_every_toml_example_is_read(page: str, body: str) -> None:
    Settings.model_validate(tomllib.loads(body))


@pytest.mark.parametrize("page", WRITTEN)
def test_every_local_link_leads_to_a_file(page: str) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", prose(page))
    assert [
        target for target in targets if not (ROOT / page).parent.joinpath(target).exists()
    ] == []


@pytest.mark.parametrize("page", WRITTEN)
def test_every_link_within_a_page_leads_to_a_heading(page: str) -> None:
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", prose(page))) <= slugs


def test_the_contents_name_every_chapter() -> None:
    chapters = re.findall(r"^## (.+)$", prose("README.md"), re.MULTILINE)
    contents = README.partition("\n## ")[0]
    assert re.findall(r"\[([^]]+)\]\(#", contents)[-len(chapters) :] == chapters


@pytest.mark.parametrize("page", WRITTEN)
def test_what_is_measured_again_stands_in_the_generated_figures_alone(page: str) -> None:
    by_hand = re.sub(r"<!-- figures:begin -->.*<!-- figures:end -->", "", WRITTEN[page], flags=re.S)
    items = re.split(r"\n(?=- |\n)", _FENCE.sub("", by_hand))
    about = [item for item in items if re.search(r"eval (bench|chat|report)|report\.md", item)]
    assert [item for item in about if re.search(r"\d ?(%|ms\b|MB\b)|0\.\d{3}", item)] == []


def prose(page: str) -> str:
    """Return a page without its fences and code spans, where a link is no link."""
    return re.sub(r"`[^`\n]+`(?!\])", "", _FENCE.sub("", WRITTEN[page]))


def refused(command: Any, arguments: list[str]) -> list[str]:
    """Return the words of a call that stand where there is no such command or option."""
    wrong = []
    known = {o for one in command.params for o in (*one.opts, *one.secondary_opts)} | {"--help"}
    for at, word in enumerate(arguments):
        below = getattr(command, "commands", {})
        if word in below:
            return wrong + refused(below[word], arguments[at + 1 :])
        if word.startswith("--"):
            wrong += [word] if word.partition("=")[0] not in known else []
    if getattr(command, "commands", {}) and command.no_args_is_help and not known & set(arguments):
        return [*wrong, " ".join(arguments)]
    return wrong
