"""Five fields of cron to instants, on the clock of a zone. Pure.

A time that a zone skips (clocks go forward) is moved to the first instant after the gap; one that
comes twice (clocks go back) counts the first time. Libraries that step by the zone's own arithmetic
lose a week there: no date is left to them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import product
from zoneinfo import ZoneInfo

_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_LONGEST = 8 * 366 + 2
"""Days until 29 February is certain to come: 2096 and 2104 are eight years apart."""
_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_MONTH_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Cron:
    """When something is due, in wall-clock terms; weekdays count from Monday, 0.

    Where both days of the month and weekdays are narrowed, a day needs only one of them, as cron
    has always had it.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    by_day: bool
    by_weekday: bool

    def on(self, day: date) -> bool:
        """Return whether it is due some time on this day."""
        if day.month not in self.months:
            return False
        in_month, in_week = day.day in self.days, day.weekday() in self.weekdays
        if self.by_day and self.by_weekday:
            return in_month or in_week
        return in_month and in_week


def parse_cron(text: str) -> Cron:
    """Read `minute hour day month weekday`: lists, ranges, steps; months and weekdays by name.

    Raises:
        ValueError: one sentence that says what is wrong.
    """
    fields = text.lower().split()
    if len(fields) != 5:
        raise ValueError("cron needs five fields: minute hour day month weekday")
    minute, hour, day, month, weekday = fields
    if re.search(r"\d", re.sub(r"/\d+", "", weekday)):
        raise ValueError(
            "cron wants weekdays by name (mon, tue, … sun): their numbers mean other days elsewhere"
        )
    cron = Cron(
        minutes=tuple(sorted(_field("minute", minute, 0, 59))),
        hours=tuple(sorted(_field("hour", hour, 0, 23))),
        days=_field("day", day, 1, 31),
        months=_field("month", month, 1, 12, _MONTHS),
        weekdays=_field("weekday", weekday, 0, 6, _WEEKDAYS),
        by_day=not day.startswith("*"),
        by_weekday=not weekday.startswith("*"),
    )
    longest = max(_MONTH_LENGTHS[number - 1] for number in cron.months)
    if min(cron.days) > longest and not cron.by_weekday:
        raise ValueError("cron names a day that none of its months has")
    return cron


def due(cron: Cron, zone: ZoneInfo, after: datetime) -> datetime:
    """Return the first instant (UTC) later than `after` at which it is due."""
    first = after.astimezone(zone).date() - _DAY
    for number in range(_LONGEST):
        day = first + number * _DAY
        if cron.on(day):
            for instant in _instants(cron, zone, day):
                if instant > after:
                    return instant
    raise ValueError("cron is never due")


def last_due(cron: Cron, zone: ZoneInfo, until: datetime) -> datetime:
    """Return the newest instant (UTC) at or before `until` at which it was due."""
    last = until.astimezone(zone).date() + _DAY
    for number in range(_LONGEST):
        day = last - number * _DAY
        if cron.on(day):
            past = [one for one in _instants(cron, zone, day) if one <= until]
            if past:
                return past[-1]
    raise ValueError("cron was never due")


def _instants(cron: Cron, zone: ZoneInfo, day: date) -> Iterator[datetime]:
    for hour, minute in product(cron.hours, cron.minutes):
        yield _instant(datetime.combine(day, time(hour, minute)), zone)


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return when a zone's clocks first show this time, or the next one that they do show."""
    while True:
        instant = wall.replace(tzinfo=zone).astimezone(UTC)
        if instant.astimezone(zone).replace(tzinfo=None) == wall:
            return instant
        wall += _MINUTE


def _field(
    name: str, text: str, least: int, most: int, names: Mapping[str, int] | None = None
) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        body, slash, step = part.partition("/")
        first, dash, last = body.partition("-")
        if body == "*":
            start, end = least, most
        else:
            start = _value(name, first, least, most, names)
            end = _value(name, last, least, most, names) if dash else most if slash else start
        if slash and not (step.isascii() and step.isdigit() and int(step)):
            raise ValueError(f"cron's {name} has the step {step!r}, which is no number from 1 on")
        numbers = (
            range(start, end + 1)
            if start <= end
            else (*range(start, most + 1), *range(least, end + 1))
        )
        found.update(numbers[:: int(step) if slash else 1])
    return frozenset(found)


def _value(name: str, text: str, least: int, most: int, names: Mapping[str, int] | None) -> int:
    if names and text in names:
        return names[text]
    if text.isascii() and text.isdigit() and least <= int(text) <= most:
        return int(text)
    said = f"{least} to {most}" if not names else f"{', '.join(list(names)[:2])} and so on"
    raise ValueError(f"cron's {name} {text!r} is not one of {said}")
