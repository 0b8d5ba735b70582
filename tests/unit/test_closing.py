"""Which gaps a build closes, and which come open again."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from core.exchanges import Person
from core.models import Platform, Vote
from core.outcomes import Answer, Refusal
from feedback.closing import SAMPLED
from feedback.models import GapStatus
from feedback.reopening import LATELY
from tests.indexed import page
from tests.looping import (
    ANN,
    BEN,
    DISK,
    DISK_BETTER,
    DISK_PAY,
    DISK_THEIRS,
    OPEN,
    PAY,
    PAY_SCOPE,
    QUEUE,
    SEARCH,
    Team,
    team,
)

TEXTS = ("disk full", "full disk", "disk logs", "old logs disk", "delete logs", "old disk", "logs")


@pytest.fixture
async def acme() -> AsyncIterator[Team]:
    async with team() as made:
        yield made


async def disk_gap(acme: Team) -> None:
    first = await acme.ask("disk full")
    assert isinstance(first.outcome, Refusal)
    await acme.gap("G-DISK", first, await acme.ask("full disk", BEN))


async def test_a_gap_whose_questions_a_build_answers_is_closed_by_it_and_its_section(
    acme: Team,
) -> None:
    await disk_gap(acme)
    await acme.build(SEARCH, DISK)
    [(closed, section)] = await acme.closing.close("acme", "build-2")
    record = await acme.record("G-DISK")
    assert (closed.id, section.path, section.breadcrumb) == ("G-DISK", "disk.md", "Disk full")
    assert (record.status, record.build, record.section) == (
        GapStatus.CLOSED,
        "build-2",
        section,
    )
    assert record.changed_by is None


async def test_closing_again_closes_nothing_more(acme: Team) -> None:
    await disk_gap(acme)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    assert await acme.closing.close("acme", "build-2") == []


async def test_a_gap_that_the_build_does_not_answer_stays_open(acme: Team) -> None:
    await disk_gap(acme)
    await acme.build(SEARCH, QUEUE)
    assert await acme.closing.close("acme", "build-2") == []
    assert (await acme.record("G-DISK")).status is GapStatus.OPEN


async def test_half_of_the_questions_is_not_enough(acme: Team) -> None:
    await acme.gap("G-BOTH", await acme.ask("disk full"), await acme.ask("queue lag"))
    await acme.build(SEARCH, DISK)
    assert await acme.closing.close("acme", "build-2") == []


async def test_only_the_newest_wordings_are_asked_again_one_at_a_time(acme: Team) -> None:
    replies = [await acme.ask(TEXTS[number]) for number in range(SAMPLED + 2)]
    await acme.gap("G-DISK", *replies, await acme.ask("Old  LOGS disk"))
    acme.slept.clear()
    await acme.closing.close("acme", "build-2")
    assert len(acme.slept) == SAMPLED


async def test_owned_and_snoozed_gaps_are_closed_too_and_dismissed_ones_are_not(
    acme: Team,
) -> None:
    statuses = (GapStatus.OWNED, GapStatus.SNOOZED, GapStatus.DISMISSED)
    for number, status in enumerate(statuses):
        await acme.gap(f"G-{number}", await acme.ask(TEXTS[number]))
        await acme.journal.decide(f"G-{number}", status, by=BEN, at=acme.clock.now())
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    found = [(await acme.record(f"G-{number}")).status for number in range(3)]
    assert found == [GapStatus.CLOSED, GapStatus.CLOSED, GapStatus.DISMISSED]
    assert (await acme.record("G-0")).owner == BEN


async def test_questions_are_asked_in_their_own_scope_and_tenant(acme: Team) -> None:
    await disk_gap(acme)
    await acme.gap("G-PAY", await acme.ask("disk full", ANN, PAY, PAY_SCOPE))
    await acme.build(SEARCH, DISK_THEIRS)
    assert await acme.closing.close("acme", "build-2") == []
    await acme.build(SEARCH, DISK_PAY)
    closed = await acme.closing.close("acme", "build-3")
    assert [record.id for record, _ in closed] == ["G-PAY"]


async def test_the_section_that_was_voted_down_does_not_close_its_gap_until_its_page_changed(
    acme: Team,
) -> None:
    await acme.build(SEARCH, DISK)
    answered = await acme.ask("disk full")
    assert isinstance(answered.outcome, Answer)
    await acme.thumb(answered.exchange_id, Vote.DOWN)
    await acme.gap("G-DISK", answered)
    await acme.build(SEARCH, DISK, QUEUE)
    assert await acme.closing.close("acme", "build-2", {"runbooks/queue.md"}) == []
    await acme.build(SEARCH, DISK_BETTER, QUEUE)
    closed = await acme.closing.close("acme", "build-3", {"runbooks/disk.md"})
    assert [record.id for record, _ in closed] == ["G-DISK"]


async def test_what_a_wrong_section_answered_is_closed_by_the_right_one_once_its_page_says_it(
    acme: Team,
) -> None:
    await acme.build(SEARCH, DISK)
    answered = await acme.ask("disk logs")
    assert isinstance(answered.outcome, Answer)
    await acme.thumb(answered.exchange_id, Vote.DOWN)
    await acme.gap("G-DISK", answered)
    asked = "# Full shards\n\nShrink them.\n\n<!-- asked: disk logs | logs of the disk -->\n"
    await acme.build(SEARCH, page("shards.md", asked))
    [(closed, section)] = await acme.closing.close("acme", "build-2", {"runbooks/shards.md"})
    assert (closed.id, section.breadcrumb) == ("G-DISK", "Full shards")


async def closed_and_asked(acme: Team, person: Person = BEN) -> str:
    """Close a gap, and have its question asked once more; returns the new exchange."""
    await disk_gap(acme)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    again = await acme.ask("disk full", person)
    await acme.gap("G-DISK", again)
    return again.exchange_id


async def test_a_closed_gap_that_is_voted_down_afterwards_comes_open_again(acme: Team) -> None:
    exchange_id = await closed_and_asked(acme)
    assert await acme.reopen() == []
    await acme.thumb(exchange_id, Vote.DOWN, BEN)
    [opened] = await acme.reopen()
    record = await acme.record("G-DISK")
    assert (opened.id, record.status, record.changed_by) == ("G-DISK", GapStatus.OPEN, BEN)


async def test_what_came_open_again_is_not_closed_by_the_same_section_at_once(
    acme: Team,
) -> None:
    await acme.thumb(await closed_and_asked(acme), Vote.DOWN)
    await acme.reopen()
    assert await acme.closing.close("acme", "build-3") == []
    assert await acme.closing.close("acme", "build-4", {"runbooks/disk.md"}) != []
    assert await acme.reopen() == []


async def test_a_thumb_up_or_one_taken_back_opens_nothing(acme: Team) -> None:
    exchange_id = await closed_and_asked(acme)
    await acme.thumb(exchange_id, Vote.DOWN)
    await acme.thumb(exchange_id, Vote.UP)
    assert await acme.reopen() == []


async def test_a_vote_from_before_the_closing_opens_nothing(acme: Team) -> None:
    before = await acme.ask("disk full")
    await acme.thumb(before.exchange_id, Vote.DOWN)
    await acme.gap("G-DISK", before)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    assert await acme.reopen() == []


async def test_a_question_that_is_refused_after_the_closing_opens_its_gap_again(
    acme: Team,
) -> None:
    await disk_gap(acme)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    await acme.build(SEARCH)
    refused = await acme.ask("disk full")
    assert isinstance(refused.outcome, Refusal)
    await acme.gap("G-DISK", refused)
    assert [record.id for record in await acme.reopen()] == ["G-DISK"]
    assert (await acme.record("G-DISK")).changed_by is None


async def test_a_gap_settled_long_ago_is_looked_at_once_it_has_new_questions(acme: Team) -> None:
    await disk_gap(acme)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    await acme.build(SEARCH)
    acme.clock.advance(2 * LATELY)
    await acme.gap("G-DISK", await acme.ask("disk full"))
    assert await acme.reopen() == []
    assert [record.id for record in await acme.reopen({"G-DISK"})] == ["G-DISK"]


async def test_one_notice_a_person_and_gap_for_those_who_can_be_told(acme: Team) -> None:
    await disk_gap(acme)
    await acme.gap("G-DISK", await acme.ask("Disk, full"))
    await acme.gap("G-DISK", await acme.ask("disk full", Person(Platform.TERMINAL, "root")))
    assert await acme.closing.notices("acme") == {}
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    found = await acme.closing.notices("acme")
    asked = {who: [one.exchange.question.text for one in them] for who, them in found.items()}
    assert asked == {ANN: ["Disk, full"], BEN: ["full disk"]}


async def test_after_a_fortnight_nobody_is_told_any_more(acme: Team) -> None:
    await disk_gap(acme)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    acme.clock.advance(LATELY + timedelta(minutes=1))
    assert await acme.closing.notices("acme") == {}


async def test_keywords_alone_close_nothing(acme: Team) -> None:
    await disk_gap(acme)
    await acme.build(SEARCH, DISK)
    acme.embedder.failing = True  # type: ignore[attr-defined]
    assert await acme.closing.close("acme", "build-2") == []
    assert (await acme.ask("disk full", scope=OPEN)).exchange_id
