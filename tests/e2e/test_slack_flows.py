"""What Slack has of its own: direct messages, shortcuts, the home tab, channels that refuse."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bots.card import ButtonKind, Tone
from core.models import Vote
from tests.e2e import slack_payloads as payloads
from tests.e2e.fake_slack import Fault
from tests.e2e.slack_driver import CHANNELS, TEAMS, USERS, SlackDriver, open_slack
from tests.e2e.world import ANN, BEN, OPS, World

DIRECT = "D0ANN"
ANN_ID, OPS_ID = USERS[ANN], CHANNELS[OPS]
ACME = {"name": "acme", "slack_teams": [TEAMS["acme"]]}
GLOBEX = {"name": "globex"}


@pytest.fixture
def world(folder: Path, indexed_world: World) -> World:
    return World.at(folder, like=indexed_world)


@pytest.fixture
async def chat(world: World) -> AsyncIterator[SlackDriver]:
    async with open_slack(world, way="command") as driver:
        yield driver


async def deliver(chat: SlackDriver, inner: dict[str, Any], **more: Any) -> None:
    await chat.slack.hand_over("events_api", payloads.event(inner, **more))
    await chat.channel.tasks.idle()


async def typed(chat: SlackDriver, name: str, text: str, channel: str = OPS_ID) -> None:
    url, trigger = chat.slack.response_url(ANN_ID, channel), chat.slack.trigger()
    body = payloads.command(name, text, ANN_ID, channel, url=url, trigger=trigger)
    await chat.slack.hand_over("slash_commands", body)
    await chat.channel.tasks.idle()


def titles(messages: list[dict[str, Any]]) -> list[str]:
    headers = [one["blocks"][0] for one in messages]
    return [block["text"]["text"] for block in headers if block["type"] == "header"]


def posted(chat: SlackDriver, channel: str = OPS_ID) -> list[dict[str, Any]]:
    return list(chat.slack.messages[channel].values())


# --- asking ---------------------------------------------------------------------------------------


async def test_the_question_of_a_command_is_shown_since_nobody_saw_it(chat: SlackDriver) -> None:
    shown = await chat.ask(ANN, "disk full <now> & here")
    assert "Asked: disk full <now> & here" in shown.text


async def test_a_mention_is_not_repeated(world: World) -> None:
    async with open_slack(world, way="mention") as chat:
        assert "Asked:" not in (await chat.ask(ANN, "disk full")).text


async def test_a_direct_message_is_answered_there_and_offers_no_sharing(chat: SlackDriver) -> None:
    await deliver(chat, payloads.said("disk full", ANN_ID, DIRECT))
    assert titles(posted(chat, DIRECT)) == ["Disk full › Grow the volume"]
    assert "nightlamp.share" not in str(posted(chat, DIRECT))


async def test_a_message_and_its_mention_are_one_question(chat: SlackDriver) -> None:
    mention = payloads.mention("disk full", ANN_ID, OPS_ID)
    message = payloads.said(mention["text"], ANN_ID, OPS_ID, ts=mention["ts"])
    for inner in (message, mention, mention):
        await deliver(chat, inner)
    assert len(posted(chat)) == 1


async def test_the_shortcut_answers_whoever_used_it(chat: SlackDriver) -> None:
    url, trigger = chat.slack.response_url(ANN_ID, OPS_ID), chat.slack.trigger()
    body = payloads.shortcut("disk full", ANN_ID, OPS_ID, url=url, trigger=trigger)
    await chat.slack.hand_over("interactive", body)
    await chat.channel.tasks.idle()
    assert (titles(chat.slack.ephemerals), posted(chat)) == (["Disk full › Grow the volume"], [])


async def test_private_is_a_word_of_the_question_without_its_dashes(chat: SlackDriver) -> None:
    await typed(chat, "/query", "disk full private")
    await typed(chat, "/query", "disk full —private")
    assert (len(posted(chat)), len(chat.slack.ephemerals)) == (1, 1)


async def test_help_is_given_for_anything_else(chat: SlackDriver) -> None:
    for text in ("", "help", "reindexx now"):
        await typed(chat, "/nightlamp", text)
    assert titles(chat.slack.ephemerals) == ["Ask me about an alert, an error or a symptom"] * 3


async def test_status_is_said(chat: SlackDriver) -> None:
    await typed(chat, "/nightlamp", "status")
    assert titles(chat.slack.ephemerals) == ["Nightlamp"]


async def test_the_home_tab_shows_help_status_and_ones_own_questions(chat: SlackDriver) -> None:
    await chat.ask(ANN, "disk full")
    await chat.ask(BEN, "pod keeps crashing")
    await deliver(chat, {"type": "app_home_opened", "user": ANN_ID, "tab": "home"})
    home = str(chat.slack.homes[ANN_ID])
    assert "• disk full · answered" in home
    assert "pod keeps crashing" not in home
    assert "/nightlamp runbooks" in home
    assert "holds" in home


async def test_a_talk_goes_on_in_the_thread_of_a_commands_answer(chat: SlackDriver) -> None:
    first = await chat.ask(ANN, "promote the postgres replica")
    then = await chat.follow_up(ANN, "and how do I roll back?", first)
    assert then is not None
    assert posted(chat)[1]["thread_ts"] == posted(chat)[0]["ts"]


async def test_a_thread_that_is_not_the_bots_is_left_alone(chat: SlackDriver) -> None:
    await deliver(chat, payloads.said("disk full", ANN_ID, OPS_ID, thread="1893456000.000100"))
    assert posted(chat) == []


async def test_other_bots_edits_and_the_bot_itself_are_not_answered(chat: SlackDriver) -> None:
    first = await chat.ask(ANN, "disk full")
    root = posted(chat)[0]["ts"]
    for more in (
        {"bot_id": "B9"},
        {"subtype": "message_changed", "message": {"text": "disk full", "ts": root}},
        {"user": payloads.BOT_USER},
    ):
        inner = payloads.said("disk full", ANN_ID, OPS_ID, thread=root) | more
        await deliver(chat, inner)
    mention = payloads.mention("disk full", "U9", OPS_ID) | {"bot_id": "B9"}
    await deliver(chat, mention)
    assert first.parts == len(posted(chat)) == 1


async def test_a_channel_that_is_off_stays_quiet_and_says_so_to_a_command(world: World) -> None:
    off = {"platform": "slack", "id": OPS_ID, "mode": "off"}
    async with open_slack(world, channels=[off]) as chat:
        await deliver(chat, payloads.mention("disk full", ANN_ID, OPS_ID))
        await typed(chat, "/query", "disk full")
        assert posted(chat) == []
        assert titles(chat.slack.ephemerals) == ["I am switched off in this channel"]


async def test_answers_go_where_the_channel_wants_them(world: World) -> None:
    thread = {"platform": "slack", "id": OPS_ID, "answers": "thread"}
    async with open_slack(world, channels=[thread]) as chat:
        inner = payloads.mention("disk full", ANN_ID, OPS_ID)
        await deliver(chat, inner)
        assert [one["thread_ts"] for one in posted(chat)] == [inner["ts"]]


async def test_too_many_questions_are_refused_to_the_asker_alone(world: World) -> None:
    async with open_slack(world, limits={"per_person": 2}) as chat:
        for _ in range(3):
            await deliver(chat, payloads.mention("disk full", ANN_ID, OPS_ID))
        assert len(posted(chat)) == 2
        assert titles(chat.slack.ephemerals) == ["Too many questions"]


# --- channels that refuse -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        ("not_in_channel", "invite me with /invite"),
        ("channel_not_found", "invite me with /invite"),
        ("is_archived", "This channel is archived"),
        ("restricted_action_read_only_channel", "Posting is restricted"),
    ],
)
async def test_where_the_bot_may_not_post_the_asker_gets_the_answer_and_why(
    chat: SlackDriver, refusal: str, says: str
) -> None:
    chat.slack.refusing[OPS_ID] = refusal
    await typed(chat, "/query", "disk full")
    (told,) = chat.slack.ephemerals
    assert titles([told]) == ["Disk full › Grow the volume"]
    assert says in str(told["blocks"])
    assert (await chat.counts())["messages"] == 1


async def test_a_mention_where_nothing_can_be_said_is_answered_directly(chat: SlackDriver) -> None:
    chat.slack.refusing[OPS_ID] = "is_archived"
    await deliver(chat, payloads.mention("disk full", ANN_ID, OPS_ID))
    assert titles(posted(chat, "D0ANN")) == ["Disk full › Grow the volume"]


async def test_thumbs_that_cannot_be_put_up_do_not_keep_the_answer_back(chat: SlackDriver) -> None:
    chat.slack.scopes.discard("reactions:write")
    shown = await chat.ask(ANN, "disk full")
    await chat.react(ANN, shown, Vote.UP)
    assert await chat.votes(shown) == {ANN: Vote.UP}


async def test_both_thumbs_are_put_up(chat: SlackDriver) -> None:
    await chat.ask(ANN, "disk full")
    assert list(chat.slack.reactions.values()) == [["+1", "-1"]]


async def test_being_told_to_wait_delays_and_loses_nothing(chat: SlackDriver) -> None:
    slow = Fault(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": "12"})
    chat.slack.fail("chat.postMessage", slow, slow)
    shown = await chat.ask(ANN, "dns timeouts: check every resolver")
    assert [int(seconds) for seconds in chat.waited] == [12, 12]
    parts = [one["blocks"][-1] for one in posted(chat)[1:]]
    assert shown.parts == len(posted(chat))
    assert [part["elements"][0]["text"].split(" · ")[0] for part in parts] == [
        f"part {number} of {shown.parts}" for number in range(2, shown.parts + 1)
    ]


async def test_a_post_that_fails_for_good_is_shown_to_the_asker(chat: SlackDriver) -> None:
    chat.slack.fail("chat.postMessage", Fault(body={"ok": False, "error": "fatal_error"}))
    await typed(chat, "/query", "disk full")
    assert titles(chat.slack.ephemerals) == ["Disk full › Grow the volume"]


# --- buttons --------------------------------------------------------------------------------------


async def test_a_form_whose_trigger_has_expired_says_so(chat: SlackDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    for name in chat.slack.triggers:
        chat.slack.triggers[name] -= 10
    fault = Fault(body={"ok": False, "error": "expired_trigger_id"})
    chat.slack.fail("views.open", fault)
    said = await chat.press(ANN, shown, ButtonKind.TELL_WHY)
    assert said is not None
    assert said.tone is Tone.ERROR


async def test_an_answer_shown_alone_keeps_its_buttons_when_another_is_picked(
    chat: SlackDriver,
) -> None:
    shown = await chat.ask(ANN, "disk full", private=True)
    other = await chat.choose(ANN, shown, 0)
    assert (other.only_for, other.title) == (ANN, shown.picks[0])
    assert chat.slack.ephemerals[-1]["replace_original"] is True


async def test_an_admin_takes_down_anybodys_answer(world: World) -> None:
    tenants = [ACME | {"admins": {"slack_users": [USERS[BEN]]}}, GLOBEX]
    async with open_slack(world, tenants=tenants, channels=[]) as chat:
        shown = await chat.ask(ANN, "disk full")
        await chat.press(BEN, shown, ButtonKind.DELETE)
        assert posted(chat) == []


async def test_what_is_asked_in_private_is_not_repeated_to_a_human(chat: SlackDriver) -> None:
    shown = await chat.ask(ANN, "how do I bake bread", private=True)
    await chat.press(ANN, shown, ButtonKind.ASK_HUMAN)
    (call,) = posted(chat)
    assert "<!subteam^S1> <@U0ANN>" in str(call["blocks"])
    assert "bread" not in str(call)


# --- admins and workspaces ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "admins",
    [
        {"slack_users": [ANN_ID]},
        {"slack_usergroups": ["S2"]},
        {"slack_workspace_admins": True},
    ],
    ids=["user", "user group", "workspace admin"],
)
async def test_admins_reindex(world: World, admins: dict[str, Any]) -> None:
    async with open_slack(world, tenants=[ACME | {"admins": admins}, GLOBEX], channels=[]) as chat:
        chat.slack.groups["S2"] = [ANN_ID]
        chat.slack.admins.add(ANN_ID)
        await typed(chat, "/nightlamp", "reindex")
        assert titles(chat.slack.ephemerals)[-1] == "Nothing has changed"


@pytest.mark.parametrize(
    "admins",
    [{}, {"slack_users": ["U9"]}, {"slack_usergroups": ["S3"]}, {"slack_workspace_admins": True}],
    ids=["nobody", "another", "unknown group", "no workspace admin"],
)
async def test_nobody_else_does(world: World, admins: dict[str, Any]) -> None:
    async with open_slack(world, tenants=[ACME | {"admins": admins}, GLOBEX], channels=[]) as chat:
        await typed(chat, "/nightlamp", "reindex")
        assert titles(chat.slack.ephemerals) == ["Only for admins"]


async def test_a_workspace_that_is_mapped_to_nobody_is_told_so(chat: SlackDriver) -> None:
    url, trigger = chat.slack.response_url(ANN_ID, OPS_ID), chat.slack.trigger()
    body = payloads.command(
        "/query", "disk full", ANN_ID, OPS_ID, url=url, trigger=trigger, team="T0STRANGE"
    )
    await chat.slack.hand_over("slash_commands", body)
    await chat.channel.tasks.idle()
    assert titles(chat.slack.ephemerals) == ["This place has no runbooks yet"]
    assert (await chat.counts())["exchanges"] == 0


async def test_in_a_shared_channel_the_installations_workspace_counts(chat: SlackDriver) -> None:
    inner = payloads.mention("robot controller disk full", ANN_ID, OPS_ID)
    await deliver(chat, inner, team_id="T0GLOBEX", team=TEAMS["acme"])
    assert "Robot" not in str(posted(chat))
    assert titles(posted(chat))[0].startswith("Disk full › ")
