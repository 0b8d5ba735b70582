"""What every Journal keeps of people: reasons, choices, calls for help, places, events."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import NotFound
from core.exchanges import (
    Choice,
    Escalation,
    LoggedGap,
    Reason,
    ReasonKind,
    Thread,
)
from core.journal_port import Journal
from tests.journals import (
    ANN,
    BEN,
    CHANNEL,
    FIRST,
    KINDS,
    NOON,
    RECORDED,
    THREAD,
    answered,
    minutes,
    open_kind,
    rows,
)


@pytest.fixture(params=KINDS)
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    async with open_kind(request.param, tmp_path) as opened:
        yield opened


async def test_a_person_has_one_reason_an_exchange(journal: Journal) -> None:
    await answered(journal)
    for person in (ANN, ANN, BEN):
        await journal.record_reason(Reason("x1", person, ReasonKind.OUTDATED, "old", NOON))
    await rows(journal, reasons=2)


async def test_a_choice_delivered_twice_is_one_choice(journal: Journal) -> None:
    await answered(journal)
    for at in (0, 0, 1):
        await journal.record_choice(Choice("x1", ANN, 1, "s3", minutes(at)))
    await rows(journal, choices=2)


async def test_a_person_logs_a_gap_once(journal: Journal) -> None:
    await answered(journal)
    assert await journal.record_gap(LoggedGap("x1", ANN, NOON))
    assert not await journal.record_gap(LoggedGap("x1", ANN, minutes(1)))
    assert await journal.record_gap(LoggedGap("x1", BEN, minutes(2)))


async def test_a_human_is_asked_once_whoever_asks(journal: Journal) -> None:
    await answered(journal)
    assert await journal.record_escalation(Escalation("x1", ANN, NOON))
    assert not await journal.record_escalation(Escalation("x1", BEN, minutes(1)))
    assert await journal.escalation("x1") == Escalation("x1", ANN, NOON)


async def test_an_escalation_is_resolved_once_with_its_note(journal: Journal) -> None:
    await answered(journal)
    await journal.record_escalation(Escalation("x1", ANN, NOON))
    assert await journal.resolve_escalation("x1", BEN, "restarted\ud800", minutes(1))
    assert not await journal.resolve_escalation("x1", ANN, "me too", minutes(2))
    assert await journal.escalation("x1") == Escalation(
        "x1", ANN, NOON, BEN, minutes(1), "restarted\ufffd"
    )


async def test_nothing_is_resolved_where_nobody_was_asked(journal: Journal) -> None:
    await answered(journal)
    assert not await journal.resolve_escalation("x1", BEN, "", NOON)
    assert await journal.escalation("x1") is None


async def test_an_escalation_recorded_as_resolved_comes_back_so(journal: Journal) -> None:
    await answered(journal)
    escalation = Escalation("x1", ANN, NOON, BEN, minutes(1), "done")
    await journal.record_escalation(escalation)
    assert await journal.escalation("x1") == escalation


async def test_what_names_an_unknown_exchange_is_not_found(journal: Journal) -> None:
    for verb in (
        lambda: journal.record_outcome("nope", RECORDED),
        lambda: journal.record_message("nope", FIRST, 0),
        lambda: journal.record_deleted("nope", NOON),
        lambda: journal.record_reason(Reason("nope", ANN, ReasonKind.OTHER, "", NOON)),
        lambda: journal.record_choice(Choice("nope", ANN, 0, "s1", NOON)),
        lambda: journal.record_gap(LoggedGap("nope", ANN, NOON)),
        lambda: journal.record_escalation(Escalation("nope", ANN, NOON)),
        lambda: journal.record_thread(Thread(THREAD, "U1", "nope", frozenset())),
    ):
        with pytest.raises(NotFound):
            await verb()
    assert set((await journal.counts()).values()) == {0}


# --- places and events --------------------------------------------------------------------------


async def test_nothing_is_muted_at_first(journal: Journal) -> None:
    assert not await journal.muted(THREAD)


async def test_muting_a_thread_leaves_its_channel_awake(journal: Journal) -> None:
    await journal.set_muted(THREAD, True, ANN, NOON)
    assert await journal.muted(THREAD)
    assert not await journal.muted(CHANNEL)
    assert not await journal.muted(replace(THREAD, thread_id="1700000000.0001"))


async def test_a_thread_is_as_its_channel_until_it_has_a_word_of_its_own(journal: Journal) -> None:
    await journal.set_muted(CHANNEL, True, ANN, NOON)
    assert await journal.muted(THREAD)
    await journal.set_muted(THREAD, False, BEN, minutes(1))
    assert not await journal.muted(THREAD)
    assert await journal.muted(CHANNEL)


async def test_a_thread_comes_back_as_last_recorded(journal: Journal) -> None:
    await answered(journal, "x1")
    await answered(journal, "x2")
    await journal.record_thread(Thread(THREAD, "U1", "x1", frozenset({"U1"})))
    latest = Thread(THREAD, "U1", "x2", frozenset({"U1", "U2"}))
    await journal.record_thread(latest)
    assert await journal.thread(THREAD) == latest
    assert await journal.thread(CHANNEL) is None
