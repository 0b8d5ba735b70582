"""Every Announcer must pass these."""

import pytest

from core.exchanges import MessageRef, Person
from core.models import Platform
from core.ports import Announcer, Attachment
from tests.fakes import FakeAnnouncer


@pytest.fixture(params=["fake"])
def announcer(request: pytest.FixtureRequest) -> Announcer:
    return {"fake": FakeAnnouncer}[request.param]("C-gone", "U-gone")


async def test_a_card_that_was_posted_has_a_message_of_its_own(announcer: Announcer) -> None:
    first = await announcer.post(Platform.SLACK, "C1", "a card")
    second = await announcer.post(Platform.SLACK, "C1", "another")
    assert first is not None
    assert second is not None
    assert (first.platform, first.channel_id) == (Platform.SLACK, "C1")
    assert first != second


async def test_a_person_is_told_where_they_are(announcer: Announcer) -> None:
    told = await announcer.tell(Person(Platform.DISCORD, "U1"), "a card")
    assert isinstance(told, MessageRef)
    assert told.platform is Platform.DISCORD


async def test_who_cannot_be_reached_is_said_by_none(announcer: Announcer) -> None:
    assert await announcer.post(Platform.SLACK, "C-gone", "a card") is None
    assert await announcer.tell(Person(Platform.SLACK, "U-gone"), "a card") is None


async def test_a_card_goes_into_a_thread_with_a_picture_and_a_mention(announcer: Announcer) -> None:
    picture = Attachment("digest.png", b"png", "a chart")
    ann = Person(Platform.SLACK, "U1")
    said = await announcer.post(
        Platform.SLACK, "C1", "a card", thread_id="T1", mention=ann, attachment=picture
    )
    assert said is not None
    assert await announcer.tell(ann, "a card", attachment=picture) is not None
