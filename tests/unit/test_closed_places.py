"""Channels that not everybody may enter: what is said there is for those who read there."""

from typing import Any

import pytest

from bots.digesting import visible_in
from bots.places import Places
from bots.slack_bot.events import closed_in
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
    ("body", "channel"),
    [
        (typed("ops"), ""),
        (typed("directmessage"), ""),
        (typed("privategroup"), "C9"),
        (typed("mpdm-ann--ben-1"), "C9"),
        (message("channel"), ""),
        (message("im"), ""),
        (message("group"), "C9"),
        (message("mpim"), "C9"),
        (payloads.event(payloads.mention("disk", "U1", "C9")), ""),
        (pressed("ops"), ""),
        (pressed("privategroup"), "C9"),
        (payloads.submitted({"callback_id": "x"}, {}, "U1"), ""),
    ],
)
def test_slack_tells_which_channels_are_private(body: dict[str, Any], channel: str) -> None:
    assert closed_in(body) == channel


def test_words_of_a_closed_channel_are_quoted_there_alone() -> None:
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    found = Workspaces(settings, "T1")
    before = found.room("C9")
    found.learn_closed("C9")
    place = found.room("C9").scope.visibility
    assert before == Places(settings, Platform.SLACK).room("C9")
    assert quotable(asked("x1", place=place), visible_in(settings, "slack:C9"))
    assert not quotable(asked("x1", place=place), visible_in(settings, "slack:C1"))
    assert not quotable(asked("x1", place=place), visible_in(settings, ""))
    assert quotable(asked("x1", place=before.scope.visibility), visible_in(settings, "slack:C1"))
