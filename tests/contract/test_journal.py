"""What every Journal does with exchanges: the fake, and SQLite in memory and on disk."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from core.exchanges import (
    Choice,
    Escalation,
    Exchange,
    LoggedGap,
    MessageRef,
    OutcomeKind,
    Person,
    Reason,
    ReasonKind,
    Recorded,
    ShownHit,
    Thread,
    Thumb,
)
from core.journal_port import Journal
from core.models import Platform, Question, Scope, Span, Vote, Where
from feedback.models import GapStatus
from tests.journals import (
    ANN,
    FIRST,
    KINDS,
    NOON,
    PLAIN,
    RECORDED,
    SECOND,
    Both,
    answered,
    minutes,
    open_kind,
)

QUESTION = Question(
    text="pods are crashing, what now?",
    tenant="acme",
    asked_by="U1",
    asked_at=NOON,
    where=Where(Platform.SLACK, "C1", "1700000000.000100", private=True),
    scope=Scope(("payments",), ("runbook", "postmortem"), ("everyone", "sre")),
    follows="x0",
    event_id="Ev1",
)
BARE = Recorded(OutcomeKind.ERROR, 0.0, None, (), dense=False, ms=0.0)


@pytest.fixture(params=KINDS)
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    async with open_kind(request.param, tmp_path) as opened:
        yield opened


async def test_a_question_comes_back_as_it_was_asked(journal: Journal) -> None:
    assert await journal.receive("x1", QUESTION)
    assert await journal.exchange("x1") == Exchange("x1", QUESTION)


async def test_an_exchange_that_was_never_received_is_none(journal: Journal) -> None:
    assert await journal.exchange("x1") is None


async def test_an_event_is_received_once(journal: Journal) -> None:
    await journal.receive("x1", QUESTION)
    assert not await journal.receive("x2", replace(QUESTION, text="again"))
    assert await journal.exchange("x2") is None


async def test_questions_without_an_event_are_all_received(journal: Journal) -> None:
    assert [await journal.receive(f"x{n}", PLAIN) for n in range(3)] == [True, True, True]


async def test_the_same_event_id_on_two_platforms_is_two_events(journal: Journal) -> None:
    elsewhere = replace(QUESTION, where=Where(Platform.DISCORD, "C1"))
    assert await journal.receive("x1", QUESTION)
    assert await journal.receive("x2", elsewhere)


async def test_an_exchange_id_is_received_once(journal: Journal) -> None:
    await journal.receive("x1", PLAIN)
    assert not await journal.receive("x1", replace(PLAIN, text="other"))
    assert await journal.exchange("x1") == Exchange("x1", PLAIN)


async def test_of_many_deliveries_at_once_one_is_received(journal: Journal) -> None:
    received = await asyncio.gather(*(journal.receive(f"x{n}", QUESTION) for n in range(50)))
    assert received.count(True) == 1


async def test_an_outcome_comes_back_whole(journal: Journal) -> None:
    await journal.receive("x1", QUESTION)
    await journal.record_outcome("x1", RECORDED)
    assert await journal.exchange("x1") == Exchange("x1", QUESTION, RECORDED)


async def test_a_later_outcome_replaces_an_earlier_one_entirely(journal: Journal) -> None:
    await journal.receive("x1", QUESTION)
    await journal.record_outcome("x1", RECORDED)
    await journal.record_outcome("x1", BARE)
    assert await journal.exchange("x1") == Exchange("x1", QUESTION, BARE)


async def test_messages_come_in_the_order_of_their_parts(journal: Journal) -> None:
    await journal.receive("x1", PLAIN)
    await journal.record_message("x1", SECOND, 1)
    await journal.record_message("x1", FIRST, 0)
    assert await journal.exchange("x1") == Exchange("x1", PLAIN, messages=(FIRST, SECOND))


async def test_a_message_recorded_twice_is_one_message(journal: Journal) -> None:
    await journal.receive("x1", PLAIN)
    await journal.record_message("x1", FIRST, 0)
    await journal.record_message("x1", FIRST, 0)
    assert await journal.exchange("x1") == Exchange("x1", PLAIN, messages=(FIRST,))


async def test_every_part_leads_to_its_exchange(journal: Journal) -> None:
    await answered(journal)
    assert await journal.exchange_of(SECOND) == await journal.exchange("x1")


async def test_a_message_id_is_text_to_the_last_zero(journal: Journal) -> None:
    await answered(journal)
    shorter = replace(FIRST, message_id="1700000000.0001")
    assert await journal.exchange_of(shorter) is None


async def test_the_same_message_id_in_another_channel_is_another_message(journal: Journal) -> None:
    await answered(journal)
    assert await journal.exchange_of(replace(FIRST, channel_id="C2")) is None


@pytest.mark.parametrize("offset", [-5, 0, 9])
async def test_times_are_kept_across_time_zones(journal: Journal, offset: int) -> None:
    asked_at = NOON.replace(microsecond=1).astimezone(timezone(timedelta(hours=offset)))
    await journal.receive("x1", replace(PLAIN, asked_at=asked_at))
    exchange = await journal.exchange("x1")
    assert exchange
    assert exchange.question.asked_at == NOON.replace(microsecond=1)


# --- text that breaks things --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("a\x00b", "a\x00b"),
        ("half \ud83d of a 👍", "half \ufffd of a 👍"),
        ("\udc4d", "\ufffd"),
        ("مرحبا \u202e 𝄞\r\n\t", "مرحبا \u202e 𝄞\r\n\t"),
        ("'; drop table exchanges; --", "'; drop table exchanges; --"),
        ("", ""),
        ("x" * 1_000_000, "x" * 1_000_000),
    ],
    ids=["nul", "high surrogate", "low surrogate", "unicode", "sql", "empty", "megabyte"],
)
async def test_any_text_is_kept(journal: Journal, typed: str, kept: str) -> None:
    await journal.receive("x1", replace(PLAIN, text=typed))
    assert await journal.exchange("x1") == Exchange("x1", replace(PLAIN, text=kept))


async def test_no_verb_minds_a_lone_surrogate_or_nul(journal: Both) -> None:
    odd = "\ud800\x00"
    person, message = Person(Platform.SLACK, odd), MessageRef(Platform.SLACK, odd, odd)
    where = Where(Platform.SLACK, odd, odd)
    await journal.receive(odd, Question(odd, odd, odd, NOON, where, Scope((odd,)), odd, odd))
    shown = ShownHit((odd,), odd, odd, odd, odd, 0.0, 0.0, Span(0, 0), (odd,))
    await journal.record_outcome(odd, replace(RECORDED, results=(shown,), model=odd))
    await journal.record_message(odd, message, 0)
    await journal.record_thumb(Thumb(person, Vote.UP, True, NOON, message, odd))
    await journal.record_reason(Reason(odd, person, ReasonKind.OTHER, odd, NOON, odd))
    await journal.record_choice(Choice(odd, person, 0, odd, NOON))
    await journal.record_gap(LoggedGap(odd, person, NOON))
    await journal.record_escalation(Escalation(odd, person, NOON))
    await journal.resolve_escalation(odd, person, odd, NOON)
    await journal.set_muted(where, True, person, NOON)
    await journal.record_thread(Thread(where, odd, odd, frozenset({odd})))
    await journal.claim_writing(odd, NOON)
    assert len(await journal.votes(odd)) == 1
    assert len(await journal.recent(person, 9)) == 1
    assert len(await journal.record_deleted(odd, NOON)) == 1
    assert await journal.exchange_of(message)
    assert await journal.escalation(odd)
    assert await journal.thread(where)
    assert await journal.muted(where)
    await journal.assign(odd, {odd: [odd]}, NOON)
    await journal.decide(odd, GapStatus.OWNED, by=person, at=NOON, build=odd)
    await journal.claim_digest(odd, odd, odd, NOON)
    await journal.digest_done(odd, odd, odd, odd, NOON)
    await journal.claim_notice(odd, person, odd, NOON)
    await journal.set_notices(person, wanted=False, at=NOON)
    assert await journal.last_digest(odd, odd)
    assert len((await journal.evidence(odd, NOON, minutes(1))).exchanges) == 1
    assert set((await journal.counts()).values()) == {1}


# --- what waits, what was asked, what was deleted -----------------------------------------------


async def test_unanswered_is_what_has_no_outcome_or_no_message_oldest_first(
    journal: Journal,
) -> None:
    await answered(journal, "done")
    await journal.receive("no message", replace(PLAIN, asked_at=minutes(2)))
    await journal.record_outcome("no message", RECORDED)
    await journal.receive("no outcome", replace(PLAIN, asked_at=minutes(1)))
    await journal.record_message("no outcome", replace(FIRST, channel_id="C2"), 0)
    waiting = await journal.unanswered(NOON)
    assert [exchange.id for exchange in waiting] == ["no outcome", "no message"]
    assert waiting[1] == await journal.exchange("no message")


async def test_what_broke_off_between_two_parts_is_unanswered_until_the_last_is_there(
    journal: Journal,
) -> None:
    await journal.receive("x1", PLAIN)
    await journal.record_outcome("x1", RECORDED)
    await journal.record_message("x1", FIRST, 0, more=True)
    assert [exchange.id for exchange in await journal.unanswered(NOON)] == ["x1"]
    await journal.record_message("x1", SECOND, 1)
    assert await journal.unanswered(NOON) == []


async def test_unanswered_leaves_out_what_was_asked_before(journal: Journal) -> None:
    await journal.receive("before", replace(PLAIN, asked_at=minutes(-0.001)))
    await journal.receive("at once", PLAIN)
    assert [exchange.id for exchange in await journal.unanswered(NOON)] == ["at once"]


async def test_what_was_deleted_is_not_unanswered(journal: Journal) -> None:
    await journal.receive("x1", PLAIN)
    await journal.record_deleted("x1", NOON)
    assert await journal.unanswered(NOON) == []


async def test_recent_is_ones_own_newest_first_up_to_the_limit(journal: Journal) -> None:
    for minute in (2, 1, 3):
        await journal.receive(f"x{minute}", replace(PLAIN, asked_at=minutes(minute)))
    await journal.receive("bens", replace(PLAIN, asked_by="U2"))
    await journal.receive("namesake", replace(PLAIN, where=Where(Platform.DISCORD, "C1")))
    assert [exchange.id for exchange in await journal.recent(ANN, 2)] == ["x3", "x2"]


async def test_of_questions_of_one_instant_the_last_received_is_the_most_recent(
    journal: Journal,
) -> None:
    for number in range(3):
        await journal.receive(f"x{number}", PLAIN)
    assert [exchange.id for exchange in await journal.recent(ANN, 9)] == ["x2", "x1", "x0"]


async def test_deleting_returns_each_message_once(journal: Journal) -> None:
    await answered(journal)
    assert await journal.record_deleted("x1", minutes(1)) == (FIRST, SECOND)
    assert await journal.record_deleted("x1", minutes(2)) == ()


async def test_a_deleted_message_still_leads_to_its_exchange(journal: Journal) -> None:
    await answered(journal)
    await journal.record_deleted("x1", minutes(1))
    exchange = await journal.exchange_of(FIRST)
    assert exchange
    assert (exchange.id, exchange.messages) == ("x1", ())


async def test_counts_name_every_table(journal: Journal) -> None:
    await answered(journal)
    await journal.record_thumb(Thumb(ANN, Vote.UP, True, NOON, FIRST))
    assert await journal.counts() == {
        "exchanges": 1,
        "messages": 2,
        "thumbs": 1,
        "reasons": 0,
        "choices": 0,
        "logged_gaps": 0,
        "escalations": 0,
        "mutes": 0,
        "threads": 0,
        "gaps": 0,
        "gap_exchanges": 0,
        "gap_decisions": 0,
        "digests": 0,
        "notices": 0,
        "notice_optouts": 0,
        "writings": 0,
    }


async def test_a_sound_journal_has_nothing_to_say(journal: Journal) -> None:
    assert await journal.health() == ""
