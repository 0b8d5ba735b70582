"""Slack's payloads, in the shapes that it sends them, to values."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bots.slack_bot.events import (
    Filled,
    Pressed,
    Said,
    Typed,
    filled_in,
    moment,
    pressed_in,
    said_in,
    shortcut_in,
    team_of,
    thumb_in,
    typed_in,
)
from core.exchanges import MessageRef, Person, Thumb
from core.models import Platform, Vote
from tests.e2e import slack_payloads as payloads

TS = "1893456000.000100"
AT = datetime(2030, 1, 1, 0, 0, 0, 100, tzinfo=UTC)


def said(text: str, channel: str = "C1", **more: Any) -> Said | None:
    inner = payloads.said(text, "U1", channel, ts=TS, **more)
    return said_in(payloads.event(inner), payloads.BOT_USER)


def test_a_message_in_a_thread_is_read() -> None:
    expected = Said("T0ACME", "C1", "U1", "a & b", TS, thread="1893456000.000000")
    assert said("a &amp; b", thread="1893456000.000000") == expected


def test_a_mention_is_read_without_the_bot() -> None:
    inner = payloads.mention("disk full", "U1", "C1", ts=TS)
    expected = Said("T0ACME", "C1", "U1", "disk full", TS, mention=True)
    assert said_in(payloads.event(inner), payloads.BOT_USER) == expected


def test_a_direct_message_is_read() -> None:
    assert said("disk full", channel="D1") == Said(
        "T0ACME", "D1", "U1", "disk full", TS, direct=True
    )


def test_the_message_of_a_mention_is_left_to_the_mention() -> None:
    assert said("<@U0BOT> disk full") is None
    assert said("<@U0BOT> disk full", channel="D1") is not None


@pytest.mark.parametrize(
    "mark",
    [
        {"bot_id": "B1"},
        {"bot_profile": {"id": "B1"}},
        {"app_id": "A1"},
        {"subtype": "bot_message"},
        {"subtype": "message_changed", "message": {"text": "x"}},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"edited": {"user": "U1", "ts": TS}},
        {"hidden": True},
    ],
)
def test_bots_edits_and_joins_are_not_read(mark: dict[str, Any]) -> None:
    assert said("disk full", channel="D1", **mark) is None


def test_a_message_with_a_file_is_read() -> None:
    assert said("disk full", channel="D1", subtype="file_share") is not None


@pytest.mark.parametrize(
    ("name", "vote"),
    [
        ("+1", Vote.UP),
        ("thumbsup", Vote.UP),
        ("+1::skin-tone-2", Vote.UP),
        ("thumbsup::skin-tone-6", Vote.UP),
        ("-1", Vote.DOWN),
        ("thumbsdown", Vote.DOWN),
        ("-1::skin-tone-4", Vote.DOWN),
        ("thumbsdown::skin-tone-5", Vote.DOWN),
    ],
)
@pytest.mark.parametrize("added", [True, False])
def test_thumbs_of_every_form_are_read(name: str, vote: Vote, added: bool) -> None:
    event = payloads.reaction(name, "U1", "C1", TS, added=added, event_ts=TS)
    message = MessageRef(Platform.SLACK, "C1", TS)
    assert thumb_in(event) == Thumb(Person(Platform.SLACK, "U1"), vote, added, AT, message)


@pytest.mark.parametrize(
    "event",
    [
        payloads.reaction("eyes", "U1", "C1", TS),
        payloads.reaction("+1", "U1", "C1", TS, item={"type": "file", "file": "F1"}),
        payloads.reaction("+1", "U1", "C1", TS, item_user=None),
    ],
    ids=["another emoji", "a file", "nobody's message"],
)
def test_other_reactions_are_not_read(event: dict[str, Any]) -> None:
    assert thumb_in(event) is None


@pytest.mark.parametrize(
    ("body", "team"),
    [
        (payloads.event({}, "T1"), "T1"),
        ({"team_id": "T2", "authorizations": [{"team_id": "T1"}]}, "T1"),
        ({"team_id": "T2", "authorizations": [{"enterprise_id": "E1", "team_id": "T3"}]}, "T3"),
        ({"team_id": "T2", "authorizations": []}, "T2"),
        ({"team": {"id": "T1"}, "user": {"id": "U1", "team_id": "T2"}}, "T1"),
        ({"team": None, "enterprise": {"id": "E1"}, "user": {"id": "U1", "team_id": "T2"}}, "T2"),
        ({"view": {"app_installed_team_id": "T4"}, "team": {"id": "T1"}}, "T4"),
        ({}, ""),
    ],
)
def test_the_workspace_is_the_one_of_the_installation(body: dict[str, Any], team: str) -> None:
    assert team_of(body) == team


def test_a_command_is_read() -> None:
    body = payloads.command("/query", "a &lt;b&gt;", "U1", "C1", url="http://x", trigger="t1")
    assert typed_in(body) == Typed("/query", "T0ACME", "C1", "U1", "a <b>", "t1", "http://x")


def test_a_shortcut_asks_what_the_message_says() -> None:
    body = payloads.shortcut("pod <@U0BOT> &amp; co", "U1", "C1", url="http://x", trigger="t1")
    assert shortcut_in(body, payloads.BOT_USER) == Typed(
        "find_runbook", "T0ACME", "C1", "U1", "pod  & co", "t1", "http://x"
    )


def test_a_choice_on_an_ephemeral_card_is_read() -> None:
    action = {
        "type": "static_select",
        "action_id": "nightlamp.choose",
        "selected_option": {"value": "ex1:2"},
    }
    body = payloads.pressed(
        action, {"ts": TS}, "U1", "C1", url="http://x", trigger="t1", ephemeral=True
    )
    body["actions"][0]["action_ts"] = TS
    assert pressed_in(body) == Pressed(
        "nightlamp.choose", "ex1:2", "T0ACME", "C1", "U1", TS, "t1", "http://x", AT, ephemeral=True
    )


def test_a_form_is_read() -> None:
    view = {"callback_id": "nightlamp.why", "private_metadata": "ex1|C1||1.2"}
    values = {
        "kind": {"type": "static_select", "selected_option": {"value": "outdated"}},
        "text": {"type": "plain_text_input", "value": None},
    }
    assert filled_in(payloads.submitted(view, values, "U1")) == Filled(
        "nightlamp.why", "ex1|C1||1.2", "T0ACME", "U1", {"kind": "outdated", "text": ""}
    )


def test_a_moment_is_told_to_the_microsecond() -> None:
    assert moment(TS) == AT
