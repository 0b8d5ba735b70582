"""Channels that not everybody may enter: what is said there is for those who read there."""

from typing import Any

import pytest

from bots.digesting import visible_in
from bots.places import Places
from bots.slack_bot.events import kind_in
from bots.slack_bot.workspaces import Workspaces
from core.models import Platform
from core.settings import Settings
from feedback.quoting import quotable
from tests.e2e import slack_payloads as payloads
from tests.gap_world import asked

URL = {"url": "https://hooks.slack.example/x", "trigger": "t"}


def typed(name: str) -> dict[str, Any]:
    return payloads.command("/query", "disk", "U1", "C9", **URL) | {"channel_name": name}


def message(kind: str) -> dict[str, Any]:
    return payloads.event(payloads.said("disk", "U1", "C9") | {"channel_type": kind})


def pressed(name: str) -> dict[str, Any]:
    body = payloads.pressed({"action_id": "x"}, {"ts": "1.0"}, "U1", "C9", **URL)
    return body | {"channel": {"id": "C9", "name": name}}


@pytest.mark.parametrize(
    ("body", "is_open"),
    [
        (typed("ops"), True),
        (typed("directmessage"), None),
        (typed("privategroup"), False),
        (typed("mpdm-ann--ben-1"), False),
        (message("channel"), True),
        (message("im"), None),
        (message("group"), False),
        (message("mpim"), False),
        (payloads.event(payloads.mention("disk", "U1", "C9")), None),
        (pressed("ops"), True),
        (pressed("privategroup"), False),
        (payloads.submitted({"callback_id": "x"}, {}, "U1"), None),
    ],
)
def test_slack_tells_which_channels_are_for_all(body: dict[str, Any], is_open: bool | None) -> None:
    assert kind_in(body) == (None if is_open is None else ("C9", is_open))


def settings() -> Settings:
    return Settings(_env_file=None)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "told", [[], [False], [True, False]], ids=["nothing", "private", "made so"]
)
def test_words_of_a_channel_that_is_not_known_to_be_open_are_quoted_there_alone(
    told: list[bool],
) -> None:
    found = Workspaces(settings(), "T1")
    for is_open in told:
        found.learn("C9", is_open)
    asked_there = asked("x1", place=found.room("C9").scope.visibility)
    assert quotable(asked_there, visible_in(settings(), "slack:C9"))
    assert not quotable(asked_there, visible_in(settings(), "slack:C1"))
    assert not quotable(asked_there, visible_in(settings(), ""))


@pytest.mark.parametrize("channel", ["C9", "D9"])
def test_an_open_channel_and_a_direct_message_see_what_the_settings_say(channel: str) -> None:
    found = Workspaces(settings(), "T1")
    if channel == "C9":
        found.learn(channel, True)
    assert found.room(channel) == Places(settings(), Platform.SLACK).room(channel)
