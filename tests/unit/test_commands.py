"""The table of commands: how each is typed where."""

import pytest

from bots.commands import COMMANDS, ArgumentKind, Who, usage
from core.models import Platform

BY_NAME = {command.name: command for command in COMMANDS}


@pytest.mark.parametrize(
    ("name", "platform", "typed"),
    [
        ("query", Platform.DISCORD, "/query text [service] [type] [private]"),
        ("query", Platform.SLACK, "/query text [service:NAME] [type:NAME] [--private]"),
        ("query", Platform.TERMINAL, "nightlamp ask QUESTION"),
        ("runbooks", Platform.DISCORD, "/runbooks [service]"),
        ("runbooks", Platform.SLACK, "/nightlamp runbooks [service:NAME]"),
        ("runbooks", Platform.TERMINAL, ""),
        ("reindex", Platform.SLACK, "/nightlamp reindex [full]"),
        ("reindex", Platform.TERMINAL, "nightlamp index"),
    ],
)
def test_a_command_is_typed_as_its_platform_wants(
    name: str, platform: Platform, typed: str
) -> None:
    assert usage(BY_NAME[name], platform) == typed


def test_only_reindexing_is_for_admins() -> None:
    assert [command.name for command in COMMANDS if command.who is Who.ADMIN] == ["reindex"]


def test_names_are_distinct_and_fit_both_platforms() -> None:
    names = [command.name for command in COMMANDS]
    assert len(set(names)) == len(names)
    assert all(name.isascii() and name.islower() and len(name) <= 32 for name in names)


def test_what_must_be_said_comes_first() -> None:
    for command in COMMANDS:
        required = [argument.required for argument in command.arguments]
        assert required == sorted(required, reverse=True)


def test_free_text_is_the_first_argument_of_a_command_that_takes_it() -> None:
    for command in COMMANDS:
        kinds = [argument.kind for argument in command.arguments]
        assert ArgumentKind.TEXT not in kinds[1:]
