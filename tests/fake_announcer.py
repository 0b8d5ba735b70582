"""An announcer that only remembers: for what digests and closings will say."""

from core.exchanges import MessageRef, Person
from core.models import Platform


class FakeAnnouncer:
    """An Announcer in a list. Channels and persons in `unreachable` get nothing."""

    def __init__(self, *unreachable: str) -> None:
        self.unreachable = frozenset(unreachable)
        self.said: list[tuple[MessageRef, object]] = []

    async def post(self, platform: Platform, channel_id: str, card: object) -> MessageRef | None:
        return self._say(platform, channel_id, card)

    async def tell(self, person: Person, card: object) -> MessageRef | None:
        return self._say(person.platform, person.user_id, card)

    def _say(self, platform: Platform, to: str, card: object) -> MessageRef | None:
        if to in self.unreachable:
            return None
        message = MessageRef(platform, to, str(len(self.said) + 1))
        self.said.append((message, card))
        return message
