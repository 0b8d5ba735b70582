"""Votes that were given or taken back while nobody listened: Slack hands them over for minutes."""

import logging
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bots.app import App
from bots.slack_bot.events import VOTES, person
from bots.slack_bot.web import UNREACHABLE, code_of
from core.exchanges import MessageRef, Person
from core.models import Platform, Vote

log = logging.getLogger(__name__)

_MOST = 50
"""Messages that are looked at, one call each: Slack takes as many a minute."""


async def reconcile(app: App, web: AsyncWebClient, own: str) -> None:
    """Read the thumbs of recent answers from Slack, and keep what was missed.

    Raises:
        JournalUnavailable: it cannot be read or written now.
    """
    missed = 0
    for ref in (await app.service.open_messages(Platform.SLACK))[:_MOST]:
        read_at = app.clock.now()
        try:
            standing = await _standing(web, ref, own)
        except UNREACHABLE as error:
            told = (ref.message_id, code_of(error) or error)
            log.info("message %s: its votes cannot be read: %s", *told)
            continue
        missed += await app.service.reconcile(ref, standing, read_at)
    if missed:
        log.info("%d thumbs were missed and are kept now", missed)


async def _standing(web: AsyncWebClient, ref: MessageRef, own: str) -> set[tuple[Person, Vote]]:
    answer = await web.reactions_get(channel=ref.channel_id, timestamp=ref.message_id, full=True)
    message: dict[str, Any] = answer.get("message") or {}
    found: set[tuple[Person, Vote]] = set()
    for reaction in message.get("reactions") or ():
        vote = VOTES.get(str(reaction["name"]).partition("::")[0])
        if vote is not None:
            found |= {(person(user), vote) for user in reaction["users"] if user != own}
    return found
