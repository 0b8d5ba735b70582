"""What fails while people are told: whoever was claimed is told all the same, and once."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bots.telling import WAITS
from core.errors import IndexUnavailable, JournalUnavailable
from tests.looping import BEN, DISK, QUEUE, SEARCH, THREAD, Team, team

BENS = replace(THREAD, thread_id="T9")


@pytest.fixture
async def acme() -> AsyncIterator[Team]:
    """Ann and Ben have each asked what has an answer now."""
    async with team() as made:
        await made.gap("G-DISK", await made.ask("disk full"))
        await made.gap("G-QUEUE", await made.ask("queue lag", BEN, BENS))
        await made.build(SEARCH, DISK, QUEUE)
        await made.closing.close("acme", "build-2")
        yield made


class Failing:
    """Another object, whose verb of this name fails at its first calls, `after` some that work."""

    def __init__(self, inner: object, verb: str, error: Exception, *, after: int = 0) -> None:
        self._inner = inner
        self._verb = verb
        self._error = error
        self._calls = -after

    def __getattr__(self, name: str) -> object:
        if name == self._verb:
            self._calls += 1
            if self._calls == 1:
                raise self._error
        return getattr(self._inner, name)


async def test_who_cannot_be_asked_for_again_is_told_without_thumbs(
    acme: Team, caplog: pytest.LogCaptureFixture
) -> None:
    teller = acme.teller
    full = JournalUnavailable("The journal is full.")
    teller._service = Failing(acme.nightlamp, "received", full)  # type: ignore[assignment]
    assert await teller.tell("acme") == 2
    assert [bool(card.buttons) for card in acme.cards] == [False, True]
    assert "could not be asked again" in caplog.text


async def test_who_was_claimed_while_the_index_was_away_is_told_when_it_is_back(
    acme: Team,
) -> None:
    teller = acme.teller
    away = IndexUnavailable("The index is away.")
    teller._index = Failing(acme.index, "sections", away, after=2)  # type: ignore[assignment]
    assert await teller.tell("acme") == 2
    assert WAITS[0] in acme.slept
    assert len(acme.cards) == 2


async def test_a_journal_that_fails_at_the_second_person_keeps_neither_from_being_told(
    acme: Team,
) -> None:
    teller = acme.teller
    full = JournalUnavailable("The journal is full.")
    teller._journal = Failing(acme.journal, "claim_notice", full, after=1)  # type: ignore[assignment]
    with pytest.raises(JournalUnavailable):
        await teller.tell("acme")
    assert len(acme.cards) == 1
    assert await teller.tell("acme") == 1
    assert len(acme.cards) == 2


async def test_who_was_told_is_not_told_again_where_that_cannot_be_written_down(
    acme: Team,
) -> None:
    teller = acme.teller
    full = JournalUnavailable("The journal is full.")
    teller._service = Failing(acme.nightlamp, "posted", full)  # type: ignore[assignment]
    assert await teller.tell("acme") == 2
    assert await teller.tell("acme") == 0
    assert len(acme.cards) == 2
