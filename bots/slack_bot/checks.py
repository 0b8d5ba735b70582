"""What `doctor` looks at on Slack: both tokens, and the scopes that were granted."""

import aiohttp

from bots.check import Check, Level
from bots.slack_bot.bot import check_app_token, whoami
from bots.slack_bot.listeners import SCOPES
from bots.slack_bot.web import UNREACHABLE, code_of, web_client
from core.errors import SettingsError
from core.settings import secret
from core.settings_groups import SlackSettings


async def slack_checks(settings: SlackSettings) -> list[Check]:
    """Ask Slack whether it takes the tokens, and compare granted with needed scopes."""
    async with aiohttp.ClientSession() as session:
        web = web_client(settings, session)
        try:
            me = await whoami(web)
            if app_token := secret(settings.app_token):
                await check_app_token(web, app_token)
        except SettingsError as error:
            return [Check("slack", Level.PROBLEM, str(error))]
        except UNREACHABLE as error:
            says = f"Slack cannot be asked ({code_of(error) or type(error).__name__}): try again"
            return [Check("slack", Level.PROBLEM, says)]
    how = "Socket Mode" if settings.app_token else "HTTP"
    found = [Check("slack", Level.OK, f"the tokens are taken; events come by {how}")]
    if lacking := sorted(set(SCOPES) - me.scopes):
        says = f"not granted: {', '.join(lacking)}: update the app from the manifest, install again"
        return [*found, Check("slack scopes", Level.PROBLEM, says)]
    return [*found, Check("slack scopes", Level.OK, "all are granted")]
