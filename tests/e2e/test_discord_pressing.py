"""Buttons, forms and admins' commands on Discord."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import discord
import pytest

from bots.card import ButtonKind, Tone
from bots.discord_bot.controls import KIND, NOTE, RIGHT, TEXT, control_id
from core.models import Vote
from core.reports import IndexOptions
from tests.e2e.discord_driver import DiscordDriver, open_discord
from tests.e2e.scenarios import UNKNOWN
from tests.e2e.test_control_verbs import PatientEmbedder
from tests.e2e.world import ANN, BEN, OPS, World

ROOT = "root"


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[DiscordDriver]:
    async with open_discord(World.at(folder, like=indexed_world), answers="channel") as driver:
        yield driver


async def test_a_form_that_was_open_over_a_restart_is_still_taken(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    (message,) = await chat.standing(shown)
    why = control_id(ButtonKind.TELL_WHY, shown.exchange_id)
    form = await chat.actor(ANN).click(message, custom_id=why)
    await chat.restart()
    done = await chat.actor(ANN).submit_modal(form, {KIND: ["outdated"], TEXT: "moved"})
    assert (done.ephemeral, chat.said(done, ANN).tone) == (True, Tone.INFO)
    assert (await chat.counts())["reasons"] == 1


async def test_the_form_offers_the_sections_that_were_found(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    (message,) = await chat.standing(shown)
    why = control_id(ButtonKind.TELL_WHY, shown.exchange_id)
    form = await chat.actor(ANN).click(message, custom_id=why)
    assert form.modal is not None
    labels = [one["label"] for one in form.modal["components"]]
    menu = form.modal["components"][1]["component"]
    assert labels == [
        "It is",
        "The right section, if it is one",
        "In your words, or the right section",
    ]
    assert (menu["custom_id"], [one["label"] for one in menu["options"]]) == (
        RIGHT,
        [shown.title, *shown.picks],
    )


async def test_the_people_on_call_are_notified_once_and_nobody_else(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, UNKNOWN)
    await chat.press(ANN, shown, ButtonKind.ASK_HUMAN)
    call = chat.rooms[OPS.name].last_message
    assert call is not None
    assert [role.id for role in call.role_mentions] == [chat.oncall.id]
    sent = [one.json for one in chat.env.http_requests if one.path.endswith("/messages")]
    assert isinstance(sent[-1], dict)
    assert sent[-1]["allowed_mentions"] == {"parse": [], "roles": [chat.oncall.id]}
    assert call.embeds[0].description == UNKNOWN


async def test_what_was_asked_in_private_is_not_told_to_who_is_called(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, UNKNOWN, private=True)
    await chat.press(ANN, shown, ButtonKind.ASK_HUMAN)
    call = chat.rooms[OPS.name].last_message
    assert call is not None
    assert call.embeds[0].description == "It was asked in private."


async def test_the_second_who_resolves_is_told_that_it_was_done(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, UNKNOWN)
    await chat.press(ANN, shown, ButtonKind.ASK_HUMAN)
    call = chat.rooms[OPS.name].last_message
    assert call is not None
    button = control_id(ButtonKind.RESOLVE, shown.exchange_id)
    anns = await chat.actor(ANN).click(call, custom_id=button)
    bens = await chat.actor(BEN).click(call, custom_id=button)
    await chat.actor(BEN).submit_modal(bens, {NOTE: "flour, water"})
    second = chat.said(await chat.actor(ANN).submit_modal(anns, {NOTE: "me too"}), ANN)
    assert second.title == "This is resolved already."
    closed = chat.rooms[OPS.name].last_message
    assert closed is not None
    assert closed.content == f"Resolved by <@{chat.actor(BEN).id}>"
    assert (closed.embeds[0].description, closed.components) == ("flour, water", [])


async def test_an_admin_of_the_tenant_takes_any_answer_down(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    await chat.press(ROOT, shown, ButtonKind.DELETE)
    assert await chat.messages(OPS) == []


async def test_reindexing_reports_what_changed_to_the_admin_alone(chat: DiscordDriver) -> None:
    chat.world.write("acme/new.md", "# New page\n\nSomething new.\n")
    done = await chat.actor(ROOT).slash(chat.rooms[OPS.name], "reindex")
    shown = chat.said(done, ROOT)
    assert (shown.title, shown.only_for) == ("The index is up to date", ROOT)
    assert "acme/new.md" in shown.text


async def test_reindexing_is_for_admins(chat: DiscordDriver) -> None:
    done = await chat.actor(ANN).slash(chat.rooms[OPS.name], "reindex")
    assert (chat.said(done, ANN).title, done.ephemeral) == ("Only for admins", True)


async def test_reindexing_is_for_admins_whatever_the_guilds_permissions_say(
    chat: DiscordDriver,
) -> None:
    manager = chat.acme.create_role("boss", permissions=discord.Permissions.all())
    boss = chat.acme.add_member(chat.env.create_user("boss"), roles=[manager])
    done = await boss.slash(chat.rooms[OPS.name], "reindex")
    assert chat.said(done, "boss").title == "Only for admins"


async def test_help_and_status_are_said_to_who_asks(chat: DiscordDriver) -> None:
    room, ann = chat.rooms[OPS.name], chat.actor(ANN)
    told, status = await ann.slash(room, "help"), await ann.slash(room, "status")
    assert "/query text" in chat.said(told, ANN).text
    assert "documents" in chat.said(status, ANN).text
    assert (told.ephemeral, status.ephemeral) == (True, True)


@pytest.mark.slow
async def test_of_a_thousand_votes_in_a_burst_none_is_lost(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    (message,) = await chat.standing(shown)
    payload = {
        "channel_id": str(message.channel.id),
        "message_id": str(message.id),
        "guild_id": str(chat.acme.id),
        "emoji": {"id": None, "name": "👍"},
        "type": 0,
    }
    emoji = discord.PartialEmoji(name="👍")
    for voter in range(1, 1001):
        given: Any = payload | {"user_id": str(voter)}
        event = discord.RawReactionActionEvent(given, emoji, "REACTION_ADD")
        chat.env.bot.dispatch("raw_reaction_add", event)
    await chat.env.settle()
    assert len(await chat.app.journal.votes(shown.exchange_id)) == 1000


async def test_the_loop_never_stops_while_asking_voting_and_reindexing(
    chat: DiscordDriver,
) -> None:
    # A busy machine stops the loop as well; what our own code does, it does every time.
    stops: list[float] = []
    while min(stops, default=1.0) >= 0.25 and len(stops) < 20:
        stops.append(await stops_of_a_story(chat, len(stops)))
    assert min(stops) < 0.25


async def stops_of_a_story(chat: DiscordDriver, number: int) -> float:
    """Ask, vote and reindex; return the longest that the loop stood still, in seconds."""
    gaps = asyncio.create_task(longest_gap())
    shown = await chat.ask(ANN, "disk full")
    await chat.react(ANN, shown, Vote.UP)
    chat.world.write("acme/new.md", f"# New page {number}\n\nSomething new.\n")
    await chat.actor(ROOT).slash(chat.rooms[OPS.name], "reindex", full=True)
    gaps.cancel()
    return await gaps


async def longest_gap() -> float:
    """Return the longest time that the loop took between two looks, when cancelled.

    What its thread waited for a processor is not counted, where the system tells it.
    """
    last, longest = time.monotonic() - kept_waiting(), 0.0
    while True:
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            return longest
        now = time.monotonic() - kept_waiting()
        last, longest = now, max(longest, now - last)


def kept_waiting() -> float:
    """Return for how many seconds this thread could run and had no processor."""
    told = Path("/proc/thread-self/schedstat")
    return int(told.read_text().split()[1]) / 1e9 if told.exists() else 0.0


async def test_reindexing_is_refused_while_it_goes_on_and_since_when_is_said(
    folder: Path, indexed_world: World
) -> None:
    embedder = PatientEmbedder()
    world = replace(World.at(folder, like=indexed_world), make_embedder=lambda: embedder)
    async with open_discord(world, answers="channel") as chat:
        going_on = asyncio.create_task(chat.app.library.indexer.run(IndexOptions(rebuild=True)))
        await embedder.begun.wait()
        done = await chat.actor(ROOT).slash(chat.rooms[OPS.name], "reindex")
        embedder.go_on.set()
        await going_on
        shown = chat.said(done, ROOT)
    assert shown.title == "The runbooks are being read already"
    assert "Since 09:00 UTC, 0 s ago." in shown.text
