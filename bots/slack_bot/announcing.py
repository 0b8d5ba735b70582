"""Saying on Slack what nobody just asked for: a digest in a channel, a word to somebody."""

import logging

from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from bots.card import Card
from bots.slack_bot.posting import Posting
from bots.slack_bot.render import messages
from bots.slack_bot.web import UNREACHABLE, code_of
from core.errors import JournalUnavailable
from core.exchanges import MessageRef, Person
from core.models import Platform
from core.ports import Attachment
from core.service import Nightlamp

log = logging.getLogger(__name__)

_NO_THREAD = {"thread_not_found", "message_not_found", "invalid_thread_ts"}


class SlackAnnouncer:
    """An Announcer by a Web API client."""

    def __init__(self, service: Nightlamp, web: AsyncWebClient, posting: Posting) -> None:
        self._service = service
        self._web = web
        self._posting = posting

    async def post(
        self,
        platform: Platform,
        channel_id: str,
        card: object,
        *,
        thread_id: str = "",
        mention: Person | None = None,
        attachment: Attachment | None = None,
    ) -> MessageRef | None:
        """Post a card to a channel or thread; None if Slack refuses it, and so nothing was sent.

        A thread that is gone is spoken to in its channel.

        Raises:
            aiohttp.ClientError, TimeoutError: nobody knows whether it was sent.
        """
        try:
            return await self._send(channel_id, thread_id, card, attachment, mention)
        except SlackApiError as error:
            log.warning("an announcement was refused: %s", code_of(error))
            if not thread_id or code_of(error) not in _NO_THREAD:
                return None
        return await self.post(platform, channel_id, card, mention=mention, attachment=attachment)

    async def tell(
        self, person: Person, card: object, *, attachment: Attachment | None = None
    ) -> MessageRef | None:
        """Send a direct message; None if the person takes none.

        Raises:
            aiohttp.ClientError, TimeoutError: nobody knows whether it came.
        """
        return await self.post(Platform.SLACK, person.user_id, card, attachment=attachment)

    async def _send(
        self,
        channel: str,
        thread: str,
        card: object,
        attachment: Attachment | None,
        mention: Person | None,
    ) -> MessageRef:
        assert isinstance(card, Card)  # noqa: S101 - the port knows no cards
        exchange_id = next((one.exchange_id for one in card.buttons if one.exchange_id), "")
        whom = f"<@{mention.user_id}>" if mention else ""
        shown = messages(card, exchange_id=exchange_id, mention=whom)
        posted = await self._posting.post(channel, thread, shown)
        if exchange_id:
            await self._record(exchange_id, posted)
            await self._posting.seed(posted[0])
        if attachment:
            await self._upload(posted[0], thread, attachment)
        return posted[0]

    async def _record(self, exchange_id: str, posted: list[MessageRef]) -> None:
        try:
            for part, message in enumerate(posted):
                await self._service.posted(exchange_id, message, part)
        except JournalUnavailable:
            log.exception("%s: its messages are not recorded", exchange_id)

    async def _upload(self, below: MessageRef, thread: str, attachment: Attachment) -> None:
        """Put a picture into the thread below; a digest without its picture is still one."""
        try:
            await self._web.files_upload_v2(
                channel=below.channel_id,
                thread_ts=thread or below.message_id,
                filename=attachment.name,
                title=attachment.alt[:_TITLE],
                alt_txt=attachment.alt[:_ALT],
                content=attachment.data,
            )
        except (*UNREACHABLE, SlackRequestError) as error:
            log.warning("a picture was not uploaded: %s", code_of(error) or type(error).__name__)


_TITLE, _ALT = 250, 1000
"""Characters of a file's title and description: what Slack shows of them, and what it takes."""
