"""Reports from the journal: names are kept, lists are narrowed, nothing private is quoted."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from core.models import EVERYONE, Platform, Vote, Where
from feedback.gap_book import Actor, GapBook
from feedback.gap_filter import GapFilter
from feedback.models import Gap, GapReport, GapStatus
from tests.looping import ANN, BEN, DISK, PAY, PAY_SCOPE, SEARCH, Team, team

ADMIN = Actor(BEN, "acme", admin=True)
PRIVATE = Where(Platform.SLACK, "C1", private=True)
WEEK = timedelta(days=7)


@pytest.fixture
async def acme() -> AsyncIterator[Team]:
    async with team() as made:
        yield made


def book(acme: Team) -> GapBook:
    return GapBook(acme.journal, acme.index, acme.clock)


async def reported(acme: Team, *labels: str) -> GapReport:
    now = acme.clock.now() + timedelta(seconds=1)
    return await book(acme).report("acme", now - WEEK, now, labels or (EVERYONE,))


async def listed(acme: Team, narrowed: GapFilter) -> tuple[Gap, ...]:
    now = acme.clock.now() + timedelta(seconds=1)
    report = await book(acme).listing("acme", now - WEEK, now, (EVERYONE,), narrowed)
    return report.gaps


async def test_questions_that_mean_the_same_are_one_gap_with_a_name(acme: Team) -> None:
    await acme.ask("disk full")
    await acme.ask("full disk", BEN)
    await acme.ask("queue lag", BEN)
    report = await reported(acme)
    assert sorted((gap.count, gap.askers) for gap in report.gaps) == [(1, 1), (2, 2)]
    kept = {record.id for record in await acme.journal.gap_records("acme")}
    assert {gap.record.id for gap in report.gaps} == kept


async def test_names_stay_from_week_to_week(acme: Team) -> None:
    await acme.ask("disk full")
    [first] = (await reported(acme)).gaps
    acme.clock.advance(WEEK)
    await acme.ask("full disk", BEN)
    [second] = (await reported(acme)).gaps
    assert first.record.id == second.record.id
    assert (second.count, second.before) == (1, 1)


async def test_a_report_of_nothing_is_one_without_gaps(acme: Team) -> None:
    report = await reported(acme)
    assert (report.gaps, report.closed, report.numbers.asked) == ((), (), 0)


async def test_private_and_narrower_words_are_counted_and_not_quoted(acme: Team) -> None:
    await acme.ask("disk full", ANN, PRIVATE)
    await acme.ask("queue lag", BEN, PAY, PAY_SCOPE)
    assert [gap.sample for gap in (await reported(acme)).gaps] == ["", ""]
    seen = await reported(acme, EVERYONE, "pay")
    assert {gap.sample for gap in seen.gaps} == {"", "queue lag"}


async def test_another_tenant_has_none_of_it(acme: Team) -> None:
    await acme.ask("disk full")
    now = acme.clock.now() + timedelta(seconds=1)
    report = await book(acme).report("globex", now - WEEK, now, (EVERYONE,))
    assert report.gaps == ()


async def test_lists_are_narrowed_by_status_and_owner(acme: Team) -> None:
    texts = {"disk full": "own", "queue lag": "snooze", "login token": "dismiss"}
    for text in texts:
        await acme.ask(text)
    names = {gap.sample: gap.record.id for gap in (await reported(acme)).gaps}
    await book(acme).own(names["disk full"], Actor(ANN, "acme"))
    await book(acme).snooze(names["queue lag"], ADMIN, 7)
    await book(acme).dismiss(names["login token"], ADMIN)
    shown = {
        status: [gap.sample for gap in await listed(acme, GapFilter(status=status))]
        for status in GapStatus
    }
    assert shown == {
        GapStatus.OPEN: [],
        GapStatus.OWNED: ["disk full"],
        GapStatus.SNOOZED: ["queue lag"],
        GapStatus.DISMISSED: ["login token"],
        GapStatus.DONE: [],
        GapStatus.CLOSED: [],
    }
    [snoozed] = await listed(acme, GapFilter(status=GapStatus.SNOOZED))
    assert snoozed.record.status is GapStatus.SNOOZED
    assert [gap.sample for gap in await listed(acme, GapFilter(owner=ANN))] == ["disk full"]
    assert [gap.sample for gap in await listed(acme, GapFilter(text="DISK"))] == ["disk full"]


async def test_a_closed_gap_is_listed_as_closed_and_comes_back_when_voted_down(
    acme: Team,
) -> None:
    await acme.ask("disk full")
    [gap] = (await reported(acme)).gaps
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    assert (await reported(acme)).gaps == ()
    assert [one.record.id for one in await listed(acme, GapFilter(status=GapStatus.CLOSED))] == [
        gap.record.id
    ]
    again = await acme.ask("disk full", BEN)
    await acme.thumb(again.exchange_id, Vote.DOWN, BEN)
    [back] = (await reported(acme)).gaps
    assert (back.record.id, back.record.status) == (gap.record.id, GapStatus.OPEN)


async def test_what_askers_were_told_is_no_question_but_its_thumbs_count(acme: Team) -> None:
    await acme.ask("disk full")
    await reported(acme)
    await acme.build(SEARCH, DISK)
    await acme.closing.close("acme", "build-2")
    await acme.teller.tell("acme")
    [(message, _)] = acme.announcer.said
    told = await acme.journal.exchange_of(message)
    assert told is not None
    await acme.thumb(told.id, Vote.UP)
    numbers = (await reported(acme)).numbers
    assert (numbers.asked, numbers.thumbs_up) == (1, 1)


async def test_gaps_are_named_before_any_report(acme: Team) -> None:
    await acme.ask("disk full")
    acme.clock.advance(timedelta(seconds=1))
    await book(acme).name_gaps("acme")
    await book(acme).name_gaps("acme")
    [record] = await acme.journal.gap_records("acme")
    assert len(record.exchange_ids) == 1
