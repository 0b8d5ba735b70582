"""What fails in the midst of a verb, and what comes in between."""

from datetime import timedelta

import pytest

from core.errors import JournalUnavailable
from core.exchanges import OutcomeKind
from core.models import Vote
from core.outcomes import Answer
from tests.asking import THREAD, desk, message_of


async def test_a_vote_that_comes_while_the_others_are_read_is_no_vote_that_was_taken_back() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    read_at = at.clock.now()
    at.clock.advance(timedelta(seconds=2))
    await at.nightlamp.vote(at.thumb(exchange_id, Vote.UP))
    await at.nightlamp.reconcile(message_of(exchange_id), set(), read_at)
    assert set((await at.journal.votes(exchange_id)).values()) == {Vote.UP}


async def test_a_fault_of_ours_is_how_the_exchange_ended_not_a_question_that_waits() -> None:
    at = await desk()
    at.index.documents = None  # type: ignore[method-assign,assignment]
    question = at.question("disk full service:storage")
    exchange_id = await at.nightlamp.received(question)
    assert exchange_id is not None
    with pytest.raises(TypeError):
        await at.nightlamp.ask(exchange_id, question)
    recorded = (await at.kept(exchange_id)).recorded
    assert (recorded is not None, recorded and recorded.kind) == (True, OutcomeKind.ERROR)


async def test_an_answer_is_given_though_its_thread_cannot_be_remembered() -> None:
    at = await desk()

    async def full(thread: object) -> None:
        raise JournalUnavailable("The journal is full.")

    at.journal.record_thread = full  # type: ignore[method-assign,assignment]
    assert isinstance((await at.ask(at.question("disk full", where=THREAD))).outcome, Answer)
