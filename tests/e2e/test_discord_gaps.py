"""Gaps on Discord: buttons and forms that outlive a restart, and who sees what is said."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bots.card import ButtonKind, GapAction, Tone
from bots.discord_bot.controls import NOTE, control_id
from core.models import Vote
from tests.e2e.chat import Shown
from tests.e2e.discord_gaps import DiscordGaps, open_discord_gaps
from tests.e2e.gap_scenarios import JAM, later, write
from tests.e2e.scenarios import UNSURE
from tests.e2e.world import ANN, BEN, OPS, ROOT, World


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[DiscordGaps]:
    async with open_discord_gaps(World.at(folder, like=indexed_world)) as driver:
        yield driver


async def digest_of(chat: DiscordGaps, *questions: str) -> Shown:
    for text in questions:
        await chat.ask(ANN, text)
    later(chat)
    return await chat.digest()


async def test_one_gap_has_its_buttons_below_the_digest_and_several_a_menu(
    chat: DiscordGaps,
) -> None:
    alone = await digest_of(chat, JAM)
    message = chat.message_of(alone)
    ids = [item.custom_id for row in message.components for item in row.children]
    assert ids == [control_id(action, alone.gaps[0]) for action in GapAction]
    several = await digest_of(chat, UNSURE)
    assert len(several.gaps) == 2
    (menu,) = [item for row in chat.message_of(several).components for item in row.children]
    assert menu.custom_id == "nl:gap:menu"


async def test_a_digest_is_decided_on_after_a_restart(chat: DiscordGaps) -> None:
    digest = await digest_of(chat, JAM, UNSURE)
    await chat.restart()
    owned = await chat.decide(BEN, digest, digest.gaps[1], GapAction.OWN)
    assert owned.title == f"{digest.gaps[1]} has an owner"


async def test_a_form_of_done_that_was_open_over_a_restart_is_still_taken(
    chat: DiscordGaps,
) -> None:
    digest = await digest_of(chat, JAM)
    [gap] = digest.gaps
    button = control_id(GapAction.DONE, gap)
    form = await chat.actor(ROOT).click(chat.message_of(digest), custom_id=button)
    await chat.restart()
    done = await chat.actor(ROOT).submit_modal(form, {NOTE: "disk-full.md#grow-the-volume"})
    assert chat.said(done, ROOT).title == f"{gap} is answered"


async def test_a_decision_is_said_to_all_and_notifies_nobody(chat: DiscordGaps) -> None:
    digest = await digest_of(chat, JAM)
    await chat.decide(BEN, digest, digest.gaps[0], GapAction.OWN)
    said = chat.rooms[OPS.name].history(viewer=chat.actor(ANN))[-1]
    assert said.embeds[0].title == f"{digest.gaps[0]} has an owner"
    assert said.content == f"by {chat.actor(BEN).mention}"
    sent = [one.json for one in chat.env.http_requests if "by <@" in str(one.json)]
    assert [one["allowed_mentions"]["parse"] for one in sent] == [[]]


async def test_a_file_is_seen_by_its_asker_alone(chat: DiscordGaps) -> None:
    handed = await chat.command(ANN, "my-data")
    assert handed.file is not None
    room = chat.rooms[OPS.name]
    assert any(one.attachments for one in room.history(viewer=chat.actor(ANN)))
    assert not any(one.attachments for one in room.history(viewer=chat.actor(BEN)))


async def test_what_was_told_by_direct_message_takes_thumbs_by_reaction_and_button(
    chat: DiscordGaps,
) -> None:
    await chat.ask(ANN, JAM, private=True)
    await write(chat)
    await chat.settle()
    letters = chat.actor(ANN).user.dm_channel
    [told] = await chat.told(ANN)
    [message] = letters.history()
    await chat.actor(ANN).user.set_reaction(message, "\N{THUMBS UP SIGN}", reacted=True)
    assert await chat.votes(told) == {ANN: Vote.UP}
    later(chat)
    button = control_id(ButtonKind.DOWN, told.exchange_id)
    done = await chat.actor(ANN).user.click(message, custom_id=button)
    assert chat.said(done, ANN).tone is Tone.INFO
    assert await chat.votes(told) == {ANN: Vote.DOWN}
