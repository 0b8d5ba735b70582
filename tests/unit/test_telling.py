"""People are told once that what they asked has an answer, and only where they may read it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bots.card import ButtonKind, Row
from core.errors import AnnouncementUnsure
from core.exchanges import MessageRef, Person
from core.models import Platform, Vote, Where
from feedback.models import GapStatus
from tests.fakes import FakeAnnouncer
from tests.looping import (
    ANN,
    BEN,
    DISK,
    DISK_PAY,
    PAY,
    PAY_SCOPE,
    QUEUE,
    SEARCH,
    SETTINGS,
    THREAD,
    Team,
    team,
)

PRIVATE = Where(Platform.SLACK, "C1", private=True)
CHANNEL = Where(Platform.SLACK, "C1")


@pytest.fixture
async def acme() -> AsyncIterator[Team]:
    async with team() as made:
        yield made


async def closed(acme: Team, **asked: object) -> None:
    """Have Ann ask what nothing answers, then write the page and build."""
    await acme.gap("G-DISK", await acme.ask("disk full", **asked))  # type: ignore[arg-type]
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")


def with_notices(acme: Team, notices: str) -> None:
    tenants = tuple(one.model_copy(update={"notices": notices}) for one in SETTINGS.tenants)
    acme.settings = SETTINGS.model_copy(update={"tenants": tenants})


async def test_the_asker_is_told_in_the_thread_with_link_and_thumbs(acme: Team) -> None:
    await closed(acme)
    assert await acme.teller.tell("acme") == 1
    [card] = acme.cards
    assert acme.places == ["C1/T1"]
    assert list(acme.announcer.mentions.values()) == [ANN]
    assert (card.title, card.lead) == ("Your question has an answer now", "You asked: disk full")
    [row] = card.listings[0].rows
    assert row == Row(
        "Disk full", "runbooks/disk.md:1", "https://runbooks.example/disk.md#disk-full"
    )
    assert [button.kind for button in card.buttons] == [ButtonKind.UP, ButtonKind.DOWN]
    assert card.footer == "G-DISK"


async def test_nobody_is_told_twice_over_restarts_and_further_builds(acme: Team) -> None:
    await closed(acme)
    await acme.teller.tell("acme")
    await acme.build(SEARCH, DISK, QUEUE)
    await acme.closing.close("acme", "build-3")
    assert await acme.teller.tell("acme") == 0
    assert len(acme.cards) == 1


async def test_who_is_forgotten_while_others_are_told_is_not_remembered_anew(acme: Team) -> None:
    await acme.gap("G-DISK", await acme.ask("disk full"))
    await acme.gap("G-QUEUE", await acme.ask("queue lag", BEN))
    await acme.build(SEARCH, DISK, QUEUE)
    await acme.closing.close("acme", "build-2")

    class Forgetting(FakeAnnouncer):
        async def post(self, *args: Any, **more: Any) -> MessageRef | None:
            for person in (ANN, BEN):
                await acme.journal.forget(person, acme.clock.now())
            return await super().post(*args, **more)

    acme.announcer = Forgetting()
    assert await acme.teller.tell("acme") == 1
    for person in (ANN, BEN):
        assert await acme.journal.rows_of(person) == {}


async def test_thumbs_on_the_message_count_and_a_thumb_down_opens_the_gap_again(
    acme: Team,
) -> None:
    await closed(acme)
    await acme.teller.tell("acme")
    [(message, _)] = acme.announcer.said
    exchange = await acme.journal.exchange_of(message)
    assert exchange is not None
    assert exchange.told
    assert {button.exchange_id for button in acme.cards[0].buttons} == {exchange.id}
    await acme.thumb(exchange.id, Vote.UP)
    assert await acme.journal.votes(exchange.id) == {ANN: Vote.UP}
    assert await acme.reopen() == []
    await acme.thumb(exchange.id, Vote.DOWN)
    assert [one.id for one in await acme.reopen()] == ["G-DISK"]


async def test_several_answers_of_one_person_come_in_one_message(acme: Team) -> None:
    await acme.gap("G-DISK", await acme.ask("disk full"))
    await acme.gap("G-QUEUE", await acme.ask("queue lag"))
    await acme.build(SEARCH, DISK, QUEUE)
    await acme.closing.close("acme", "build-2")
    assert await acme.teller.tell("acme") == 1
    [card] = acme.cards
    assert card.title == "2 of your questions have an answer now"
    assert [row.label for row in card.listings[0].rows] == ["1. disk full", "2. queue lag"]
    assert [button.label for button in card.buttons] == ["👍 1", "👎 1", "👍 2", "👎 2"]
    assert len({button.exchange_id for button in card.buttons}) == 2


async def test_what_was_told_is_never_taken_for_a_question_that_waits(acme: Team) -> None:
    await acme.gap("G-DISK", await acme.ask("disk full"))
    await acme.gap("G-QUEUE", await acme.ask("queue lag"))
    await acme.build(SEARCH, DISK, QUEUE)
    await acme.closing.close("acme", "build-2")
    await acme.teller.tell("acme")
    assert await acme.nightlamp.unanswered() == []


async def test_who_asked_in_several_threads_or_in_private_is_told_by_direct_message(
    acme: Team,
) -> None:
    await acme.gap("G-DISK", await acme.ask("disk full"))
    elsewhere = replace(THREAD, thread_id="T9")
    await acme.gap("G-QUEUE", await acme.ask("queue lag", where=elsewhere))
    await acme.gap("G-OWN", await acme.ask("delete logs", BEN, PRIVATE))
    await acme.build(SEARCH, DISK, QUEUE)
    await acme.closing.close("acme", "build-2")
    await acme.teller.tell("acme")
    assert acme.places == ["U1", "U2"]


async def test_on_slack_the_thread_under_the_answer_is_where_they_asked(acme: Team) -> None:
    await closed(acme, where=CHANNEL)
    await acme.teller.tell("acme")
    [place] = acme.places
    assert place.startswith("C1/m-")


async def test_a_discord_question_outside_of_a_thread_is_told_by_direct_message(
    acme: Team,
) -> None:
    dan = Person(Platform.DISCORD, "77")
    await closed(acme, person=dan, where=Where(Platform.DISCORD, "456"))
    await acme.teller.tell("acme")
    assert acme.places == ["77"]


async def test_by_setting_people_are_told_by_direct_message_or_not_at_all(acme: Team) -> None:
    await closed(acme)
    with_notices(acme, "off")
    assert await acme.teller.tell("acme") == 0
    with_notices(acme, "direct")
    assert await acme.teller.tell("acme") == 1
    assert acme.places == ["U1"]


async def test_who_opted_out_is_not_told(acme: Team) -> None:
    await acme.journal.set_notices(ANN, wanted=False, at=acme.clock.now())
    await closed(acme)
    assert await acme.teller.tell("acme") == 0
    assert acme.cards == []


async def test_a_thread_that_is_gone_falls_back_to_a_direct_message(acme: Team) -> None:
    acme.announcer = FakeAnnouncer("T1")
    await closed(acme)
    assert await acme.teller.tell("acme") == 1
    assert acme.places == ["U1"]


async def test_in_a_narrower_channel_it_is_told_in_full(acme: Team) -> None:
    await acme.gap("G-DISK", await acme.ask("disk full", ANN, PAY, PAY_SCOPE))
    await acme.build(SEARCH, DISK_PAY)
    await acme.closing.close("acme", "build-2")
    await acme.teller.tell("acme")
    assert acme.places == ["C-pay/T2"]
    assert acme.cards[0].listings[0].rows[0].label == "Disk full"


@pytest.mark.parametrize("how", ["setting", "thread is gone"])
async def test_a_direct_message_names_no_page_of_a_narrower_channel(acme: Team, how: str) -> None:
    if how == "setting":
        with_notices(acme, "direct")
    else:
        acme.announcer = FakeAnnouncer("T2")
    await acme.gap("G-DISK", await acme.ask("disk full", ANN, PAY, PAY_SCOPE))
    await acme.build(SEARCH, DISK_PAY)
    await acme.closing.close("acme", "build-2")
    await acme.teller.tell("acme")
    [card] = acme.cards
    [row] = card.listings[0].rows
    assert acme.places == ["U1"]
    assert row == Row("disk full", "not visible here: ask it again where you asked it")
    assert "Disk full" not in repr(card)
    assert card.buttons == ()


async def test_a_page_that_was_hidden_from_the_asker_since_is_not_told(acme: Team) -> None:
    await closed(acme)
    await acme.build(SEARCH, DISK_PAY)
    assert await acme.teller.tell("acme") == 0
    assert acme.cards == []


async def test_a_page_that_has_gone_since_is_not_told(acme: Team) -> None:
    await closed(acme)
    await acme.build(SEARCH)
    assert await acme.teller.tell("acme") == 0
    assert acme.cards == []


async def test_who_cannot_be_reached_is_tried_again_a_few_times(acme: Team) -> None:
    class Waking(FakeAnnouncer):
        """Nobody is there until somebody has slept for a minute."""

        async def tell(self, person: Person, card: object, **more: object) -> MessageRef | None:
            self.unreachable = frozenset() if 60.0 in acme.slept else frozenset({"U1", "T1"})
            return await super().tell(person, card)

    acme.announcer = Waking("T1")
    await closed(acme)
    assert await acme.teller.tell("acme") == 1
    assert acme.places == ["U1"]


async def test_who_is_never_reached_is_left_alone_after_the_last_try(acme: Team) -> None:
    acme.announcer = FakeAnnouncer("T1", "U1")
    await closed(acme)
    assert await acme.teller.tell("acme") == 0
    acme.announcer = FakeAnnouncer()
    assert await acme.teller.tell("acme") == 0


async def test_a_crash_in_the_midst_tells_nobody_twice_and_the_rest_after_the_start(
    acme: Team,
) -> None:
    class Crashing(FakeAnnouncer):
        async def post(self, *_args: object, **_more: object) -> None:
            raise asyncio.CancelledError

    replies = [await acme.ask("disk full"), await acme.ask("full disk", BEN)]
    await acme.gap("G-DISK", *replies)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    acme.announcer = Crashing()
    with pytest.raises(asyncio.CancelledError):
        await acme.teller.tell("acme")
    acme.announcer = FakeAnnouncer()
    assert await acme.teller.tell("acme") == 1
    assert list(acme.announcer.mentions.values()) == [BEN]


async def test_what_a_platform_may_have_sent_is_not_sent_again(acme: Team) -> None:
    class Failing(FakeAnnouncer):
        async def post(self, *_args: object, **_more: object) -> None:
            raise AnnouncementUnsure("slack failed")

    acme.announcer = announcer = Failing()
    await closed(acme)
    await acme.teller.tell("acme")
    await acme.teller.tell("acme")
    assert announcer.said == []
    assert acme.slept.count(60.0) == 0


async def test_a_gap_that_a_person_settled_is_told_too(acme: Team) -> None:
    await acme.gap("G-DISK", await acme.ask("disk full"))
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    section = (await acme.record("G-DISK")).section
    await acme.gap("G-OTHER", await acme.ask("queue lag", BEN))
    acme.clock.advance(timedelta(minutes=1))
    now = acme.clock.now()
    await acme.journal.decide("G-OTHER", GapStatus.DONE, by=ANN, at=now, section=section)
    assert await acme.teller.tell("acme") == 2
    assert acme.cards[1].lead == "You asked: queue lag"
