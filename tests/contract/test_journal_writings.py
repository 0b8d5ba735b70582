"""What the journal keeps of written answers, the same in the fake and in SQLite."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.errors import NotFound
from core.exchanges import Choice, Person
from core.journal_port import Journal
from core.models import Platform
from core.written import Spent, Writing, WritingOutcome
from tests.journals import ANN, BEN, KINDS, NOON, PLAIN, minutes, open_kind, rows

ENDED = Writing(
    "x1", NOON, WritingOutcome.SHOWN, "answer.v1", "m", "command 1", 100, 20, 350.5, 3, 1
)


@pytest.fixture(params=KINDS)
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    async with open_kind(request.param, tmp_path) as opened:
        yield opened


async def ask(journal: Journal, *ids: str, user: str = "U1") -> None:
    for id_ in ids:
        await journal.receive(id_, replace(PLAIN, event_id=id_, asked_by=user))


async def test_an_exchange_has_one_writing(journal: Journal) -> None:
    await ask(journal, "x1")
    assert await journal.writing("x1") is None
    assert [await journal.claim_writing("x1", NOON) for _ in range(2)] == [True, False]
    assert await journal.writing("x1") == Writing("x1", NOON, WritingOutcome.STARTED)
    await journal.record_writing(ENDED)
    assert await journal.writing("x1") == ENDED
    assert not await journal.claim_writing("x1", NOON)
    await rows(journal, writings=1)


async def test_a_writing_is_of_a_known_exchange(journal: Journal) -> None:
    with pytest.raises(NotFound):
        await journal.claim_writing("lost", NOON)
    with pytest.raises(NotFound):
        await journal.record_writing(replace(ENDED, exchange_id="lost"))


async def test_the_last_come_first_and_those_of_one_instant_in_their_order(
    journal: Journal,
) -> None:
    await ask(journal, "x1", "x2", "x3")
    await journal.claim_writing("x2", minutes(1))
    await journal.claim_writing("x1", NOON)
    await journal.claim_writing("x3", NOON)
    assert [one.exchange_id for one in await journal.last_writings(9)] == ["x2", "x3", "x1"]
    assert [one.exchange_id for one in await journal.last_writings(1)] == ["x2"]


async def test_what_was_spent_is_summed_by_time_and_person(journal: Journal) -> None:
    await ask(journal, "x1", "x2", "x3")
    await ask(journal, "y1", user="U2")
    await journal.record_writing(ENDED)
    await journal.record_writing(replace(ENDED, exchange_id="x2", outcome=WritingOutcome.FAILED))
    await journal.record_writing(replace(ENDED, exchange_id="y1", at=minutes(5)))
    assert await journal.spent(NOON) == Spent(3, 2, 1, 300, 60, 1051.5)
    assert await journal.spent(NOON, ANN) == Spent(2, 1, 1, 200, 40, 701.0)
    assert await journal.spent(minutes(1), ANN) == Spent()
    assert (await journal.spent(minutes(1), BEN)).answers == 1
    assert await journal.spent(NOON, Person(Platform.DISCORD, "U1")) == Spent()


async def test_what_never_reached_the_model_is_not_spent(journal: Journal) -> None:
    await ask(journal, "x1", "x2", "x3")
    for id_, outcome in (("x1", WritingOutcome.BUDGET), ("x2", WritingOutcome.BREAKER)):
        await journal.record_writing(Writing(id_, NOON, outcome))
    await journal.claim_writing("x3", NOON)
    assert await journal.spent(NOON - timedelta(days=1)) == Spent(answers=1)


async def test_it_is_known_whether_another_result_was_chosen(journal: Journal) -> None:
    await ask(journal, "x1", "x2")
    assert not await journal.chosen("x1")
    await journal.record_choice(Choice("x1", ANN, 1, "s3", NOON))
    assert [await journal.chosen("x1"), await journal.chosen("x2")] == [True, False]
