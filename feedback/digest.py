"""What a digest says, chosen from a report: short enough for a phone, in no platform's terms. Pure.

Its sentences are in `bots/digest_cards.py`.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from feedback.models import Gap, GapReport, Numbers

MOST = 5
"""Gaps in a digest: what one screen of a phone holds."""
LONGEST_BY_DAY = 31
"""Days that a chart shows one by one; more are put together by week."""

Activity = tuple[tuple[date, int, int], ...]
"""Asked and unanswered, by the day or by the first day of a week."""


class Trend(StrEnum):
    """How often a gap was asked for, against the window before."""

    NEW = "new"
    MORE = "more"
    AS_OFTEN = "as_often"
    LESS = "less"


@dataclass(frozen=True, slots=True)
class Digest:
    """The gaps to show, what closed since, and the figures.

    `more` counts open gaps that did not fit, `unquoted` those that these readers may not read a
    word of. `rate_change` is in percentage points, None where there is nothing to compare.
    """

    tenant: str
    since: datetime
    until: datetime
    gaps: tuple[Gap, ...]
    more: int
    unquoted: int
    closed: tuple[Gap, ...]
    more_closed: int
    numbers: Numbers
    rate_change: float | None
    activity: Activity
    weekly: bool

    @property
    def quiet(self) -> bool:
        """Return whether one line says it all: no gap is open and none was closed."""
        return not (self.gaps or self.unquoted or self.closed or self.more_closed)

    @property
    def days(self) -> int:
        """Return how many days it is about, at least one."""
        return max(1, round((self.until - self.since) / timedelta(days=1)))


def digest_of(report: GapReport, most: int = MOST) -> Digest:
    """Choose what a digest says: the most pressing gaps that its readers may read."""
    readable = [gap for gap in report.gaps if gap.sample]
    closed = [gap for gap in report.closed if gap.sample or gap.record.section]
    activity, weekly = activity_of(report)
    return Digest(
        tenant=report.tenant,
        since=report.since,
        until=report.until,
        gaps=tuple(readable[:most]),
        more=len(readable[most:]),
        unquoted=len(report.gaps) - len(readable),
        closed=tuple(closed[:most]),
        more_closed=len(report.closed) - len(closed[:most]),
        numbers=report.numbers,
        rate_change=_change(report.numbers, report.before),
        activity=activity,
        weekly=weekly,
    )


def trend_of(gap: Gap) -> Trend:
    """Compare how often a gap was asked for with the window before."""
    if not gap.before:
        return Trend.NEW
    if gap.count == gap.before:
        return Trend.AS_OFTEN
    return Trend.MORE if gap.count > gap.before else Trend.LESS


def activity_of(report: GapReport) -> tuple[Activity, bool]:
    """Return the days, or where there are many the weeks (from Mondays), and which it is."""
    days = [(date.fromisoformat(day), asked, failed) for day, asked, failed in report.days]
    if len(days) <= LONGEST_BY_DAY:
        return tuple(days), False
    asked_in: Counter[date] = Counter()
    failed_in: Counter[date] = Counter()
    for day, asked, failed in days:
        monday = day - timedelta(days=day.weekday())
        asked_in[monday] += asked
        failed_in[monday] += failed
    return tuple((week, asked_in[week], failed_in[week]) for week in asked_in), True


def _change(now: Numbers, before: Numbers) -> float | None:
    if now.answer_rate is None or before.answer_rate is None:
        return None
    return 100 * (now.answer_rate - before.answer_rate)
