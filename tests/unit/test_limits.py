from datetime import UTC, datetime, timedelta

from bots.limits import Limits, Wait
from core.exchanges import Person
from core.models import Platform, Where
from tests.fakes import FrozenClock

HERE = Where(Platform.SLACK, "C1")
ANN, BOB = Person(Platform.SLACK, "U1"), Person(Platform.SLACK, "U2")


def limits(clock: FrozenClock) -> Limits:
    return Limits(clock, per_person=2, per_channel=3)


def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 1, 5, tzinfo=UTC))


def test_a_persons_third_question_in_a_minute_waits() -> None:
    at = clock()
    asked = limits(at)
    assert [asked.take(ANN, HERE), asked.take(ANN, HERE)] == [None, None]
    at.advance(timedelta(seconds=20))
    assert asked.take(ANN, HERE) == Wait(whole_channel=False, seconds=40)


def test_a_refused_question_does_not_lengthen_the_wait() -> None:
    at = clock()
    asked = limits(at)
    for _ in range(5):
        asked.take(ANN, HERE)
    at.advance(timedelta(minutes=1))
    assert asked.take(ANN, HERE) is None


def test_a_channel_waits_for_all_of_its_people() -> None:
    at = clock()
    asked = limits(at)
    for person in (ANN, BOB, BOB):
        assert asked.take(person, HERE) is None
    assert asked.take(ANN, HERE) == Wait(whole_channel=True, seconds=60)
    assert asked.take(ANN, Where(Platform.SLACK, "C2")) is None


def test_a_clock_that_is_set_back_makes_nobody_wait_for_it() -> None:
    at = clock()
    asked = limits(at)
    for _ in range(3):
        asked.take(ANN, HERE)
    at.advance(-timedelta(hours=2))
    assert asked.take(ANN, HERE) is None
