import pytest

from bots.check import Check, Level
from bots.slack_bot.checks import slack_checks
from core.settings_groups import SlackSettings
from tests.e2e.fake_slack import FakeSlack
from tests.kept_port import KeptPort


def settings(slack: FakeSlack, app_token: str = "") -> SlackSettings:
    tokens = {
        "bot_token": slack.bot_token,
        "app_token": app_token or slack.app_token,
        "api_url": slack.base_url,
    }
    return SlackSettings.model_validate(tokens)


async def test_all_is_well() -> None:
    async with FakeSlack().running() as slack:
        assert await slack_checks(settings(slack)) == [
            Check("slack", Level.OK, "the tokens are taken; events come by Socket Mode"),
            Check("slack scopes", Level.OK, "all are granted"),
        ]


async def test_scopes_that_were_not_granted_are_named() -> None:
    async with FakeSlack().running() as slack:
        slack.scopes -= {"reactions:write", "im:history"}
        found = (await slack_checks(settings(slack)))[-1]
        assert (found.level, found.says) == (
            Level.PROBLEM,
            "not granted: im:history, reactions:write: update the app from the manifest, "
            "install again",
        )


async def test_a_refused_token_is_named() -> None:
    async with FakeSlack().running() as slack:
        (found,) = await slack_checks(settings(slack, "xapp-wrong"))
        assert found.level is Level.PROBLEM
        assert found.says.startswith("Slack refuses NIGHTLAMP_SLACK_APP_TOKEN (invalid_auth)")


@pytest.mark.slow
async def test_a_slack_that_cannot_be_reached_is_said() -> None:
    slack, kept = FakeSlack(), KeptPort()
    slack.port = kept.number
    (found,) = await slack_checks(settings(slack))
    kept.let_go()
    assert (found.level, "cannot be asked" in found.says) == (Level.PROBLEM, True)
