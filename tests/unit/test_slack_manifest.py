"""The manifest against what the bot listens to and calls, and Slack's limits on it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from bots.commands import COMMANDS
from bots.slack_bot.listeners import EVENTS, SCOPES, Listeners
from bots.slack_bot.manifest import as_yaml, manifest

FILE = Path(__file__).parent.parent.parent / "slack-app-manifest.yaml"


class Recorded:
    """Takes the place of an AsyncApp, and remembers what was listened to."""

    def __init__(self) -> None:
        self.heard: dict[str, list[Any]] = {}

    def __getattr__(self, kind: str) -> Callable[[Any], Callable[[Any], None]]:
        def listen(to: Any) -> Callable[[Any], None]:
            self.heard.setdefault(kind, []).append(to)
            return lambda _: None

        return listen


def heard(kind: str) -> list[str]:
    app = Recorded()
    Listeners(None).register(app)  # type: ignore[arg-type]
    return [name for name in app.heard[kind] if isinstance(name, str)]


def test_the_file_is_the_one_that_is_made() -> None:
    assert FILE.read_text(encoding="utf-8") == as_yaml(manifest())


def test_the_file_is_yaml_of_the_manifest() -> None:
    assert yaml.safe_load(as_yaml(manifest())) == manifest()


def test_every_subscribed_event_has_its_listener() -> None:
    events = manifest()["settings"]["event_subscriptions"]["bot_events"]
    assert {event.partition(".")[0] for event in events} == set(heard("event"))


def test_every_command_and_shortcut_has_its_listener() -> None:
    features = manifest()["features"]
    assert [one["command"] for one in features["slash_commands"]] == heard("command")
    assert [one["callback_id"] for one in features["shortcuts"]] == heard("shortcut")


def test_every_command_of_the_table_is_reached() -> None:
    query, nightlamp = manifest()["features"]["slash_commands"]
    names = [query["command"].removeprefix("/"), *nightlamp["usage_hint"].split(" | ")]
    assert names == [command.name for command in COMMANDS]


def test_every_event_has_the_scopes_that_it_wants() -> None:
    assert {scope for wanted in EVENTS.values() for scope in wanted} <= set(SCOPES)


def test_texts_are_within_slacks_limits() -> None:
    found = manifest()
    assert len(found["display_information"]["description"]) <= 140
    for command in found["features"]["slash_commands"]:
        assert len(command["description"]) <= 2000
        assert len(command["usage_hint"]) <= 1000
