"""Discord's commands are those of the table, word for word."""

from collections.abc import Iterator
from typing import Any

import pytest

from bots.commands import COMMANDS
from bots.discord_bot.bot import NightlampBot
from bots.discord_bot.guilds import is_admin
from core.settings import Settings
from core.settings_lists import AdminSettings, TenantSettings


def tree() -> Iterator[dict[str, Any]]:
    app = FakeApp()
    bot = NightlampBot(app)  # type: ignore[arg-type]
    return (command.to_dict(bot.tree) for command in bot.tree.get_commands())


class FakeApp:
    """As much of an app as a bot that never connects needs."""

    settings = Settings.model_validate({})
    clock = None
    service = None
    journal = None
    library = None


async def test_every_command_of_the_table_is_there_with_its_words() -> None:
    slash = [one for one in tree() if one["type"] == 1]
    assert [
        (
            one["name"],
            one["description"],
            [(opt["name"], opt["description"], opt["required"]) for opt in one["options"]],
        )
        for one in sorted(slash, key=lambda one: one["name"])
    ] == [
        (
            row.name,
            row.about,
            [(arg.name, arg.about, arg.required) for arg in row.arguments],
        )
        for row in sorted(COMMANDS, key=lambda row: row.name)
    ]


async def test_every_command_is_within_discords_limits_and_for_guilds_alone() -> None:
    for one in tree():
        assert one["contexts"] == [0]
        assert 1 <= len(one["name"]) <= 32
        assert len(one.get("description", "")) <= 100


async def test_the_menu_of_a_message_finds_a_runbook() -> None:
    assert [one["name"] for one in tree() if one["type"] == 3] == ["Find runbook"]


@pytest.mark.parametrize(
    ("user", "roles", "expected"),
    [("5", [], True), ("6", ["7"], True), ("6", ["8"], False), ("7", [], False)],
)
def test_an_admin_is_named_by_id_or_role(user: str, roles: list[str], expected: bool) -> None:
    admins = AdminSettings(discord_users=("5",), discord_roles=("7",))
    assert is_admin(TenantSettings(name="acme", admins=admins), user, roles) is expected
