from datetime import timedelta

from core.breaker import Breaker, breaker
from core.written import Writing, WritingOutcome
from tests.journals import minutes

PATIENCE = timedelta(seconds=20)


def ended(outcome: WritingOutcome, at: float, reason: str = "server") -> Writing:
    return Writing("x", minutes(at), outcome, reason=reason)


def failed(*at: float, reason: str = "server") -> list[Writing]:
    return [ended(WritingOutcome.FAILED, one, reason) for one in at]


def test_nothing_is_held_back_at_first() -> None:
    assert breaker([], PATIENCE) == Breaker()
    assert breaker(failed(1, 0), PATIENCE).allows(minutes(1))


def test_three_failures_in_a_row_are_a_pause_of_a_minute() -> None:
    state = breaker(failed(2, 1, 0), PATIENCE)
    assert state == Breaker(3, minutes(3))
    assert not state.allows(minutes(2.9))
    assert state.allows(minutes(3))


def test_each_further_failure_doubles_the_pause_up_to_a_quarter_of_an_hour() -> None:
    until = [breaker(failed(*[0.0] * count), PATIENCE).until for count in range(3, 12)]
    assert until == [minutes(m) for m in (1, 2, 4, 8, 15, 15, 15, 15, 15)]


def test_a_success_between_them_begins_anew() -> None:
    last = [*failed(5, 4), ended(WritingOutcome.DROPPED, 3), *failed(2, 1, 0)]
    assert breaker(last, PATIENCE) == Breaker(2)


def test_what_never_reached_the_model_or_was_not_its_fault_does_not_count() -> None:
    held = [ended(WritingOutcome.BREAKER, 9), ended(WritingOutcome.BUDGET, 8)]
    assert breaker(
        [
            *held,
            *failed(7, reason="stopped"),
            *failed(6, reason="unfinished length"),
            *failed(2, 1),
        ],
        PATIENCE,
    ) == Breaker(2)
    assert breaker([*held, *failed(2, 1, 0)], PATIENCE).until == minutes(3)


def test_after_the_pause_one_attempt_goes_first_and_the_others_wait_for_it() -> None:
    probing = [ended(WritingOutcome.STARTED, 4), *failed(2, 1, 0)]
    state = breaker(probing, PATIENCE)
    assert not state.allows(minutes(4.1))
    assert state.allows(minutes(4) + PATIENCE)


def test_an_attempt_from_before_the_pause_holds_nobody_back() -> None:
    assert breaker([ended(WritingOutcome.STARTED, 2.5), *failed(2, 1, 0)], PATIENCE).allows(
        minutes(3)
    )
