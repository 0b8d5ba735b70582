"""Who may reindex: named people, members of named user groups, or the workspace's admins."""

import logging

from slack_sdk.web.async_client import AsyncWebClient

from bots.slack_bot.web import UNREACHABLE, code_of
from core.settings_lists import TenantSettings

log = logging.getLogger(__name__)


async def is_admin(web: AsyncWebClient, tenant: TenantSettings, user: str) -> bool:
    """Return whether somebody is an admin; what Slack does not tell counts as no."""
    admins = tenant.admins
    if user in admins.slack_users:
        return True
    try:
        for group in admins.slack_usergroups:
            answer = await web.usergroups_users_list(usergroup=group)
            if user in answer["users"]:
                return True
        if admins.slack_workspace_admins:
            answer = await web.users_info(user=user)
            return bool(answer["user"].get("is_admin"))
    except UNREACHABLE as error:
        log.warning("cannot tell whether somebody is an admin: %s", code_of(error) or error)
    return False
