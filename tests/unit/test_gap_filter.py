"""Lists of gaps are narrowed by what they are, and reach back as far as is said."""

from datetime import UTC, datetime, timedelta

import pytest

from core.errors import UsageError
from core.exchanges import Person
from core.models import Platform
from feedback.gap_filter import GapFilter, parse_since
from feedback.models import Gap, GapKind, GapRecord, GapStatus, SectionRef

NOW = datetime(2030, 1, 7, tzinfo=UTC)
ANN, BEN = Person(Platform.SLACK, "U1"), Person(Platform.SLACK, "U2")
GAP = Gap(
    record=GapRecord("G-7KQ2", "acme", NOW, ("x1",), GapStatus.OWNED, ANN),
    kind=GapKind.MISSING,
    count=3,
    askers=2,
    before=1,
    sample="Is the disk full?",
    nearest=SectionRef("s1", "d1", "runbooks", "a.md", "Nodes › Drain", ("everyone",)),
    suggested_path="storage/disk-full.md",
    suggested_owner="storage-team",
    visibility=("everyone",),
    last_asked=NOW,
)


@pytest.mark.parametrize(
    ("narrowed", "passes"),
    [
        (GapFilter(), True),
        (GapFilter(kind=GapKind.MISSING, status=GapStatus.OWNED, owner=ANN, text="DISK"), True),
        (GapFilter(kind=GapKind.WRONG), False),
        (GapFilter(status=GapStatus.OPEN), False),
        (GapFilter(owner=BEN), False),
        (GapFilter(text="g-7k"), True),
        (GapFilter(text="nodes › drain"), True),
        (GapFilter(text="storage-team"), True),
        (GapFilter(text="queue"), False),
    ],
)
def test_a_gap_is_listed_if_it_is_all_that_is_asked_for(narrowed: GapFilter, passes: bool) -> None:
    assert narrowed.passes(GAP) is passes


@pytest.mark.parametrize(
    ("text", "length"),
    [("7d", timedelta(days=7)), (" 36H ", timedelta(hours=36)), ("2 w", timedelta(weeks=2))],
)
def test_how_far_back_is_read(text: str, length: timedelta) -> None:
    assert parse_since(text) == length


@pytest.mark.parametrize("text", ["", "7", "d", "0d", "-1d", "7 days", "99999w", "1.5d", "²d"])
def test_what_is_no_length_of_time_is_said(text: str) -> None:
    with pytest.raises(UsageError):
        parse_since(text)
