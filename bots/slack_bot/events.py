"""Slack's payloads in, values of ours out. Pure.

`ts` of messages are opaque strings: as numbers they would lose their last digits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bots.slack_bot.encoding import typed
from core.exchanges import MessageRef, Person, Thumb
from core.models import Platform, Vote, Where

VOTES = {"+1": Vote.UP, "thumbsup": Vote.UP, "-1": Vote.DOWN, "thumbsdown": Vote.DOWN}
_PEOPLES = {None, "file_share", "thread_broadcast"}
"""Subtypes of messages that people write; the rest are edits, joins, other bots."""
_BOTS = ("bot_id", "bot_profile", "app_id")

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A message that somebody wrote: `text` is what was typed, without the bot's mention."""

    team: str
    channel: str
    user: str
    text: str
    ts: str
    thread: str = ""
    direct: bool = False
    mention: bool = False

    @property
    def event_id(self) -> str:
        """Return what is the same however often, and by whatever event, Slack tells of it."""
        return f"{self.channel}:{self.ts}"


@dataclass(frozen=True, slots=True)
class Typed:
    """A slash command, or a message's shortcut. `response_url` takes five answers in 30 minutes."""

    name: str
    team: str
    channel: str
    user: str
    text: str
    trigger: str
    response_url: str


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button or a choice: `value` is what it carries, `at` when; the message that it is on."""

    name: str
    value: str
    team: str
    channel: str
    user: str
    message: str
    trigger: str
    response_url: str
    at: datetime
    thread: str = ""
    ephemeral: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """A form that was sent: `about` is what it was opened with, `fields` by their names."""

    name: str
    about: str
    team: str
    user: str
    fields: Mapping[str, str]


def team_of(body: Payload) -> str:
    """Return the workspace whose installation a payload came for.

    In a shared channel or an organisation that is the one of `authorizations`; `team_id` may be the
    other side's.
    """
    view = body.get("view")
    if isinstance(view, dict) and view.get("app_installed_team_id"):
        return str(view["app_installed_team_id"])
    for one in body.get("authorizations") or ():
        if one.get("team_id"):
            return str(one["team_id"])
    team = body.get("team") or {}
    user = body.get("user")
    of_user = user.get("team_id") if isinstance(user, dict) else ""
    return str(team.get("id") or body.get("team_id") or of_user or "")


def kind_in(body: Payload) -> tuple[str, bool] | None:
    """Return the channel of a payload and whether all may enter it; None where it does not tell.

    Private channels and talks of a few are not for all. Direct messages are told by their ids.
    """
    event = body.get("event")
    if isinstance(event, dict):
        id_, kind = event.get("channel"), event.get("channel_type")
        told = kind in {"channel", "group", "mpim"}
        return (str(id_), kind == "channel") if id_ and told else None
    channel = body.get("channel")
    named = channel if isinstance(channel, dict) else {}
    name = str(named.get("name") or body.get("channel_name") or "")
    id_ = named.get("id") or body.get("channel_id")
    if not id_ or name in {"", "directmessage"}:
        return None
    return str(id_), name != "privategroup" and not name.startswith("mpdm-")


def said_in(body: Payload, bot_user: str) -> Said | None:
    """Read a message or a mention; None if it is no person's, or an edit.

    A message in a channel that mentions the bot comes as a mention too, and is read from that.
    """
    event = body["event"]
    if event.get("subtype") not in _PEOPLES or event.get("hidden") or event.get("edited"):
        return None
    if any(event.get(mark) for mark in _BOTS) or not event.get("user"):
        return None
    text, channel = event.get("text") or "", event["channel"]
    direct = event.get("channel_type") == "im" or channel.startswith("D")
    mention = event["type"] == "app_mention"
    if not mention and not direct and f"<@{bot_user}" in text:
        return None
    thread = event.get("thread_ts") or ""
    return Said(
        team=team_of(body),
        channel=channel,
        user=event["user"],
        text=typed(text, without=bot_user),
        ts=event["ts"],
        thread=thread,
        direct=direct,
        mention=mention,
    )


def thumb_in(event: Payload) -> Thumb | None:
    """Read a reaction that was put up or taken back; None if it is no thumb on a user's message.

    Slack leaves `item_user` out where nobody wrote the message; whatever the bot posts has one.
    """
    name, _, _skin_tone = event["reaction"].partition("::")
    item = event.get("item") or {}
    if (vote := VOTES.get(name)) is None or item.get("type") != "message":
        return None
    if not event.get("item_user"):
        return None
    return Thumb(
        person=person(event["user"]),
        vote=vote,
        added=event["type"] == "reaction_added",
        at=moment(event["event_ts"]),
        message=MessageRef(Platform.SLACK, item["channel"], item["ts"]),
    )


def typed_in(body: Payload) -> Typed:
    """Read a slash command."""
    return Typed(
        name=body["command"],
        team=team_of(body),
        channel=body["channel_id"],
        user=body["user_id"],
        text=typed(body.get("text") or ""),
        trigger=body["trigger_id"],
        response_url=body["response_url"],
    )


def shortcut_in(body: Payload, bot_user: str) -> Typed:
    """Read a message's shortcut: the message's text is what is asked."""
    return Typed(
        name=body["callback_id"],
        team=team_of(body),
        channel=body["channel"]["id"],
        user=body["user"]["id"],
        text=typed(body["message"].get("text") or "", without=bot_user),
        trigger=body["trigger_id"],
        response_url=body["response_url"],
    )


def pressed_in(body: Payload) -> Pressed:
    """Read a button or a choice on a message."""
    action, container = body["actions"][0], body.get("container") or {}
    chosen = action.get("selected_option") or {}
    return Pressed(
        name=action["action_id"],
        value=action.get("value") or chosen.get("value") or "",
        team=team_of(body),
        channel=(body.get("channel") or {}).get("id") or container.get("channel_id") or "",
        user=body["user"]["id"],
        message=container.get("message_ts") or "",
        trigger=body.get("trigger_id") or "",
        response_url=body.get("response_url") or "",
        at=moment(action["action_ts"]),
        thread=container.get("thread_ts") or (body.get("message") or {}).get("thread_ts") or "",
        ephemeral=bool(container.get("is_ephemeral")),
    )


def filled_in(body: Payload) -> Filled:
    """Read a form that was sent."""
    view = body["view"]
    fields = {
        block: _value(next(iter(inputs.values())))
        for block, inputs in view["state"]["values"].items()
    }
    return Filled(
        name=view["callback_id"],
        about=view.get("private_metadata") or "",
        team=team_of(body),
        user=body["user"]["id"],
        fields=fields,
    )


def person(user: str) -> Person:
    """Return somebody on Slack."""
    return Person(Platform.SLACK, user)


def place(channel: str, thread: str = "", *, private: bool = False) -> Where:
    """Return a place on Slack."""
    return Where(Platform.SLACK, channel, thread, private)


def moment(ts: str) -> datetime:
    """Return when something happened, to the microsecond."""
    seconds, _, micros = ts.partition(".")
    whole = datetime.fromtimestamp(int(seconds), UTC)
    return whole.replace(microsecond=int(micros[:6].ljust(6, "0")) if micros else 0)


def _value(field: Payload) -> str:
    chosen = field.get("selected_option") or {}
    return str(field.get("value") or chosen.get("value") or "")
