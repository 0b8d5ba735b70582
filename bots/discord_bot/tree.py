"""The slash commands and the message menu, as the table of commands names them."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import discord
from discord import app_commands

from bots.commands import COMMANDS, Command
from bots.discord_bot.asking import Asking, Narrowed
from bots.discord_bot.delivery import FAILURES
from bots.discord_bot.events import whole_text
from bots.discord_bot.gapping import Gapping
from bots.discord_bot.looking import Looking
from bots.discord_bot.reindexing import Reindexing

log = logging.getLogger(__name__)

FIND_RUNBOOK = "Find runbook"
"""The message menu's command: the message's text, an alert or a log, is the question."""
_TABLE = {command.name: command for command in COMMANDS}

Suggesting = Callable[
    [discord.Interaction[Any], str], Coroutine[Any, Any, list[app_commands.Choice[str]]]
]
Callback = Callable[..., Coroutine[Any, Any, None]]


def add_commands(
    tree: app_commands.CommandTree[Any],
    asking: Asking,
    looking: Looking,
    reindexing: Reindexing,
    gapping: Gapping,
) -> None:
    """Put all commands into the tree; they are for guilds alone."""
    suggesting = {
        "query": {
            "text": looking.suggest_headings,
            "service": looking.suggest_services,
            "type": looking.suggest_types,
        },
        "runbooks": {"service": looking.suggest_services},
    }
    callbacks = _asking(asking, looking) | _looking(looking, reindexing) | _gapping(gapping)
    for name, callback in callbacks.items():
        tree.add_command(_command(_TABLE[name], callback, suggesting.get(name, {})))

    async def find(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await asking.by_command(interaction, whole_text(message), Narrowed())

    tree.add_command(
        app_commands.guild_only(app_commands.ContextMenu(name=FIND_RUNBOOK, callback=find))
    )


def _asking(asking: Asking, looking: Looking) -> dict[str, Callback]:
    async def query(
        interaction: discord.Interaction[Any],
        text: str,
        service: str = "",
        type: str = "",  # noqa: A002 - Discord shows the name
        private: bool = False,
    ) -> None:
        await asking.by_command(interaction, text, Narrowed(service, type, private))

    async def similar(interaction: discord.Interaction[Any], text: str) -> None:
        await looking.similar(interaction, text)

    return {"query": query, "similar": similar}


def _looking(looking: Looking, reindexing: Reindexing) -> dict[str, Callback]:
    async def runbooks(interaction: discord.Interaction[Any], service: str = "") -> None:
        await looking.runbooks(interaction, service)

    async def mute(interaction: discord.Interaction[Any], off: bool = False) -> None:
        await looking.mute(interaction, muted=not off)

    async def status(interaction: discord.Interaction[Any]) -> None:
        await looking.status(interaction)

    async def help_(interaction: discord.Interaction[Any]) -> None:
        await looking.help(interaction)

    async def reindex(interaction: discord.Interaction[Any], full: bool = False) -> None:
        await reindexing.run(interaction, full=full)

    return {
        "runbooks": runbooks,
        "mute": mute,
        "status": status,
        "help": help_,
        "reindex": reindex,
    }


def _gapping(gapping: Gapping) -> dict[str, Callback]:
    async def gaps(interaction: discord.Interaction[Any], what: str = "") -> None:
        await gapping.gaps(interaction, what)

    async def notices(interaction: discord.Interaction[Any], off: bool = False) -> None:
        await gapping.notices(interaction, wanted=not off)

    async def my_data(interaction: discord.Interaction[Any]) -> None:
        await gapping.my_data(interaction)

    async def forget_me(interaction: discord.Interaction[Any], sure: bool = False) -> None:
        await gapping.forget_me(interaction, sure=sure)

    return {"gaps": gaps, "notices": notices, "my-data": my_data, "forget-me": forget_me}


def _command(
    row: Command, callback: Callback, suggesting: Mapping[str, Suggesting]
) -> app_commands.Command[Any, ..., None]:
    """Return a command with its words from the table, and suggestions for its arguments."""
    app_commands.describe(**{one.name: one.about for one in row.arguments})(callback)
    command: app_commands.Command[Any, ..., None] = app_commands.Command(
        name=row.name, description=row.about, callback=callback
    )
    command.allowed_contexts = app_commands.AppCommandContext(guild=True)
    for argument in row.arguments:
        if argument.name in suggesting:
            command.autocomplete(argument.name)(suggesting[argument.name])
    return command


async def sync_if_changed(
    tree: app_commands.CommandTree[Any], kept: Path, application_id: int
) -> bool:
    """Tell Discord the commands if they are not those of the last time, by their hash in a file.

    Discord counts what is created each day. A failure leaves the commands as they were.
    """
    commands = [command.to_dict(tree) for command in tree.get_commands()]
    text = json.dumps([application_id, commands], sort_keys=True)
    hash_ = hashlib.sha256(text.encode()).hexdigest()
    if await asyncio.to_thread(_read, kept) == hash_:
        return False
    try:
        await tree.sync()
    except FAILURES:
        log.exception("the commands could not be told to Discord; those of before still stand")
        return False
    await asyncio.to_thread(kept.write_text, hash_, encoding="utf-8")
    return True


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
