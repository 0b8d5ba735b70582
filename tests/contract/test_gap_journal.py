"""What every GapJournal does: the fake, and SQLite in memory and on disk."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import NotFound
from core.exchanges import (
    TOLD,
    Choice,
    Escalation,
    LoggedGap,
    MessageRef,
    OutcomeKind,
    Person,
    Reason,
    ReasonKind,
    Recorded,
    Thumb,
)
from core.models import Platform, Question, Scope, Vote, Where
from feedback.forgotten import PREFIX
from feedback.models import Evidence, GapRecord, GapStatus, SectionRef
from tests.journals import ANN, BEN, KINDS, NOON, PLAIN, RECORDED, Both, minutes, open_kind

EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
SECTION = SectionRef("s1", "d1", "own", "ü.md", "Ü › Rollback", ("sre", "everyone"), 0.25)
ANSWER = replace(RECORDED, kind=OutcomeKind.ANSWER)


@pytest.fixture(params=KINDS)
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Both]:
    async with open_kind(request.param, tmp_path) as opened:
        yield opened


async def asked(
    journal: Both,
    exchange_id: str,
    at: float = 0,
    recorded: Recorded | None = RECORDED,
    question: Question = PLAIN,
) -> None:
    await journal.receive(exchange_id, replace(question, asked_at=minutes(at)))
    if recorded:
        await journal.record_outcome(exchange_id, recorded)


async def named(journal: Both, *gap_ids: str) -> None:
    """Name gaps, the exchanges of each called by its id in lower case."""
    for minute, gap_id in enumerate(gap_ids):
        await asked(journal, gap_id.lower())
        await journal.assign("acme", {gap_id: [gap_id.lower()]}, minutes(minute))


async def the_gap(journal: Both, gap_id: str = "G-7KQ2") -> GapRecord:
    found = await journal.gap_record(gap_id)
    assert found
    return found


# --- evidence -----------------------------------------------------------------------------------


async def test_a_window_holds_its_first_instant_and_not_its_last(journal: Both) -> None:
    for number, at in enumerate((-0.001, 0, 1.999, 2)):
        await asked(journal, f"x{number}", at)
    found = await journal.evidence("acme", minutes(0), minutes(2))
    assert [exchange.id for exchange in found.exchanges] == ["x1", "x2"]


async def test_what_was_asked_comes_oldest_first_and_of_one_tenant(journal: Both) -> None:
    await asked(journal, "second", 2)
    await asked(journal, "first", 1)
    await asked(journal, "others", 1, question=replace(PLAIN, tenant="other"))
    found = await journal.evidence("acme", EARLY, LATE)
    assert [exchange.id for exchange in found.exchanges] == ["first", "second"]


async def test_help_faults_and_what_never_ended_are_no_evidence(journal: Both) -> None:
    for kind in OutcomeKind:
        await asked(journal, kind.value, recorded=replace(RECORDED, kind=kind))
    await asked(journal, "never", recorded=None)
    found = await journal.evidence("acme", EARLY, LATE)
    assert {exchange.id for exchange in found.exchanges} == {"answer", "weak", "refusal"}


async def test_an_exchange_comes_whole_but_for_its_vector_event_and_messages(
    journal: Both,
) -> None:
    where = Where(Platform.SLACK, "C1", "1700000000.000100", private=True)
    scope = Scope(("payments",), ("runbook",), ("sre", "everyone"))
    question = replace(PLAIN, where=where, scope=scope, follows="x0", event_id="Ev1")
    await asked(journal, "x1", question=question)
    await journal.record_message("x1", MessageRef(Platform.SLACK, "C1", "1"), 0)
    (found,) = (await journal.evidence("acme", EARLY, LATE)).exchanges
    assert found.question == replace(question, event_id="")
    assert found.recorded == replace(RECORDED, vector=None)
    assert found.messages == ()


async def test_what_was_asked_again_to_tell_its_asker_can_be_told_apart(journal: Both) -> None:
    await asked(journal, "x1", question=replace(PLAIN, event_id=f"{TOLD}G-7KQ2 build-1 slack U1"))
    (found,) = (await journal.evidence("acme", EARLY, LATE)).exchanges
    assert found.told


async def test_of_an_answer_the_first_result_comes_unless_somebody_looked_further(
    journal: Both,
) -> None:
    await asked(journal, "read", 0, ANSWER)
    await asked(journal, "looked further", 1, ANSWER)
    await asked(journal, "empty", 2, replace(ANSWER, results=()))
    await journal.record_choice(Choice("looked further", ANN, 1, "s3", NOON))
    found = await journal.evidence("acme", EARLY, LATE)
    results = [exchange.recorded.results for exchange in found.exchanges if exchange.recorded]
    assert results == [RECORDED.results[:1], RECORDED.results, ()]


async def test_evidence_has_what_people_said_of_the_window_alone(journal: Both) -> None:
    await asked(journal, "x1", 0)
    await asked(journal, "before", -60)
    for exchange_id in ("before", "x1"):
        message = MessageRef(Platform.SLACK, "C1", exchange_id)
        await journal.record_message(exchange_id, message, 0)
        await journal.record_thumb(Thumb(ANN, Vote.DOWN, True, NOON, message))
        await journal.record_thumb(Thumb(BEN, Vote.UP, True, NOON, message))
        await journal.record_thumb(Thumb(BEN, Vote.UP, False, minutes(1), message))
        await journal.record_reason(Reason(exchange_id, ANN, ReasonKind.OUTDATED, "old", NOON, "s"))
        await journal.record_choice(Choice(exchange_id, BEN, 1, "s3", NOON))
        await journal.record_gap(LoggedGap(exchange_id, BEN, NOON))
        await journal.record_escalation(Escalation(exchange_id, ANN, NOON))
        await journal.resolve_escalation(exchange_id, BEN, f"restarted {exchange_id}", NOON)
    found = await journal.evidence("acme", NOON, LATE)
    assert found == Evidence(
        exchanges=found.exchanges,
        votes={"x1": {ANN: Vote.DOWN}},
        reasons=(Reason("x1", ANN, ReasonKind.OUTDATED, "old", NOON, "s"),),
        choices=(Choice("x1", BEN, 1, "s3", NOON),),
        logged=(LoggedGap("x1", BEN, NOON),),
        notes={"x1": "restarted x1"},
    )


async def test_an_empty_window_is_empty(journal: Both) -> None:
    assert await journal.evidence("acme", EARLY, LATE) == Evidence(exchanges=())


async def test_vectors_come_for_those_that_have_one(journal: Both) -> None:
    await asked(journal, "x1")
    await asked(journal, "x2", recorded=replace(RECORDED, vector=None))
    await asked(journal, "x3", recorded=None)
    found = await journal.vectors(["x1", "x2", "x3", "nope", "x1"])
    assert {id_: list(vector) for id_, vector in found.items()} == {"x1": [0.5, -0.25, 0.0]}


async def test_more_vectors_are_asked_for_than_one_statement_may_name(journal: Both) -> None:
    await asked(journal, "x1")
    found = await journal.vectors([f"nope{number}" for number in range(40_000)] + ["x1"])
    assert found.keys() == {"x1"}


# --- names and members --------------------------------------------------------------------------


async def test_a_gap_is_named_with_its_members(journal: Both) -> None:
    await asked(journal, "x1")
    await asked(journal, "x2")
    await journal.assign("acme", {"G-7KQ2": ["x2", "x1"]}, NOON)
    assert await journal.gap_record("G-7KQ2") == GapRecord("G-7KQ2", "acme", NOON, ("x2", "x1"))


async def test_gaps_come_oldest_first_and_of_one_tenant(journal: Both) -> None:
    await named(journal, "G-NEW1", "G-NEW2")
    await asked(journal, "old")
    await journal.assign("acme", {"G-2222": ["old"]}, minutes(-60))
    await journal.assign("other", {"G-3333": []}, NOON)
    assert [gap.id for gap in await journal.gap_records("acme")] == ["G-2222", "G-NEW1", "G-NEW2"]


async def test_a_gap_grows_and_keeps_its_birthday(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    await asked(journal, "x2")
    await journal.assign("acme", {"G-7KQ2": ["x2"]}, minutes(5))
    assert await the_gap(journal) == GapRecord("G-7KQ2", "acme", NOON, ("g-7kq2", "x2"))


async def test_an_exchange_belongs_to_one_gap_for_good(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    await journal.assign("acme", {"G-2222": ["g-7kq2"]}, minutes(5))
    assert (await the_gap(journal)).exchange_ids == ("g-7kq2",)
    assert (await the_gap(journal, "G-2222")).exchange_ids == ()


async def test_of_gaps_with_an_unknown_exchange_none_is_saved(journal: Both) -> None:
    await asked(journal, "x1")
    with pytest.raises(NotFound):
        await journal.assign("acme", {"G-7KQ2": ["x1"], "G-2222": ["nope"]}, NOON)
    assert await journal.gap_records("acme") == []


@pytest.mark.parametrize(
    "typed", ["G-7KQ2", "g-7kq2", "7kq2", "g7kq2", " G – 7K Q2 ", "G_7KQ2", "g-7kq2."]
)
async def test_a_gap_is_found_however_its_name_is_typed(journal: Both, typed: str) -> None:
    await named(journal, "G-7KQ2")
    assert (await the_gap(journal, typed)).id == "G-7KQ2"


@pytest.mark.parametrize("typed", ["", "G", "G-7KQ", "G-7KQ22", "\ud800", "' or 1 = 1 --", "💥"])
async def test_what_is_no_gaps_name_finds_none(journal: Both, typed: str) -> None:
    await named(journal, "G-7KQ2")
    assert await journal.gap_record(typed) is None


# --- decisions ----------------------------------------------------------------------------------


async def test_a_gap_is_owned_by_whom_said_so_last(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    assert await journal.decide("G-7KQ2", GapStatus.OWNED, by=ANN, at=minutes(1))
    assert not await journal.decide("G-7KQ2", GapStatus.OWNED, by=ANN, at=minutes(2))
    assert await journal.decide("g7kq2", GapStatus.OWNED, by=BEN, at=minutes(3))
    gap = await the_gap(journal)
    assert (gap.status, gap.owner) == (GapStatus.OWNED, BEN)
    assert (gap.changed_at, gap.changed_by) == (minutes(3), BEN)


async def test_a_snooze_has_an_end_and_a_later_end_changes_it(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    await journal.decide("G-7KQ2", GapStatus.OWNED, by=ANN, at=NOON)
    for until, changes in ((minutes(60), True), (minutes(60), False), (minutes(90), True)):
        changed = await journal.decide("G-7KQ2", GapStatus.SNOOZED, by=BEN, at=NOON, until=until)
        assert changed is changes
    gap = await the_gap(journal)
    assert (gap.status, gap.snoozed_until, gap.owner) == (GapStatus.SNOOZED, minutes(90), ANN)


async def test_a_gap_is_done_with_the_section_that_answers(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    until = minutes(60)
    await journal.decide("G-7KQ2", GapStatus.SNOOZED, by=BEN, at=NOON, until=until)
    assert await journal.decide("G-7KQ2", GapStatus.DONE, by=ANN, at=NOON, section=SECTION)
    nearer = replace(SECTION, distance=0.1)
    assert not await journal.decide("G-7KQ2", GapStatus.DONE, by=BEN, at=NOON, section=nearer)
    gap = await the_gap(journal)
    assert (gap.status, gap.section, gap.snoozed_until) == (GapStatus.DONE, SECTION, None)


async def test_a_build_closes_a_gap_and_nobody_did(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    assert await journal.decide(
        "G-7KQ2", GapStatus.CLOSED, by=None, at=minutes(1), section=SECTION, build="build-1"
    )
    assert await the_gap(journal) == GapRecord(
        "G-7KQ2",
        "acme",
        NOON,
        ("g-7kq2",),
        GapStatus.CLOSED,
        section=SECTION,
        build="build-1",
        changed_at=minutes(1),
    )


async def test_a_reopened_gap_is_as_if_nothing_had_been_decided(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    await journal.decide("G-7KQ2", GapStatus.OWNED, by=ANN, at=NOON)
    closed = {"section": SECTION, "build": "build-1"}
    await journal.decide("G-7KQ2", GapStatus.CLOSED, by=None, at=NOON, **closed)  # type: ignore[arg-type]
    assert await journal.decide("G-7KQ2", GapStatus.OPEN, by=None, at=minutes(2))
    assert not await journal.decide("G-7KQ2", GapStatus.OPEN, by=None, at=minutes(3))
    assert await the_gap(journal) == GapRecord(
        "G-7KQ2", "acme", NOON, ("g-7kq2",), changed_at=minutes(2)
    )


async def test_of_many_who_decide_at_once_one_does(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    people = [Person(Platform.SLACK, f"U{number}") for number in range(20)]
    done = await asyncio.gather(
        *(journal.decide("G-7KQ2", GapStatus.DISMISSED, by=who, at=NOON) for who in people)
    )
    assert done.count(True) == 1


async def test_nothing_is_decided_on_a_gap_that_is_not_there(journal: Both) -> None:
    with pytest.raises(NotFound, match="There is no gap of this name"):
        await journal.decide("G-7KQ2", GapStatus.OWNED, by=ANN, at=NOON)
    with pytest.raises(NotFound, match="There is no gap of this name"):
        await journal.claim_notice("G-7KQ2", ANN, "build-1", NOON)


# --- digests and notices ------------------------------------------------------------------------


async def test_a_digest_is_claimed_once_a_tenant_schedule_and_period(journal: Both) -> None:
    posting = ("acme", "0 9 * * mon", "2026-01-05T08:00:00+00:00")
    claims = await asyncio.gather(*(journal.claim_digest(*posting, NOON) for _ in range(20)))
    assert claims.count(True) == 1
    for index in range(3):
        other = tuple("another" if at == index else part for at, part in enumerate(posting))
        assert await journal.claim_digest(other[0], other[1], other[2], NOON)


async def test_the_last_digest_is_that_of_the_newest_period(journal: Both) -> None:
    assert await journal.last_digest("acme", "weekly") is None
    for period in ("2026-01-12", "2026-01-05"):
        await journal.claim_digest("acme", "weekly", period, NOON)
    assert await journal.last_digest("acme", "weekly") == ("2026-01-12", "")
    await journal.digest_done("acme", "weekly", "2026-01-12", "posted", NOON)
    assert await journal.last_digest("acme", "weekly") == ("2026-01-12", "posted")
    assert await journal.last_digest("other", "weekly") is None


async def test_a_digest_that_was_never_claimed_does_not_end(journal: Both) -> None:
    with pytest.raises(NotFound):
        await journal.digest_done("acme", "weekly", "2026-01-05", "posted", NOON)


async def test_a_person_is_told_once_of_a_gap_and_build(journal: Both) -> None:
    await named(journal, "G-7KQ2", "G-2222")
    claims = await asyncio.gather(
        *(journal.claim_notice("g7kq2", ANN, "build-1", NOON) for _ in range(20))
    )
    assert claims.count(True) == 1
    assert await journal.claim_notice("G-7KQ2", BEN, "build-1", NOON)
    assert await journal.claim_notice("G-2222", ANN, "build-1", NOON)
    assert await journal.claim_notice("G-7KQ2", ANN, "build-2", NOON)


async def test_who_opted_out_is_not_told_until_in_again(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    for _ in range(2):
        await journal.set_notices(ANN, wanted=False, at=NOON)
    assert not await journal.claim_notice("G-7KQ2", ANN, "build-1", NOON)
    elsewhere = replace(ANN, platform=Platform.DISCORD)
    assert await journal.claim_notice("G-7KQ2", elsewhere, "build-1", NOON)
    await journal.set_notices(ANN, wanted=True, at=minutes(1))
    assert await journal.claim_notice("G-7KQ2", ANN, "build-1", NOON)


async def test_nobody_tells_who_was_forgotten(journal: Both) -> None:
    await named(journal, "G-7KQ2")
    forgotten = Person(Platform.SLACK, f"{PREFIX}1234")
    assert not await journal.claim_notice("G-7KQ2", forgotten, "build-1", NOON)


# --- votes, over any sequence of events ---------------------------------------------------------

FRESH = itertools.count()
EVENTS = st.tuples(
    st.sampled_from([ANN, BEN, replace(ANN, platform=Platform.DISCORD)]),
    st.sampled_from(list(Vote)),
    st.booleans(),
    st.integers(0, 1),
    st.integers(0, 1),
)
"""Who, which thumb, put up or taken back, on which exchange and on which part of it."""


def votes_of(thumbs: Sequence[tuple[str, Thumb]]) -> Mapping[str, Mapping[Person, Vote]]:
    standing: dict[tuple[str, MessageRef, Person, Vote], None] = {}
    for exchange_id, thumb in sorted(thumbs, key=lambda kept: kept[1].at):
        key = (exchange_id, thumb.message, thumb.person, thumb.vote)
        standing.pop(key, None)
        if thumb.added:
            standing[key] = None
    votes: dict[str, dict[Person, Vote]] = {}
    for exchange_id, _, person, vote in standing:
        votes.setdefault(exchange_id, {})[person] = vote
    return votes


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(events=st.lists(EVENTS, max_size=12), data=st.data())
async def test_evidence_nets_votes_as_the_reference_and_as_votes_do(
    journal: Both, events: list[tuple[Person, Vote, bool, int, int]], data: st.DataObject
) -> None:
    fresh = next(FRESH)
    tenant = f"tenant{fresh}"
    ids = (f"a{fresh}", f"b{fresh}")
    for exchange_id in ids:
        await asked(journal, exchange_id, question=replace(PLAIN, tenant=tenant))
    thumbs = [
        (
            ids[which],
            Thumb(
                person,
                vote,
                added,
                NOON + timedelta(seconds=number),
                MessageRef(person.platform, ids[which], f"part {part}"),
                ids[which],
            ),
        )
        for number, (person, vote, added, which, part) in enumerate(events)
    ]
    twice = thumbs + (data.draw(st.lists(st.sampled_from(thumbs))) if thumbs else [])
    for _, thumb in data.draw(st.permutations(twice)):
        await journal.record_thumb(thumb)
    found = (await journal.evidence(tenant, EARLY, LATE)).votes
    assert found == votes_of(thumbs)
    assert {id_: await journal.votes(id_) for id_ in ids} == {
        id_: found.get(id_, {}) for id_ in ids
    }
