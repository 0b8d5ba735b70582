"""What every Journal makes of thumbs: the fake, and SQLite in memory and on disk."""

import itertools
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.exchanges import TOLD, MessageRef, Person, Thumb
from core.journal_port import Journal
from core.models import Vote
from tests.journals import ANN, BEN, FIRST, KINDS, PLAIN, SECOND, answered, minutes, open_kind, rows


@pytest.fixture(params=KINDS)
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    async with open_kind(request.param, tmp_path) as opened:
        yield opened


def up(
    at: float, *, person: Person = ANN, vote: Vote = Vote.UP, message: MessageRef = FIRST
) -> Thumb:
    return Thumb(person, vote, True, minutes(at), message)


def down(at: float) -> Thumb:
    return up(at, vote=Vote.DOWN)


def taken_back(thumb: Thumb, at: float) -> Thumb:
    return replace(thumb, added=False, at=minutes(at))


async def test_a_thumb_on_some_other_message_is_ignored(journal: Journal) -> None:
    assert await journal.record_thumb(up(0)) is None
    await rows(journal, thumbs=0)


async def test_a_thumb_returns_the_exchange_it_is_for(journal: Journal) -> None:
    await answered(journal)
    assert await journal.record_thumb(up(0)) == await journal.exchange("x1")


async def test_a_button_names_its_exchange_where_the_message_is_unknown(journal: Journal) -> None:
    await journal.receive("x1", PLAIN)
    await journal.record_thumb(replace(up(0), exchange_id="x1"))
    assert await journal.votes("x1") == {ANN: Vote.UP}


async def test_a_button_with_an_unknown_exchange_counts_for_its_message(journal: Journal) -> None:
    await answered(journal)
    await journal.record_thumb(replace(up(0), exchange_id="gone"))
    assert await journal.votes("x1") == {ANN: Vote.UP}


async def test_everybody_has_a_vote_of_their_own(journal: Journal) -> None:
    await answered(journal)
    await journal.record_thumb(up(0))
    await journal.record_thumb(up(1, person=BEN, vote=Vote.DOWN))
    assert await journal.votes("x1") == {ANN: Vote.UP, BEN: Vote.DOWN}


async def test_the_same_thumb_twice_is_kept_once(journal: Journal) -> None:
    await answered(journal)
    await journal.record_thumb(up(0))
    await journal.record_thumb(up(0))
    await rows(journal, thumbs=1)


@pytest.mark.parametrize(
    ("events", "vote"),
    [
        ([up(1), taken_back(up(1), 2)], None),
        ([taken_back(up(1), 2), up(1)], None),
        ([up(1), taken_back(up(1), 2), up(1)], None),
        ([up(1), taken_back(up(1), 2), up(3)], Vote.UP),
        ([up(1), down(2)], Vote.DOWN),
        ([down(2), up(1)], Vote.DOWN),
        ([up(1), down(2), taken_back(down(2), 3)], Vote.UP),
        ([up(1), down(2), taken_back(up(1), 3)], Vote.DOWN),
        ([up(1), down(2), up(3)], Vote.UP),
        ([taken_back(down(2), 3), up(1), down(2)], Vote.UP),
        ([up(1), up(2, vote=Vote.DOWN, message=SECOND)], Vote.DOWN),
        ([up(1), taken_back(up(1, message=SECOND), 2)], Vote.UP),
    ],
    ids=[
        "taken back",
        "taken back, late",
        "taken back, delivered again",
        "put up again",
        "changed",
        "changed, late",
        "changed and back",
        "first one tidied away",
        "pressed again",
        "all late",
        "on another part",
        "taken back on another part",
    ],
)
async def test_the_newest_thumb_that_stands_is_the_vote(
    journal: Journal, events: Sequence[Thumb], vote: Vote | None
) -> None:
    await answered(journal)
    for thumb in events:
        await journal.record_thumb(thumb)
    assert (await journal.votes("x1")).get(ANN) == vote


FRESH = itertools.count()
THUMBS = st.builds(
    lambda person, vote, added, at, message: Thumb(person, vote, added, minutes(at), message),
    st.sampled_from([ANN, BEN]),
    st.sampled_from(list(Vote)),
    st.booleans(),
    st.integers(0, 3),
    st.sampled_from([FIRST, SECOND]),
)


def votes_of(events: Sequence[Thumb]) -> dict[Person, Vote]:
    standing: list[Thumb] = []
    for event in sorted(events, key=lambda thumb: thumb.at):
        standing = [
            thumb
            for thumb in standing
            if (thumb.message, thumb.person, thumb.vote)
            != (event.message, event.person, event.vote)
        ]
        standing += [event] if event.added else []
    return {thumb.person: thumb.vote for thumb in standing}


async def votes_after(journal: Journal, events: Sequence[Thumb]) -> dict[Person, Vote]:
    exchange_id = f"fresh{next(FRESH)}"
    await journal.receive(exchange_id, PLAIN)
    for message, part in ((FIRST, 0), (SECOND, 1)):
        await journal.record_message(exchange_id, replace(message, channel_id=exchange_id), part)
    for event in events:
        await journal.record_thumb(
            replace(event, message=replace(event.message, channel_id=exchange_id))
        )
    return await journal.votes(exchange_id)


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(THUMBS, max_size=10))
async def test_votes_net_out_as_the_reference_says(journal: Journal, events: list[Thumb]) -> None:
    assert await votes_after(journal, events) == votes_of(events)


@settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(THUMBS, max_size=8).map(
        lambda events: [replace(event, at=minutes(n)) for n, event in enumerate(events)]
    ),
    st.data(),
)
async def test_neither_order_nor_repetition_of_events_changes_the_votes(
    journal: Journal, events: list[Thumb], data: st.DataObject
) -> None:
    repeated = events + (data.draw(st.lists(st.sampled_from(events))) if events else [])
    delivered = data.draw(st.permutations(repeated))
    assert await votes_after(journal, delivered) == votes_of(events)


async def test_the_thumbs_on_a_message_are_those_that_stand_there(journal: Journal) -> None:
    await answered(journal)
    gone = up(0, person=BEN)
    for thumb in (up(0), gone, down(1), up(2, message=SECOND), taken_back(gone, 3)):
        await journal.record_thumb(thumb)
    assert await journal.thumbs_on(FIRST) == {(ANN, Vote.UP), (ANN, Vote.DOWN)}


async def test_open_messages_are_the_newest_first_and_none_that_is_private_or_old(
    journal: Journal,
) -> None:
    await answered(journal)
    private = replace(PLAIN.where, private=True)
    await journal.receive("x2", replace(PLAIN, where=private, event_id="x2"))
    hidden = replace(FIRST, message_id="hidden")
    await journal.record_message("x2", hidden, 0)
    platform = FIRST.platform
    assert await journal.open_messages(platform, minutes(0)) == [SECOND, FIRST]
    assert await journal.open_messages(platform, minutes(1)) == []


async def test_a_message_that_told_somebody_is_not_looked_at_for_reactions(
    journal: Journal,
) -> None:
    told = replace(PLAIN, event_id=f"{TOLD}G-DISK build-2 x1")
    await journal.receive("x3", told)
    await journal.record_message("x3", FIRST, 0)
    assert await journal.open_messages(FIRST.platform, minutes(0)) == []
