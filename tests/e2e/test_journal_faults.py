"""A journal that really fails under the bot: people read that it was not saved, nothing is lost."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from bots.app import App
from bots.card import ButtonKind, GapAction, Tone
from core.models import Vote
from feedback.journal import SqliteJournal
from tests.e2e import slack_payloads as payloads
from tests.e2e.discord_driver import EMOJI, open_discord
from tests.e2e.discord_gaps import open_discord_gaps
from tests.e2e.scenarios import UNKNOWN
from tests.e2e.slack_driver import CHANNELS, USERS, open_slack
from tests.e2e.world import ANN, BEN, OPS, World

PRAGMAS = {
    "read-only": ("query_only = 1", "query_only = 0"),
    "full": ("max_page_count = 1", "max_page_count = 1000000"),
    "locked": ("busy_timeout = 20", "busy_timeout = 5000"),
}


def journal_of(app: App) -> SqliteJournal:
    assert isinstance(app.journal, SqliteJournal)
    return app.journal


@asynccontextmanager
async def failing(app: App, fault: str) -> AsyncIterator[None]:
    """Let the journal's own connection fail for a while."""
    journal = journal_of(app)
    begin, end = PRAGMAS[fault]

    async def pragma(text: str) -> None:
        await journal._run(lambda db: db.execute(f"pragma {text}").fetchall())

    # A full disk shows once a page is wanted that is not there yet.
    await journal._run(lambda db: db.execute("vacuum"))
    other = sqlite3.connect(app.library.folder.journal, isolation_level=None)
    await pragma(begin)
    if fault == "locked":
        other.execute("begin immediate")
    yield
    other.close()
    await pragma(end)


async def unsaved(app: App, fault: str, attempt: Callable[[], Awaitable[str]]) -> str:
    """Try until something is not saved: what is small may find room in the last pages."""
    async with failing(app, fault):
        for _ in range(60):
            if "not" in (said := await attempt()):
                return said
    return ""


@pytest.mark.parametrize("fault", PRAGMAS)
async def test_on_discord_a_question_is_to_be_sent_again_and_then_answered(
    folder: Path, indexed_world: World, fault: str
) -> None:
    async with open_discord(World.at(folder, like=indexed_world)) as chat:
        before = await chat.ask(ANN, "disk full")
        await chat.react(ANN, before, Vote.UP)
        room = chat.rooms[OPS.name]

        async def ask() -> str:
            return chat.said(await chat.actor(ANN).slash(room, "query", text="x" * 3000), ANN).all

        told = await unsaved(chat.app, fault, ask)
        assert "could not be saved and was not searched for. Please send it again." in told
        assert await chat.votes(before) == {ANN: Vote.UP}
        assert (await chat.ask(ANN, "pod keeps crashing")).exchange_id


async def test_on_discord_whose_button_form_or_command_is_not_saved_reads_that(
    folder: Path, indexed_world: World
) -> None:
    async with open_discord_gaps(World.at(folder, like=indexed_world)) as chat:
        private = await chat.ask(ANN, "disk full", private=True)
        refused = await chat.ask(ANN, UNKNOWN)
        chat.world.clock.advance(timedelta(hours=1))
        digest = await chat.digest()
        async with failing(chat.app, "read-only"):
            told = [
                await chat.press(ANN, private, ButtonKind.UP),
                await chat.press(ANN, refused, ButtonKind.LOG_GAP),
                await chat.press(ANN, refused, ButtonKind.ASK_HUMAN),
                await chat.press(ANN, private, ButtonKind.TELL_WHY, kind="other", text="why"),
                await chat.decide(ANN, digest, digest.gaps[0], GapAction.OWN),
                (await chat.command(ANN, "notices", "off")).shown,
                (await chat.command(ANN, "forget-me", "sure")).shown,
            ]
        for shown in told:
            assert shown is not None
            assert (shown.tone, shown.only_for) == (Tone.ERROR, ANN)
            assert "That could not be saved. Please try again." in shown.text
        assert chat.calls() == 0
        assert (await chat.counts())["logged_gaps"] == 0


async def test_on_discord_whose_thumb_is_not_saved_is_told_directly_and_once(
    folder: Path, indexed_world: World
) -> None:
    async with open_discord(World.at(folder, like=indexed_world)) as chat:
        shown = await chat.ask(ANN, "disk full")
        talk = await chat.actor(BEN).send(chat.rooms[OPS.name], "lunch?")
        letters = chat.actor(ANN).user.dm_channel
        async with failing(chat.app, "read-only"):
            await chat.react(ANN, shown, Vote.UP)
            await chat.react(ANN, shown, Vote.DOWN)
            await chat.actor(BEN).react(talk, EMOJI[Vote.UP])
            await chat.env.settle()
        [told] = letters.history()
        assert told.embeds[0].title == "Your thumb was not saved"
        assert chat.actor(BEN).user.dm_channel.history() == []
        await chat.unreact(ANN, shown, Vote.UP)
        await chat.react(ANN, shown, Vote.UP)
        assert await chat.votes(shown) == {ANN: Vote.UP}


@pytest.mark.parametrize("fault", PRAGMAS)
async def test_on_slack_a_command_is_to_be_tried_again_and_then_answered(
    folder: Path, indexed_world: World, fault: str
) -> None:
    async with open_slack(World.at(folder, like=indexed_world)) as chat:
        before = await chat.ask(ANN, "disk full")
        await chat.react(ANN, before, Vote.UP)

        async def ask() -> str:
            url = chat.slack.response_url(USERS[ANN], CHANNELS[OPS])
            body = payloads.command(
                "/query", "x" * 3000, USERS[ANN], CHANNELS[OPS], url=url, trigger="t"
            )
            answer = await chat.slack.hand_over("slash_commands", body)
            await chat.channel.tasks.idle()
            return str(answer.get("payload", ""))

        told = await unsaved(chat.app, fault, ask)
        assert "This was not saved. Please try again." in told
        assert await chat.votes(before) == {ANN: Vote.UP}
        assert (await chat.ask(ANN, "pod keeps crashing")).exchange_id
