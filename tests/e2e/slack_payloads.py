"""What Slack sends, in the shapes that it has there."""

import itertools
import time
import uuid
from collections.abc import Mapping
from typing import Any

TEAM, APP, BOT_USER, BOT_ID = "T0ACME", "A0APP", "U0BOT", "B0BOT"

Payload = dict[str, Any]
_COUNT = itertools.count(1)


def next_ts() -> str:
    """Return a time stamp that nothing had before; its end has zeros that a number would lose."""
    number = next(_COUNT)
    return f"{1893456000 + number}.{number % 1000:04d}00"


def unique(prefix: str) -> str:
    return f"{prefix}{uuid.uuid4().hex[:10]}"


def event(inner: Payload, team: str = TEAM, *, event_id: str = "", **more: Any) -> Payload:
    """Wrap an event as it comes from the Events API."""
    authorization = {
        "enterprise_id": None,
        "team_id": team,
        "user_id": BOT_USER,
        "is_bot": True,
        "is_enterprise_install": False,
    }
    return {
        "token": "x",
        "team_id": team,
        "api_app_id": APP,
        "event": inner,
        "type": "event_callback",
        "event_id": event_id or unique("Ev"),
        "event_time": int(time.time()),
        "authorizations": [authorization],
        "is_ext_shared_channel": False,
        **more,
    }


def said(
    text: str, user: str, channel: str, *, thread: str = "", ts: str = "", **more: Any
) -> Payload:
    """Return a `message` event; text is in Slack's encoding."""
    ts = ts or next_ts()
    message = {
        "type": "message",
        "user": user,
        "text": text,
        "ts": ts,
        "channel": channel,
        "event_ts": ts,
        "channel_type": "im" if channel.startswith("D") else "channel",
        **more,
    }
    return message | ({"thread_ts": thread} if thread else {})


def mention(text: str, user: str, channel: str, *, thread: str = "", ts: str = "") -> Payload:
    """Return an `app_mention` event."""
    message = said(f"<@{BOT_USER}> {text}", user, channel, thread=thread, ts=ts)
    del message["channel_type"]
    return message | {"type": "app_mention"}


def reaction(
    name: str, user: str, channel: str, ts: str, *, added: bool = True, **more: Any
) -> Payload:
    """Return a reaction on a message of the bot."""
    return {
        "type": "reaction_added" if added else "reaction_removed",
        "user": user,
        "reaction": name,
        "item_user": BOT_USER,
        "item": {"type": "message", "channel": channel, "ts": ts},
        "event_ts": next_ts(),
        **more,
    }


def command(
    name: str, text: str, user: str, channel: str, *, url: str, trigger: str, team: str = TEAM
) -> Payload:
    """Return a slash command."""
    return {
        "token": "x",
        "team_id": team,
        "team_domain": "acme",
        "channel_id": channel,
        "channel_name": "ops",
        "user_id": user,
        "user_name": "somebody",
        "command": name,
        "text": text,
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": url,
        "trigger_id": trigger,
    }


def shortcut(
    text: str, user: str, channel: str, *, url: str, trigger: str, team: str = TEAM
) -> Payload:
    """Return the shortcut of somebody's message."""
    return {
        "type": "message_action",
        "callback_id": "find_runbook",
        "token": "x",
        "trigger_id": trigger,
        "response_url": url,
        "message_ts": next_ts(),
        "team": {"id": team, "domain": "acme"},
        "channel": {"id": channel, "name": "ops"},
        "user": {"id": user, "name": "somebody", "team_id": team},
        "message": {"type": "message", "user": "U9", "ts": next_ts(), "text": text},
    }


def pressed(
    action: Mapping[str, Any],
    message: Mapping[str, Any],
    user: str,
    channel: str,
    *,
    url: str,
    trigger: str,
    ephemeral: bool = False,
    team: str = TEAM,
) -> Payload:
    """Return a press of a button or a choice on a message."""
    container = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": channel,
        "is_ephemeral": ephemeral,
    }
    if message.get("thread_ts"):
        container["thread_ts"] = message["thread_ts"]
    return {
        "type": "block_actions",
        "user": {"id": user, "username": "somebody", "team_id": team},
        "api_app_id": APP,
        "token": "x",
        "container": container,
        "trigger_id": trigger,
        "team": {"id": team, "domain": "acme"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": channel, "name": "ops"},
        "message": None if ephemeral else dict(message),
        "state": {"values": {}},
        "response_url": url,
        "actions": [{**action, "block_id": "b", "action_ts": next_ts()}],
    }


def submitted(
    view: Mapping[str, Any], values: Mapping[str, Any], user: str, *, team: str = TEAM
) -> Payload:
    """Return a form that was sent; `values` are inputs by their blocks."""
    state = {"values": {block: {block: value} for block, value in values.items()}}
    return {
        "type": "view_submission",
        "team": {"id": team, "domain": "acme"},
        "user": {"id": user, "name": "somebody", "team_id": team},
        "api_app_id": APP,
        "token": "x",
        "trigger_id": unique("trigger"),
        "view": {**view, "state": state},
        "response_urls": [],
        "is_enterprise_install": False,
        "enterprise": None,
    }
