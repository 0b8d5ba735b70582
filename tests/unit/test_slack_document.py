"""docs/slack.md against what is there."""

import re
import tomllib
from pathlib import Path

from bots.commands import COMMANDS
from bots.slack_bot.reception import NOT_SAVED
from core.settings import Settings

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "slack.md").read_text(encoding="utf-8")


def test_its_settings_are_read() -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    Settings.model_validate(tomllib.loads(example))


def test_every_variable_is_a_setting() -> None:
    named = set(re.findall(r"NIGHTLAMP_SLACK_([A-Z_]+)", TEXT))
    assert named <= {name.upper() for name in type(Settings().slack).model_fields}


def test_every_link_leads_to_a_file() -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", TEXT)
    assert [target for target in targets if not (DOCS / target).exists()] == []


def test_every_command_is_named() -> None:
    assert [one.name for one in COMMANDS if one.name not in TEXT] == []


def test_what_the_bot_says_is_quoted_as_it_says_it() -> None:
    assert NOT_SAVED in TEXT
