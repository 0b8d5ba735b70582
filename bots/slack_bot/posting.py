"""Cards onto Slack: posted in order, shown to one person, changed, taken down."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bots.card import Card
from bots.notes import only_you
from bots.slack_bot.render import Message, messages
from bots.slack_bot.web import TIMEOUT, UNREACHABLE, code_of
from core.exchanges import MessageRef
from core.models import Platform, Vote

log = logging.getLogger(__name__)

NAMES = {Vote.UP: "+1", Vote.DOWN: "-1"}
_GONE = {"message_not_found", "cant_delete_message", "channel_not_found"}


Sent = Callable[[MessageRef, int], Awaitable[None]]
"""Is told of a message as soon as it stands, and which part it is, from 0."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who alone is to see something, where, and how to reach them there."""

    user: str
    channel: str
    thread: str = ""
    response_url: str = ""


class Posting:
    """Calls Slack. One channel's messages are sent one after the other, so that none overtakes."""

    def __init__(self, web: AsyncWebClient) -> None:
        self._web = web
        self._order: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._complained: set[str] = set()

    async def post(
        self,
        channel: str,
        thread: str,
        shown: Sequence[Message],
        sent: Sent | None = None,
    ) -> list[MessageRef]:
        """Post messages, those after the first in the thread below it; `sent` is told of each.

        Raises:
            SlackApiError: Slack refused the first; `code_of` says why.
            aiohttp.ClientError, TimeoutError: it did not get through.
        """
        posted: list[MessageRef] = []
        async with self._order[channel]:
            for message in shown:
                root = thread or (posted[0].message_id if posted else "")
                answer = await self._web.chat_postMessage(
                    channel=channel, thread_ts=root or None, **message.payload
                )
                channel = answer["channel"]
                posted.append(MessageRef(Platform.SLACK, channel, answer["ts"]))
                if sent is not None:
                    await sent(posted[-1], len(posted) - 1)
        return posted

    async def change(
        self, first: MessageRef, shown: Sequence[Message], thread: str
    ) -> list[MessageRef]:
        """Show something else in a message's place; more than one message goes below it."""
        message, *rest = shown
        await self._web.chat_update(
            channel=first.channel_id, ts=first.message_id, **message.payload
        )
        return await self.post(first.channel_id, thread or first.message_id, rest)

    async def take_down(self, found: Sequence[MessageRef]) -> None:
        """Delete messages; those that are gone already are no failure."""
        for message in reversed(found):
            try:
                await self._web.chat_delete(channel=message.channel_id, ts=message.message_id)
            except SlackApiError as error:
                if code_of(error) not in _GONE:
                    raise

    async def tell(
        self, reader: Reader, card: Card, *, exchange_id: str = "", replaces: bool = False
    ) -> str:
        """Show a card to one person; returns the first message's id, empty if nothing gets through.

        By the response URL where there is one, which works in channels that the bot is not in; then
        in the channel; then as a direct message.
        """
        shown = messages(card, exchange_id=exchange_id)
        if reader.response_url and await self._respond(reader.response_url, shown, replaces):
            return f"ephemeral:{exchange_id}"
        try:
            return await self._ephemeral(reader, shown)
        except UNREACHABLE as error:
            self._complain(reader.channel, error)
        try:
            return (await self.post(reader.user, "", shown))[0].message_id
        except UNREACHABLE:
            log.exception("nobody was told of %s", exchange_id or card.title)
            return ""

    async def seed(self, message: MessageRef) -> None:
        """Put both thumbs under an answer, where the bot may."""
        for name in NAMES.values():
            try:
                await self._web.reactions_add(
                    channel=message.channel_id, timestamp=message.message_id, name=name
                )
            except UNREACHABLE as error:
                if code_of(error) != "already_reacted":
                    self._complain(f"thumbs in {message.channel_id}", error)
                    return

    def unpostable(self, card: Card, channel: str, error: BaseException) -> Card:
        """Return a card with why only its reader sees it; said in the log once a channel."""
        self._complain(channel, error)
        lead = " ".join(filter(None, (only_you(code_of(error)), card.lead)))
        return replace(card, lead=lead)

    async def _respond(self, url: str, shown: Sequence[Message], replaces: bool) -> bool:
        client = AsyncWebhookClient(url, timeout=TIMEOUT)
        for number, message in enumerate(shown):
            payload = {
                "response_type": "ephemeral",
                "replace_original": replaces and number == 0,
                "text": message.text,
                "blocks": list(message.blocks),
            }
            try:
                answer = await client.send_dict(payload)
            except UNREACHABLE:
                return False
            if answer.status_code != 200:
                log.warning("a response url answered %d", answer.status_code)
                return False
        return True

    async def _ephemeral(self, reader: Reader, shown: Sequence[Message]) -> str:
        ids: list[str] = []
        for message in shown:
            answer = await self._web.chat_postEphemeral(
                channel=reader.channel,
                user=reader.user,
                thread_ts=reader.thread or None,
                text=message.text,
                blocks=message.payload["blocks"],
            )
            ids.append(str(answer["message_ts"]))
        return ids[0]

    def _complain(self, about: str, error: BaseException) -> None:
        what = f"{about}: {code_of(error) or type(error).__name__}"
        if what not in self._complained:
            self._complained.add(what)
            log.warning("Slack refuses %s", what)
