"""Cron on wall clocks: nothing is skipped and nothing comes twice where clocks change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cron import due, last_due, parse_cron

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
CENTRAL, PACIFIC = ZoneInfo("US/Central"), ZoneInfo("US/Pacific")
UTC_ZONE = ZoneInfo("UTC")


def at(text: str, zone: ZoneInfo = UTC_ZONE) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def wall(instant: datetime, zone: ZoneInfo) -> str:
    assert instant.tzinfo is UTC
    return instant.astimezone(zone).strftime("%a %F %H:%M")


@pytest.mark.parametrize(
    ("zone", "before", "monday"),
    [
        (CENTRAL, "2021-03-08", "2021-03-15"),
        (PACIFIC, "2022-03-07", "2022-03-14"),
        (BERLIN, "2026-03-23", "2026-03-30"),
        (NEW_YORK, "2027-03-08", "2027-03-15"),
    ],
    ids=str,
)
@pytest.mark.parametrize("clock", ["00:00", "00:30", "01:00", "09:00"])
def test_the_monday_after_spring_forward_is_not_skipped(
    zone: ZoneInfo, before: str, monday: str, clock: str
) -> None:
    hour, minute = clock.split(":")
    cron = parse_cron(f"{int(minute)} {int(hour)} * * mon")
    first = at(f"{before}T{clock}", zone)
    assert wall(due(cron, zone, first), zone) == f"Mon {monday} {clock}"


@pytest.mark.parametrize(
    ("zone", "day"),
    [(CENTRAL, "2021-03-14"), (PACIFIC, "2022-03-13"), (BERLIN, "2026-03-29")],
    ids=str,
)
def test_every_midnight_around_spring_forward_comes(zone: ZoneInfo, day: str) -> None:
    cron, now = parse_cron("0 0 * * *"), at(f"{day}T00:00", zone) - timedelta(days=2, minutes=1)
    days = []
    for _ in range(5):
        now = due(cron, zone, now)
        days.append(now.astimezone(zone).date() - at(day, zone).date())
    assert days == [timedelta(days=number) for number in range(-2, 3)]


def test_nine_stays_nine_over_both_changes() -> None:
    cron, now = parse_cron("0 9 * * mon"), at("2026-01-05T09:00", BERLIN)
    for _ in range(52):
        following = due(cron, BERLIN, now)
        assert wall(following, BERLIN).endswith("09:00")
        assert following.astimezone(BERLIN).date() - now.astimezone(BERLIN).date() == timedelta(7)
        now = following


def test_a_time_that_a_day_lacks_comes_at_the_first_instant_after() -> None:
    cron = parse_cron("30 2 * * *")
    assert wall(due(cron, BERLIN, at("2026-03-29T00:00", BERLIN)), BERLIN) == "Sun 2026-03-29 03:00"
    assert wall(due(cron, BERLIN, at("2026-03-29T03:00", BERLIN)), BERLIN) == "Mon 2026-03-30 02:30"


def test_times_that_a_day_lacks_come_once_together() -> None:
    cron = parse_cron("*/15 2 * * *")
    first = due(cron, BERLIN, at("2026-03-29T00:00", BERLIN))
    assert wall(first, BERLIN) == "Sun 2026-03-29 03:00"
    assert wall(due(cron, BERLIN, first), BERLIN) == "Mon 2026-03-30 02:00"


def test_a_time_that_comes_twice_is_due_the_first_time_alone() -> None:
    cron = parse_cron("30 2 * * *")
    first = due(cron, BERLIN, at("2026-10-25T00:00", BERLIN))
    assert first == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert wall(due(cron, BERLIN, first), BERLIN) == "Mon 2026-10-26 02:30"
    new_york = due(parse_cron("30 1 * * *"), NEW_YORK, at("2026-11-01T00:00", NEW_YORK))
    assert new_york == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)


def test_a_day_that_a_zone_lost_is_made_up_for_at_once() -> None:
    samoa = ZoneInfo("Pacific/Apia")  # had no 30 December 2011
    found = due(parse_cron("0 9 30 12 *"), samoa, at("2011-12-29T12:00", samoa))
    assert wall(found, samoa) == "Sat 2011-12-31 00:00"


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("0 9 * * mon", "2026-01-05T09:00", "Mon 2026-01-12 09:00"),
        ("0 9 * * MON", "2026-01-05T08:59", "Mon 2026-01-05 09:00"),
        ("0 9 * * mon-fri", "2026-01-09T09:00", "Mon 2026-01-12 09:00"),
        ("0 9 * * sat,sun", "2026-01-05T00:00", "Sat 2026-01-10 09:00"),
        ("0 9 * * fri-mon", "2026-01-06T00:00", "Fri 2026-01-09 09:00"),
        ("*/20 8-10 * * *", "2026-01-05T08:40", "Mon 2026-01-05 09:00"),
        ("5/30 * * * *", "2026-01-05T08:05", "Mon 2026-01-05 08:35"),
        ("0 0 1 jan,jul *", "2026-01-05T00:00", "Wed 2026-07-01 00:00"),
        ("0 0 29 feb *", "2026-01-05T00:00", "Tue 2028-02-29 00:00"),
        ("0 0 29 2 *", "2096-03-01T00:00", "Fri 2104-02-29 00:00"),
        ("0 0 13 * fri", "2026-01-01T00:00", "Fri 2026-01-02 00:00"),
    ],
)
def test_lists_ranges_steps_and_names(text: str, after: str, expected: str) -> None:
    assert wall(due(parse_cron(text), UTC_ZONE, at(after)), UTC_ZONE) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("monday", "five fields"),
        ("0 9 * * 1", "weekdays by name"),
        ("0 9 * * mon/2,3", "weekdays by name"),
        ("0 9 * * funday", "weekday 'funday'"),
        ("60 9 * * mon", "minute '60'"),
        ("0 24 * * mon", "hour '24'"),
        ("0 9 0 * *", "day '0'"),
        ("0 9 * 13 *", "month '13'"),
        ("*/0 9 * * *", "step '0'"),
        ("*/x 9 * * *", "step 'x'"),
        ("1,,2 9 * * *", "minute ''"),
        ("² 9 * * *", "minute '²'"),
        ("0 9 31 feb,apr *", "none of its months has"),
    ],
)
def test_what_is_wrong_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_cron(text)


CRONS = st.sampled_from(
    ["0 9 * * mon", "0 0 * * *", "30 2 * * *", "*/15 1-3 * * sun", "0 0 1 * *", "59 23 * * sat"]
)
ZONES = st.sampled_from([BERLIN, NEW_YORK, UTC_ZONE, ZoneInfo("Australia/Lord_Howe")])
MOMENTS = st.integers(0, 10 * 366 * 1440).map(
    lambda minutes: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


@given(CRONS, ZONES, MOMENTS)
def test_the_last_due_and_the_next_have_nothing_between(
    text: str, zone: ZoneInfo, now: datetime
) -> None:
    cron = parse_cron(text)
    past, coming = last_due(cron, zone, now), due(cron, zone, now)
    assert past <= now < coming
    assert due(cron, zone, past) == coming
    assert last_due(cron, zone, coming - timedelta(microseconds=1)) == past
