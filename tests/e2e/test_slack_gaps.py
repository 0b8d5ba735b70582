"""Gaps on Slack: forms that stay open, files for one person, and a journal that is late."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from bots.card import ButtonKind, GapAction, Tone
from bots.slack_bot.bot import Patience
from core.service import Nightlamp
from feedback.journal import SqliteJournal
from tests.e2e import slack_payloads as payloads
from tests.e2e.chat import Shown
from tests.e2e.gap_scenarios import JAM, later
from tests.e2e.scenarios import UNKNOWN
from tests.e2e.slack_driver import CHANNELS, TEAMS, USERS, Standing
from tests.e2e.slack_gaps import SlackGaps, open_slack_gaps
from tests.e2e.slack_screen import decision
from tests.e2e.world import ANN, BEN, OPS, ROOT, World

NOT_SAVED = "This was not saved. Please try again."
SAVING = ("decide", "set_notices", "forget", "set_muted", "record_thumb", "record_reason")
SAVING += ("record_gap", "record_escalation", "resolve_escalation")


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[SlackGaps]:
    async with open_slack_gaps(World.at(folder, like=indexed_world)) as driver:
        yield driver


async def digest_of(chat: SlackGaps) -> tuple[Shown, str]:
    """Ask what no page answers, and return the digest that names it."""
    await chat.ask(ANN, JAM)
    later(chat)
    digest = await chat.digest()
    return digest, digest.gaps[0]


async def pressed(
    chat: SlackGaps, person: str, shown: Shown, action: Any, *, ephemeral: bool = False
) -> None:
    on = shown.handle
    assert isinstance(on, Standing)
    user, channel = USERS[person], CHANNELS[OPS]
    url, trigger = chat.slack.response_url(user, channel), chat.slack.trigger()
    body = payloads.pressed(
        action,
        on.messages[0],
        user,
        channel,
        url=url,
        trigger=trigger,
        ephemeral=ephemeral,
        team=TEAMS["acme"],
    )
    await chat.slack.hand_over("interactive", body)


def choice(shown: Shown, gap: str, action: GapAction) -> Any:
    on = shown.handle
    assert isinstance(on, Standing)
    return decision(on.messages, gap, action)


# --- forms ----------------------------------------------------------------------------------------


async def test_the_form_of_done_stays_open_until_it_names_a_section(chat: SlackGaps) -> None:
    digest, gap = await digest_of(chat)
    await pressed(chat, ROOT, digest, choice(digest, gap, GapAction.DONE))
    await chat.slack.until(lambda: chat.slack.views)
    [form] = chat.slack.views
    wrong = await chat.submit(ROOT, form, {"note": "nowhere.md"})
    assert wrong == {
        "response_action": "errors",
        "errors": {
            "note": "No runbook that can be seen here has this section: "
            "paste its link, or path#anchor."
        },
    }
    right = await chat.submit(ROOT, form, {"note": "disk-full.md#grow-the-volume"})
    assert right == {}
    assert [one.title for one in await chat.said_in()][-1] == f"{gap} is answered"


async def test_who_neither_owns_a_gap_nor_is_an_admin_reads_so_in_the_form(
    chat: SlackGaps,
) -> None:
    digest, gap = await digest_of(chat)
    refused = await chat.decide(BEN, digest, gap, GapAction.DONE, "disk-full.md")
    assert refused.text == f"Only its owner or an admin can say what answers {gap}."


async def test_what_is_decided_on_a_digest_is_said_below_it_and_calls_nobody_else(
    chat: SlackGaps,
) -> None:
    digest, gap = await digest_of(chat)
    await chat.decide(BEN, digest, gap, GapAction.OWN)
    said = (await chat.said_in())[-1]
    assert isinstance(said.handle, Standing)
    assert isinstance(digest.handle, Standing)
    assert said.handle.messages[0]["thread_ts"] == digest.handle.messages[0]["ts"]
    assert said.pings == (f"@{USERS[BEN]}",)


@pytest.mark.parametrize("action", [GapAction.OWN, GapAction.DONE])
async def test_what_is_decided_on_a_list_is_said_to_its_reader_alone(
    chat: SlackGaps, action: GapAction
) -> None:
    await digest_of(chat)
    before = len(chat.slack.messages[CHANNELS[OPS]])
    listed = (await chat.command(ROOT, "gaps")).shown
    said = await chat.decide(ROOT, listed, listed.gaps[0], action, "disk-full.md")
    assert (said.tone, said.only_for) == (Tone.INFO, ROOT)
    assert len(chat.slack.messages[CHANNELS[OPS]]) == before


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["im:write", "files:write"])
async def test_where_no_file_can_be_handed_over_its_asker_reads_so(
    chat: SlackGaps, scope: str
) -> None:
    chat.slack.scopes.discard(scope)
    handed = await chat.command(ANN, "my-data")
    assert (handed.shown.tone, handed.shown.only_for, handed.file) == (Tone.ERROR, ANN, None)
    assert "reference" in handed.shown.text


# --- a journal that is late -----------------------------------------------------------------------


class LateJournal:
    """A journal whose saving waits for `go`."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._journal = journal
        self.go = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._journal, name)
        return self._late(found) if name in SAVING else found

    def _late(self, save: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def later_on(*args: Any, **kwargs: Any) -> Any:
            await self.go.wait()
            return await save(*args, **kwargs)

        return later_on


@asynccontextmanager
async def late(chat: SlackGaps) -> AsyncIterator[LateJournal]:
    """Let the bot's journal be late for a while."""
    app, patience = chat.app, chat.patience
    await chat.stop_channel()
    journal = LateJournal(app.journal)
    held = cast(SqliteJournal, journal)
    service = Nightlamp(app.library.answerer, app.library.index, held, app.clock)
    chat.patience = Patience(saving=0.05, ending=0.0)
    await chat.start_channel(replace(app, journal=held, service=service))
    yield journal
    chat.patience = patience
    await chat.stop_channel()
    await chat.start_channel(app)


def notes(chat: SlackGaps) -> list[str]:
    """Return the titles of what was said to one person alone."""
    blocks = [one["blocks"][0] for one in chat.slack.ephemerals]
    return [block["text"]["text"] for block in blocks]


@pytest.mark.parametrize(
    ("typed", "then"),
    [
        ("gaps own {gap}", "{gap} has an owner"),
        ("gaps snooze {gap} 3d", "{gap} is snoozed until 2030-01-10"),
        ("gaps dismiss {gap}", "{gap} is no gap"),
        ("gaps reopen {gap}", "{gap} is open again"),
        ("gaps done {gap} disk-full.md", "{gap} is answered"),
        ("notices off", "I tell you nothing any more of what you asked before."),
        ("forget-me sure", "I knew nothing of you"),
        ("mute", "I keep quiet in this channel's threads."),
    ],
)
async def test_a_command_that_is_not_saved_in_time_says_so_and_later_what_came_of_it(
    chat: SlackGaps, typed: str, then: str
) -> None:
    _, gap = await digest_of(chat)
    async with late(chat) as journal:
        url = chat.slack.response_url(USERS[ROOT], CHANNELS[OPS])
        body = payloads.command(
            "/nightlamp",
            typed.format(gap=gap),
            USERS[ROOT],
            CHANNELS[OPS],
            url=url,
            trigger="t",
            team=TEAMS["acme"],
        )
        answer = await chat.slack.hand_over("slash_commands", body)
        assert answer["payload"] == {"response_type": "ephemeral", "text": NOT_SAVED}
        assert notes(chat) == []
        journal.go.set()
        await chat.channel.tasks.idle()
        assert notes(chat) == [then.format(gap=gap)]


async def test_a_decision_that_is_not_saved_in_time_says_so_and_later_that_it_is(
    chat: SlackGaps,
) -> None:
    digest, gap = await digest_of(chat)
    before = len(await chat.said_in())
    async with late(chat) as journal:
        await pressed(chat, BEN, digest, choice(digest, gap, GapAction.OWN))
        await chat.slack.until(lambda: chat.slack.ephemerals)
        assert "That could not be saved. Please try again." in str(chat.slack.ephemerals)
        journal.go.set()
        await chat.channel.tasks.idle()
        assert notes(chat)[1:] == [f"{gap} has an owner"]
        assert len(await chat.said_in()) == before + 1


async def test_forms_that_are_not_saved_in_time_stay_open_and_say_so(chat: SlackGaps) -> None:
    digest, gap = await digest_of(chat)
    await chat.ask(BEN, "disk full")
    asked = await chat.ask(BEN, UNKNOWN)
    await chat.press(ANN, asked, ButtonKind.ASK_HUMAN)
    await pressed(chat, ROOT, digest, choice(digest, gap, GapAction.DONE))
    for shown in await chat.said_in():
        for kind in {ButtonKind.TELL_WHY, ButtonKind.RESOLVE} & set(shown.buttons):
            name, value = f"nightlamp.{kind}", asked.exchange_id
            action = {"type": "button", "action_id": name, "value": value}
            await pressed(chat, ANN, shown, action)
    await chat.channel.tasks.idle()
    fields = {"note": "disk-full.md", "kind": "other", "text": "why"}
    assert {form["title"]["text"] for form in chat.slack.views} == {
        f"{gap} is answered",
        "Tell us why",
        "Resolved",
    }
    async with late(chat) as journal:
        for form in chat.slack.views:
            sent = payloads.submitted(form, values_of(form, fields), USERS[ROOT])
            kept = (await chat.slack.hand_over("interactive", sent))["payload"]
            assert kept["response_action"] == "errors"
            assert list(kept["errors"].values()) == [NOT_SAVED]
        journal.go.set()


def values_of(form: Any, fields: dict[str, str]) -> dict[str, Any]:
    kinds = {block["block_id"]: block["element"]["type"] for block in form["blocks"]}
    return {
        name: {"selected_option": {"value": fields[name]}}
        if kind == "static_select"
        else {"value": fields[name]}
        for name, kind in kinds.items()
    }


async def test_a_human_who_is_called_too_late_is_called_all_the_same_and_once(
    chat: SlackGaps,
) -> None:
    shown = await chat.ask(ANN, UNKNOWN)
    async with late(chat) as journal:
        action = {
            "type": "button",
            "action_id": "nightlamp.ask_human",
            "value": shown.exchange_id,
        }
        await pressed(chat, ANN, shown, action)
        await chat.slack.until(lambda: chat.slack.ephemerals)
        assert chat.calls() == 0
        await pressed(chat, ANN, shown, action)
        journal.go.set()
        await chat.channel.tasks.idle()
        assert chat.calls() == 1
        assert {"A human was asked.", "A human was asked already."} <= set(notes(chat))
