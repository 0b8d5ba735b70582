"""Slack's app manifest, made from the table of commands and the listeners.

`python -m bots.slack_bot.manifest > slack-app-manifest.yaml` writes it anew.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bots.commands import COMMANDS
from bots.slack_bot.listeners import EVENTS, SCOPES
from bots.slack_bot.reception import QUERY, SHORTCUT
from bots.slack_bot.subcommands import NAMES, NIGHTLAMP

_ABOUT = "Your team's runbooks: the right section, verbatim, or an honest refusal."
_STEP = "  "


def manifest() -> dict[str, Any]:
    """Return the manifest of an app that listens by Socket Mode."""
    return {
        "display_information": {"name": "Nightlamp", "description": _ABOUT},
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "nightlamp", "always_online": True},
            "shortcuts": [
                {
                    "name": "Find runbook",
                    "type": "message",
                    "callback_id": SHORTCUT,
                    "description": "Look this message up in the runbooks",
                }
            ],
            "slash_commands": [
                _command(QUERY, _about("query"), "TEXT [service:NAME] [type:NAME] [--private]"),
                _command(NIGHTLAMP, "Everything that is no question", " | ".join(NAMES)),
            ],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }


def as_yaml(value: Mapping[str, Any]) -> str:
    """Return a manifest as YAML; its texts are quoted, as JSON's are."""
    return "\n".join(_lines(value, "")) + "\n"


def _command(name: str, about: str, hint: str) -> dict[str, Any]:
    return {"command": name, "description": about, "usage_hint": hint, "should_escape": False}


def _about(name: str) -> str:
    about = next(command.about for command in COMMANDS if command.name == name)
    return about[:1].upper() + about[1:]


def _lines(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, inner in value.items():
        match inner:
            case dict():
                yield f"{indent}{key}:"
                yield from _lines(inner, indent + _STEP)
            case list():
                yield f"{indent}{key}:"
                yield from _items(inner, indent + _STEP)
            case _:
                yield f"{indent}{key}: {json.dumps(inner, ensure_ascii=False)}"


def _items(values: Sequence[Any], indent: str) -> Iterator[str]:
    for one in values:
        if isinstance(one, dict):
            first, *rest = _lines(one, indent + _STEP)
            yield f"{indent}- {first.strip()}"
            yield from rest
        else:
            yield f"{indent}- {one}"


if __name__ == "__main__":
    sys.stdout.write(as_yaml(manifest()))
