"""When the index is brought up to date, on a clock that the test moves."""

from corpus.watch_plan import FIRST_WAIT, LONGEST_WAIT, PATIENCE, QUIET, WatchPlan


def idle(now: float = 0.0, **every: float) -> WatchPlan:
    """Return a plan whose first run has been made at `now`."""
    plan = WatchPlan(now, every)
    plan.begin(now)
    plan.succeed()
    return plan


def test_what_changed_before_the_start_is_due_when_it_has_been_quiet() -> None:
    plan = WatchPlan(100.0)
    assert [plan.wait(now) for now in (100.0, 101.0, 102.0)] == [QUIET, 1.0, 0.0]


def test_without_a_change_nothing_is_due() -> None:
    assert idle().wait(1_000_000.0) is None


def test_a_change_waits_for_quiet() -> None:
    plan = idle()
    plan.changed(10.0)
    plan.changed(11.0)
    assert [plan.wait(now) for now in (11.0, 12.5, 13.0, 20.0)] == [2.0, 0.5, 0.0, 0.0]


def test_changes_that_never_pause_wait_no_longer_than_they_may() -> None:
    plan = idle()
    for second in range(100):
        plan.changed(float(second))
    assert plan.wait(PATIENCE - 1) == 1.0
    assert plan.wait(PATIENCE) == 0.0


def test_what_changes_during_a_run_is_for_the_next_one() -> None:
    plan = idle()
    plan.changed(10.0)
    plan.begin(12.0)
    plan.changed(13.0)
    plan.succeed()
    assert plan.wait(14.0) == 1.0


def test_a_repository_is_looked_at_every_so_often() -> None:
    plan = idle(books=900.0, notes=60.0)
    assert plan.wait(10.0) == 50.0
    plan.begin(60.0)
    assert plan.wait(60.0) == 60.0


def test_any_run_is_a_look() -> None:
    plan = idle(books=900.0)
    plan.changed(800.0)
    plan.begin(802.0)
    assert plan.wait(802.0) == 900.0


def test_a_failed_run_is_tried_again_ever_later() -> None:
    plan = idle()
    plan.changed(0.0)
    waits = []
    now = 2.0
    for _ in range(9):
        plan.begin(now)
        waits.append(plan.fail(now))
        assert plan.wait(now) == waits[-1]
        now += waits[-1]
        assert plan.wait(now) == 0.0
    assert waits[:3] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT]
    assert waits[-1] == LONGEST_WAIT


def test_a_change_does_not_shorten_the_wait_after_a_failure() -> None:
    plan = idle(books=1.0)
    plan.begin(0.0)
    plan.fail(0.0)
    plan.changed(5.0)
    assert plan.wait(10.0) == FIRST_WAIT - 10.0


def test_a_run_that_went_well_forgets_the_failures() -> None:
    plan = idle()
    plan.begin(0.0)
    plan.fail(0.0)
    plan.begin(FIRST_WAIT)
    plan.succeed()
    plan.begin(100.0)
    assert plan.fail(100.0) == FIRST_WAIT


def test_a_failure_that_never_ends_waits_the_longest() -> None:
    plan = idle()
    assert [plan.fail(0.0) for _ in range(5000)][-1] == LONGEST_WAIT
