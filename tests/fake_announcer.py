"""An announcer that only remembers: for what digests and closings will say."""

from core.exchanges import MessageRef, Person
from core.models import Platform
from core.ports import Attachment


class FakeAnnouncer:
    """An Announcer in a list. Channels, threads and persons in `unreachable` get nothing.

    `said` has every message with its card, `threads`, `mentions` and `attachments` what came
    with it.
    """

    def __init__(self, *unreachable: str) -> None:
        self.unreachable = frozenset(unreachable)
        self.said: list[tuple[MessageRef, object]] = []
        self.threads: dict[MessageRef, str] = {}
        self.mentions: dict[MessageRef, Person] = {}
        self.attachments: dict[MessageRef, Attachment] = {}

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
        if thread_id in self.unreachable:
            return None
        message = self._say(platform, channel_id, card, attachment)
        if message and thread_id:
            self.threads[message] = thread_id
        if message and mention:
            self.mentions[message] = mention
        return message

    async def tell(
        self, person: Person, card: object, *, attachment: Attachment | None = None
    ) -> MessageRef | None:
        return self._say(person.platform, person.user_id, card, attachment)

    def _say(
        self, platform: Platform, to: str, card: object, attachment: Attachment | None
    ) -> MessageRef | None:
        if to in self.unreachable:
            return None
        message = MessageRef(platform, to, str(len(self.said) + 1))
        self.said.append((message, card))
        if attachment:
            self.attachments[message] = attachment
        return message
