"""The way of a gap, written once for every platform: from a refusal to a page, and to its askers.

`SCENARIOS` has all stories; a platform runs them through its own `GapDriver`.
"""

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta

from bots.card import ButtonKind, GapAction, Tone
from core.models import Vote
from tests.e2e.chat import Shown
from tests.e2e.gap_chat import GapDriver
from tests.e2e.world import ANN, BEN, OPS, PAYMENTS, PLANT, ROOT, Place

JAM = "printer paper jam"
PRINTER = "# Printer paper jam\n\n## Open the tray\n\nOpen the printer tray and pull the paper.\n"
LINK = "https://acme.example/printer.md"
SECRET = "launch codes of the printer paper jam"  # noqa: S105 - what somebody asks in private

Play = Callable[[GapDriver], Awaitable[None]]

SCENARIOS: list[Play] = []


def scenario(play: Play) -> Play:
    """Add a story."""
    SCENARIOS.append(play)
    return play


# --- the whole story ------------------------------------------------------------------------------


@scenario
async def a_refused_question_becomes_a_page_and_its_askers_are_told_once(chat: GapDriver) -> None:
    ann = await chat.ask(ANN, JAM)
    ben = await chat.ask(BEN, "paper jam printer")
    assert (ann.tone, ben.tone) == (Tone.REFUSAL, Tone.REFUSAL)

    digest = await on_monday(chat)
    [gap] = digest.gaps
    assert digest.title == "1 gap in the runbooks"
    assert "asked twice by 2 people, new" in digest.text
    assert digest.pings == ()

    owned = await chat.decide(BEN, digest, gap, GapAction.OWN)
    assert (owned.title, owned.only_for) == (f"{gap} has an owner", BEN)
    assert [one.title for one in await chat.said_in()].count(owned.title) == 1

    await write(chat)
    await chat.settle()
    [told] = await chat.told(ANN, ann)
    assert (told.tone, told.title) == (Tone.ANSWER, "Your question has an answer now")
    assert f"You asked: {JAM}" in told.text
    assert any(link.startswith(LINK) for link in told.links)
    assert [len(await chat.told(BEN, one)) for one in (ann, ben)] == [0, 1]

    await chat.react(ANN, told, Vote.UP)
    assert await chat.votes(told) == {ANN: Vote.UP}

    await chat.restart()
    await chat.look()
    await chat.settle()
    assert [len(await chat.told(*one)) for one in ((ANN, ann), (BEN, ben))] == [1, 1]
    assert len(await digests(chat)) == 1
    assert await chat.told(ANN) == await chat.told(BEN) == []

    closed = await on_monday(chat)
    assert closed.title == "Gaps closed, and none open"
    assert "Answered since" in closed.text


@scenario
async def who_asked_in_private_is_told_in_private(chat: GapDriver) -> None:
    asked = await chat.ask(ANN, JAM, private=True)
    assert asked.tone is Tone.REFUSAL
    await write(chat)
    await chat.settle()
    [told] = await chat.told(ANN)
    assert any(link.startswith(LINK) for link in told.links)
    assert await chat.said_in() == []


@scenario
async def a_section_that_is_named_as_the_answer_closes_a_gap_and_its_askers_are_told(
    chat: GapDriver,
) -> None:
    asked = await chat.ask(ANN, JAM)
    digest = await on_monday(chat)
    [gap] = digest.gaps
    done = await chat.decide(ROOT, digest, gap, GapAction.DONE, "disk-full.md#grow-the-volume")
    assert (done.tone, done.title) == (Tone.INFO, f"{gap} is answered")
    assert "Disk full › Grow the volume" in done.text
    await chat.settle()
    [told] = await chat.told(ANN, asked)
    assert "Disk full › Grow the volume" in told.text


@scenario
async def an_answer_that_is_voted_down_opens_its_gap_again(chat: GapDriver) -> None:
    asked = await chat.ask(ANN, JAM)
    [gap] = (await on_monday(chat)).gaps
    await write(chat)
    await chat.settle()
    [told] = await chat.told(ANN, asked)
    assert (await chat.command(BEN, "gaps")).shown.gaps == ()
    later(chat)
    await chat.react(ANN, told, Vote.DOWN)
    await chat.settle()
    listed = (await chat.command(BEN, "gaps")).shown
    assert listed.gaps == (gap,)
    assert len(await chat.told(ANN, asked)) == 1


@scenario
async def a_thumb_by_button_on_what_somebody_was_told_counts(chat: GapDriver) -> None:
    asked = await chat.ask(ANN, JAM)
    await write(chat)
    await chat.settle()
    [told] = await chat.told(ANN, asked)
    assert {ButtonKind.UP, ButtonKind.DOWN} <= set(told.buttons)
    said = await chat.press(ANN, told, ButtonKind.DOWN)
    assert said is None or said.tone is Tone.INFO
    assert await chat.votes(told) == {ANN: Vote.DOWN}


# --- who reads what -------------------------------------------------------------------------------


@scenario
async def the_words_of_a_private_question_stand_in_no_digest_and_no_list(chat: GapDriver) -> None:
    await chat.ask(ANN, SECRET, private=True)
    digest = await on_monday(chat)
    listed = (await chat.command(BEN, "gaps")).shown
    for shown in (digest, listed):
        assert "launch codes" not in shown.all
        assert "1 gap was asked only in private or in narrower channels." in shown.text
        assert shown.gaps == ()
    await chat.ask(BEN, JAM)
    later(chat)
    [gap] = (await chat.digest()).gaps
    drafted = await chat.command(BEN, "gaps", f"draft {gap}")
    assert drafted.file is not None
    assert b"launch codes" not in drafted.file


@scenario
async def a_question_of_a_narrower_channel_is_not_quoted_in_a_wider_one(chat: GapDriver) -> None:
    await chat.ask(ANN, JAM, PAYMENTS)
    await on_monday(chat)
    [narrow] = await digests(chat, PAYMENTS)
    [wide] = await digests(chat, OPS)
    assert JAM in narrow.text
    for shown in (wide, (await chat.command(ANN, "gaps")).shown):
        assert JAM not in shown.all
    refused = await chat.command(BEN, "gaps", f"draft {narrow.gaps[0]}")
    assert JAM not in refused.shown.all
    assert refused.file is None or JAM.encode() not in refused.file


@scenario
async def a_gap_of_another_tenant_is_not_there(chat: GapDriver) -> None:
    await chat.ask(ANN, JAM)
    [gap] = (await on_monday(chat)).gaps
    for typed in (f"own {gap}", f"done {gap} robot.md", f"draft {gap}"):
        refused = await chat.command(ANN, "gaps", typed, PLANT)
        assert (refused.shown.tone, refused.file) == (Tone.ERROR, None)
        assert f"There is no gap {gap}" in refused.shown.text
    assert JAM not in (await chat.command(ANN, "gaps", "", PLANT)).shown.all
    assert JAM not in (await chat.digest(PLANT)).all


# --- who may do what ------------------------------------------------------------------------------


@scenario
async def only_an_admin_puts_a_gap_aside(chat: GapDriver) -> None:
    await chat.ask(ANN, JAM)
    digest = await on_monday(chat)
    [gap] = digest.gaps
    before = len(await chat.said_in())
    for action in (GapAction.SNOOZE, GapAction.DISMISS):
        refused = await chat.decide(BEN, digest, gap, action)
        assert (refused.tone, refused.only_for) == (Tone.ERROR, BEN)
        assert f"Only an admin can decide that about {gap}." in refused.text
    for typed in (f"snooze {gap} 14d", f"dismiss {gap}", f"reopen {gap}"):
        assert (await chat.command(BEN, "gaps", typed)).shown.tone is Tone.ERROR
    assert len(await chat.said_in()) == before
    snoozed = await chat.decide(ROOT, digest, gap, GapAction.SNOOZE)
    assert snoozed.title.startswith(f"{gap} is snoozed until ")
    assert (await chat.command(BEN, "gaps")).shown.gaps == ()
    dismissed = (await chat.command(ROOT, "gaps", f"dismiss {gap}")).shown
    assert dismissed.title == f"{gap} is no gap"
    reopened = (await chat.command(ROOT, "gaps", f"reopen {gap}")).shown
    assert reopened.title == f"{gap} is open again"
    assert (await chat.command(BEN, "gaps")).shown.gaps == (gap,)


@scenario
async def a_section_that_is_not_there_answers_no_gap(chat: GapDriver) -> None:
    await chat.ask(ANN, JAM)
    digest = await on_monday(chat)
    [gap] = digest.gaps
    refused = await chat.decide(ROOT, digest, gap, GapAction.DONE, "nowhere.md#at-all")
    assert (refused.tone, refused.only_for) == (Tone.ERROR, ROOT)
    assert "No runbook that can be seen here has this section" in refused.text
    secret = await chat.decide(ROOT, digest, gap, GapAction.DONE, "manual-refunds.md")
    assert secret.tone is Tone.ERROR
    assert (await chat.command(BEN, "gaps")).shown.gaps == (gap,)


@scenario
async def what_cannot_be_read_after_gaps_is_said_in_a_sentence(chat: GapDriver) -> None:
    for typed in ("own", "snooze everything", "since:never", "done G-0000", "own G-0000"):
        shown = (await chat.command(ANN, "gaps", typed)).shown
        assert (shown.tone, shown.only_for) == (Tone.ERROR, ANN)
        assert "reference" not in shown.text


# --- oneself --------------------------------------------------------------------------------------


@scenario
async def whoever_wants_no_word_is_told_nothing(chat: GapDriver) -> None:
    ann, ben = await chat.ask(ANN, JAM), await chat.ask(BEN, JAM)
    off = (await chat.command(ANN, "notices", "off")).shown
    assert off.title == "I tell you nothing any more of what you asked before."
    await write(chat)
    await chat.settle()
    assert [len(await chat.told(*one)) for one in ((ANN, ann), (BEN, ben))] == [0, 1]
    assert await chat.told(ANN) == []


@scenario
async def a_draft_is_a_file_for_whoever_asked_for_it(chat: GapDriver) -> None:
    await chat.ask(ANN, JAM)
    [gap] = (await on_monday(chat)).gaps
    before = len(await chat.said_in())
    drafted = await chat.command(BEN, "gaps", f"draft {gap}")
    assert drafted.shown.only_for == BEN
    assert drafted.file is not None
    assert JAM in drafted.file.decode()
    assert len(await chat.said_in()) == before


@scenario
async def what_is_kept_of_somebody_is_a_file_for_them_alone(chat: GapDriver) -> None:
    await chat.ask(ANN, JAM)
    await chat.ask(BEN, "how do I bake brioche")
    handed = await chat.command(ANN, "my-data")
    assert handed.shown.only_for == ANN
    assert handed.file is not None
    assert JAM in str(json.loads(handed.file))
    assert "brioche" not in handed.file.decode()


@scenario
async def nobody_is_forgotten_who_did_not_say_that_they_are_sure(chat: GapDriver) -> None:
    asked = await chat.ask(ANN, "disk full")
    await chat.react(ANN, asked, Vote.UP)
    warned = (await chat.command(ANN, "forget-me")).shown
    assert warned.title == "This cannot be undone"
    assert await chat.votes(asked) == {ANN: Vote.UP}
    gone = (await chat.command(ANN, "forget-me", "sure")).shown
    assert (gone.title, gone.only_for) == ("You are forgotten", ANN)
    assert await chat.votes(asked) == {"nobody": Vote.UP}
    again = await chat.command(ANN, "my-data")
    assert again.file is not None
    assert "disk full" not in again.file.decode()


# --- steps ----------------------------------------------------------------------------------------


async def on_monday(chat: GapDriver) -> Shown:
    """Let the week go by, look twice at what is due, and return the digest that was posted."""
    now = chat.world.clock.now()
    days = 7 - now.weekday()
    monday = (now + timedelta(days=days)).replace(hour=9, minute=0, second=0, microsecond=0)
    chat.world.clock.advance(monday - now)
    before = len(await digests(chat))
    await chat.look()
    await chat.look()
    [*_, newest] = found = await digests(chat)
    assert len(found) == before + 1
    return newest


async def digests(chat: GapDriver, place: Place = OPS) -> list[Shown]:
    """Return the digests that stand in a place."""
    return [one for one in await chat.said_in(place) if is_digest(one)]


def is_digest(shown: Shown) -> bool:
    """Return whether something is a digest, by its title."""
    return shown.title.endswith("in the runbooks") or shown.title.startswith("Gaps closed")


async def write(chat: GapDriver) -> None:
    """Write the page that was missing, and have it indexed."""
    later(chat)
    chat.world.write("acme/printer.md", PRINTER)
    await chat.reindex()


def later(chat: GapDriver) -> None:
    """Let an hour go by."""
    chat.world.clock.advance(timedelta(hours=1))
