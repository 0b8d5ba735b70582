from datetime import timedelta

import pytest

from core.exchanges import Exchange, LoggedGap, OutcomeKind
from feedback.models import Evidence
from feedback.unanswered import askings, unanswered
from tests.gap_world import SINCE, asked, person, votes


def left(*exchanges: Exchange, votes_: str = "", logged: bool = False) -> list[str]:
    by_hand = (LoggedGap("x1", person("U1"), SINCE),) if logged else ()
    evidence = Evidence(exchanges, votes=votes(x1=votes_) if votes_ else {}, logged=by_hand)
    return [one.id for one in unanswered(evidence)]


@pytest.mark.parametrize(
    ("kind", "letters", "counts"),
    [
        (OutcomeKind.REFUSAL, "", True),
        (OutcomeKind.REFUSAL, "u", True),
        (OutcomeKind.WEAK, "", True),
        (OutcomeKind.WEAK, "u", False),
        (OutcomeKind.WEAK, "ud", True),
        (OutcomeKind.ANSWER, "", False),
        (OutcomeKind.ANSWER, "ud", False),
        (OutcomeKind.ANSWER, "udd", True),
        (OutcomeKind.HELP, "", False),
        (OutcomeKind.ERROR, "d", False),
    ],
)
def test_what_counts_as_unanswered(kind: OutcomeKind, letters: str, counts: bool) -> None:
    assert left(asked("x1", kind=kind), votes_=letters) == (["x1"] if counts else [])


def test_an_answer_logged_by_hand_as_a_gap_is_one() -> None:
    assert left(asked("x1", kind=OutcomeKind.ANSWER), logged=True) == ["x1"]


@pytest.mark.parametrize("kind", list(OutcomeKind))
def test_what_only_keywords_were_searched_for_never_counts(kind: OutcomeKind) -> None:
    assert left(asked("x1", kind=kind, dense=False), votes_="d", logged=True) == []


@pytest.mark.parametrize("text", ["", "  ", "hi", "thanks!", "?", "k8", "👍👍👍", "hello there"])
def test_greetings_and_slips_of_the_hand_are_no_gap(text: str) -> None:
    assert left(asked("x1", text), logged=True) == []


def test_what_was_asked_again_to_tell_its_asker_is_no_question() -> None:
    assert left(asked("x1", kind=OutcomeKind.ANSWER, event_id="told G-7KQ2"), votes_="d") == []


def counted(*exchanges: Exchange) -> list[str]:
    return [one.id for one in askings(exchanges, {one.id: one for one in exchanges})]


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def test_the_same_words_of_one_person_within_minutes_are_one_asking() -> None:
    assert counted(
        asked("x1", "Vault sealed", at=minutes(0)),
        asked("x2", "vault  sealed", at=minutes(8)),
        asked("x3", "vault sealed", at=minutes(16)),
        asked("x4", "vault sealed", at=minutes(60)),
        asked("x5", "vault sealed", at=minutes(61), by="U2"),
        asked("x6", "vault is sealed", at=minutes(62)),
    ) == ["x1", "x4", "x5", "x6"]


def test_a_copy_that_was_shared_is_the_same_asking_hours_later() -> None:
    assert counted(
        asked("x1", private=True, at=minutes(0)),
        asked("x2", at=minutes(300)),
        asked("x3", event_id="share x1 C2", at=minutes(600)),
    ) == ["x1"]


def test_a_follow_up_of_a_member_is_the_same_asking_over_others_too() -> None:
    first = asked("x1", at=minutes(0))
    second = asked("x2", "and on staging?", follows="x1", at=minutes(20), by="U2")
    third = asked("x3", "still sealed", follows="x2", at=minutes(40))
    known = {one.id: one for one in (first, second, third)}
    assert [one.id for one in askings([first, third], known)] == ["x1"]


def test_follow_ups_that_lead_in_a_circle_end() -> None:
    circle = (asked("x1", follows="x2"), asked("x2", "b", follows="x1", by="U2"))
    assert counted(*circle) == []
