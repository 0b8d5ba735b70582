"""Which answers a press may be about, whatever exchange it names."""

from dataclasses import replace

import pytest

from bots.touching import touchable
from core.exchanges import Exchange, Person
from core.models import Platform, Where
from tests.gap_world import asked

ANN, BEN = (Person(Platform.SLACK, name) for name in ("U1", "U2"))
WHERE = Where(Platform.SLACK, "C1")


def exchange(*, private: bool = False) -> Exchange:
    found = asked("x", by="U1")
    return replace(found, question=replace(found.question, where=replace(WHERE, private=private)))


@pytest.mark.parametrize(
    ("person", "tenant", "channel", "may"),
    [
        (BEN, "acme", "C1", True),
        (BEN, "globex", "C1", True),
        (BEN, "acme", "C2", False),
        (BEN, "globex", "C2", False),
        (ANN, "acme", "C2", True),
        (ANN, None, "D1", True),
        (ANN, "globex", "C2", False),
        (BEN, None, "C2", False),
        (BEN, None, "C1", True),
        (Person(Platform.DISCORD, "U2"), None, "C1", False),
    ],
)
def test_what_all_see_is_for_those_who_see_it_and_its_asker(
    person: Person, tenant: str | None, channel: str, may: bool
) -> None:
    assert touchable(exchange(), person, tenant, channel) is may


@pytest.mark.parametrize(
    ("person", "tenant", "channel", "may"),
    [
        (ANN, "acme", "C1", True),
        (ANN, None, "D1", True),
        (ANN, "globex", "C2", False),
        (BEN, "acme", "C1", False),
        (BEN, None, "D1", False),
        (Person(Platform.DISCORD, "U1"), "acme", "C1", False),
    ],
)
def test_what_was_asked_in_private_is_its_askers(
    person: Person, tenant: str | None, channel: str, may: bool
) -> None:
    assert touchable(exchange(private=True), person, tenant, channel) is may


def test_a_call_about_a_private_question_is_answered_by_anybody_who_sees_it() -> None:
    one = exchange(private=True)
    assert touchable(one, BEN, "acme", "C1", called=True)
    assert not touchable(one, BEN, "acme", "C2", called=True)
