"""The router: the channel of the platform speaks, and one that cannot is None."""

import asyncio
from collections.abc import Callable

import pytest

from bots.announcing import Announcers
from core.errors import AnnouncementUnsure
from core.exchanges import MessageRef, Person
from core.models import Platform
from core.ports import Announcer, Attachment
from tests.fakes import FakeAnnouncer

ANN = Person(Platform.SLACK, "U1")
PNG = Attachment("digest.png", b"png", "a chart")


class FakeChannel:
    """A channel that announces while it is up."""

    def __init__(self, name: str, announcer: Announcer | None) -> None:
        self.name = name
        self.announcer = announcer

    async def run(self) -> None: ...


class MuteChannel:
    """A channel that never learned to announce."""

    name = "slack"

    async def run(self) -> None: ...


class Failing(FakeAnnouncer):
    """Fails as it was told to."""

    def __init__(self, fail: Callable[[], object]) -> None:
        super().__init__()
        self._fail = fail

    async def tell(self, *args: object, **more: object) -> MessageRef | None:
        result = self._fail()
        if isinstance(result, Exception):
            raise result
        await asyncio.Event().wait()
        return None


async def test_the_channel_of_the_platform_speaks_with_all_that_comes_with_it() -> None:
    slack, discord = FakeAnnouncer(), FakeAnnouncer()
    router = Announcers()
    router.speak_by([FakeChannel("slack", slack), FakeChannel("discord", discord)])
    message = await router.post(
        Platform.SLACK, "C1", "a card", thread_id="T1", mention=ANN, attachment=PNG
    )
    assert message is not None
    assert slack.said == [(message, "a card")]
    assert (slack.threads, slack.mentions) == ({message: "T1"}, {message: ANN})
    assert slack.attachments == {message: PNG}
    assert discord.said == []
    assert await router.tell(Person(Platform.DISCORD, "7"), "another") is not None
    assert len(discord.said) == 1


@pytest.mark.parametrize(
    "channels",
    [
        (),
        (FakeChannel("discord", FakeAnnouncer()),),
        (FakeChannel("slack", None),),
        (MuteChannel(),),
    ],
    ids=["none", "another platform", "down", "mute"],
)
async def test_where_no_channel_can_speak_nothing_was_sent(
    channels: tuple[FakeChannel | MuteChannel, ...],
) -> None:
    router = Announcers()
    router.speak_by(channels)
    assert await router.tell(ANN, "a card") is None
    assert await router.post(Platform.SLACK, "C1", "a card") is None


@pytest.mark.parametrize("fail", [lambda: ConnectionError("away"), lambda: None])
async def test_a_platform_that_fails_or_hangs_in_the_midst_is_said_and_logged(
    fail: Callable[[], object], caplog: pytest.LogCaptureFixture
) -> None:
    router = Announcers(patience=0.01)
    router.speak_by([FakeChannel("slack", Failing(fail))])
    with pytest.raises(AnnouncementUnsure, match="slack failed"):
        await router.tell(ANN, "a card")
    assert "slack failed in an announcement" in caplog.text
