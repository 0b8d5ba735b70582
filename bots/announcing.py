"""Which channel says something that nobody just asked for: the one of its platform, if it is up."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, runtime_checkable

from bots.supervisor import Channel
from core.errors import AnnouncementUnsure
from core.exchanges import MessageRef, Person
from core.models import Platform
from core.ports import Announcer, Attachment

log = logging.getLogger(__name__)

PATIENCE = 30.0
"""Seconds that one announcement may take: a platform's rate limit passes in less."""


@runtime_checkable
class Speaks(Protocol):
    """A channel that can announce while it is connected."""

    @property
    def announcer(self) -> Announcer | None:
        """Return what announces there; None while the channel is down."""
        ...


class Announcers:
    """An Announcer over all channels: None where the platform has none, or it is down.

    The channels are made over the app, which needs this first, so they are given to it later.
    """

    def __init__(self, *, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._channels: tuple[Channel, ...] = ()

    def speak_by(self, channels: Sequence[Channel]) -> None:
        """Announce by these channels from now on; each is named as its platform."""
        self._channels = tuple(channels)

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
        """Post a card to a channel, or in a thread of it; None if it cannot be reached.

        Raises:
            AnnouncementUnsure: the platform failed, or hung, in the midst of it.
        """
        return await self._by(
            platform,
            lambda one: one.post(
                platform,
                channel_id,
                card,
                thread_id=thread_id,
                mention=mention,
                attachment=attachment,
            ),
        )

    async def tell(
        self, person: Person, card: object, *, attachment: Attachment | None = None
    ) -> MessageRef | None:
        """Send a card to a person; None if they cannot be reached.

        Raises:
            AnnouncementUnsure: the platform failed, or hung, in the midst of it.
        """
        return await self._by(
            person.platform, lambda one: one.tell(person, card, attachment=attachment)
        )

    async def _by(
        self, platform: Platform, say: Callable[[Announcer], Awaitable[MessageRef | None]]
    ) -> MessageRef | None:
        announcer = self._announcer(platform)
        if announcer is None:
            return None
        try:
            async with asyncio.timeout(self._patience):
                return await say(announcer)
        except Exception as error:  # whatever a platform's library raises, it is no answer
            log.exception("%s failed in an announcement", platform)
            raise AnnouncementUnsure(f"{platform} failed: look whether it was posted.") from error

    def _announcer(self, platform: Platform) -> Announcer | None:
        for channel in self._channels:
            if channel.name == platform and isinstance(channel, Speaks):
                return channel.announcer
        return None
