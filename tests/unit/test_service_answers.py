"""What people do with an answer: vote, say why, pick, share, call for help, take it down."""

from dataclasses import replace

import pytest

from core.errors import NotAllowed, NotFound
from core.exchanges import (
    Choice,
    Escalation,
    LoggedGap,
    MessageRef,
    Reason,
    ReasonKind,
)
from core.models import Platform, Scope, Vote
from tests.asking import (
    ANN,
    BEN,
    CRASH,
    DISK,
    INCIDENT,
    PAGES,
    SECOPS,
    Desk,
    desk,
    message_of,
)
from tests.indexed import page, put

NOBODY = Scope(visibility=("nobody",))


async def position(at: Desk, exchange_id: str, breadcrumb: str) -> int:
    """Return where a result stands in what the journal keeps."""
    recorded = (await at.kept(exchange_id)).recorded
    assert recorded is not None
    return [result.breadcrumb for result in recorded.results].index(breadcrumb)


# --- votes and reasons ----------------------------------------------------------------------------


async def test_a_vote_finds_the_exchange_by_its_message() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    voted = await at.nightlamp.vote(at.thumb(exchange_id))
    assert voted == await at.kept(exchange_id)
    assert await at.journal.votes(exchange_id) == {ANN: Vote.UP}


async def test_a_vote_taken_back_leaves_none() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    await at.nightlamp.vote(at.thumb(exchange_id))
    await at.nightlamp.vote(at.thumb(exchange_id, added=False))
    assert await at.journal.votes(exchange_id) == {}


async def test_the_newest_vote_of_a_person_counts_whichever_part_it_is_on() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    second = MessageRef(Platform.SLACK, "C1", "part-2")
    await at.nightlamp.posted(exchange_id, second, part=1)
    await at.nightlamp.vote(at.thumb(exchange_id))
    await at.nightlamp.vote(replace(at.thumb(exchange_id, Vote.DOWN), message=second))
    assert await at.journal.votes(exchange_id) == {ANN: Vote.DOWN}


async def test_a_thumb_on_any_other_message_is_none_of_ours() -> None:
    at = await desk()
    assert await at.nightlamp.vote(at.thumb("somebody's own message")) is None


async def test_a_reason_is_kept() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    why = Reason(exchange_id, ANN, ReasonKind.OUTDATED, "since 2029", at.clock.now())
    await at.nightlamp.reason(why)
    assert at.journal.reasons == {(exchange_id, ANN): why}


async def test_a_reason_for_nothing_known_is_refused() -> None:
    at = await desk()
    with pytest.raises(NotFound):
        await at.nightlamp.reason(Reason("x", ANN, ReasonKind.OTHER, "", at.clock.now()))


# --- another result -------------------------------------------------------------------------------


async def test_another_result_is_shown_as_it_is_now_and_the_choice_is_kept() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    index = await position(at, exchange_id, "Disk full in March")
    edited = page("postmortems/2030.md", "# Disk full in March\n\nIt was the audit log.\n")
    await put(at.index, at.embedder, [edited if p is INCIDENT else p for p in PAGES])
    chosen = await at.nightlamp.choose(exchange_id, BEN, index, Scope())
    assert chosen.text == "# Disk full in March\n\nIt was the audit log.\n"
    assert list(at.journal.choices) == [
        Choice(exchange_id, BEN, index, chosen.best.section.id, at.clock.now())
    ]


async def test_a_page_that_is_gone_is_not_shown_from_memory() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    index = await position(at, exchange_id, "Disk full")
    await put(at.index, at.embedder, [p for p in PAGES if p is not DISK])
    with pytest.raises(NotFound):
        await at.nightlamp.choose(exchange_id, ANN, index, Scope())
    assert at.journal.choices == {}


async def test_the_part_of_a_result_that_is_left_is_shown() -> None:
    at = await desk()
    exchange_id = await at.answered("pod crash")
    shorter = page("pod-crash.md", "# Pod crash\n\n## Roll back\n\nUndo the last deploy.\n")
    await put(at.index, at.embedder, [shorter if p is CRASH else p for p in PAGES])
    index = await position(at, exchange_id, "Pod crash › Meaning")
    chosen = await at.nightlamp.choose(exchange_id, ANN, index, Scope())
    assert chosen.text == "## Roll back\n\nUndo the last deploy.\n"


async def test_a_result_that_the_place_does_not_see_is_refused() -> None:
    at = await desk()
    reply = await at.ask(at.question("vault sealed", scope=SECOPS))
    index = await position(at, reply.exchange_id, "Vault sealed")
    with pytest.raises(NotAllowed):
        await at.nightlamp.choose(reply.exchange_id, ANN, index, Scope())


@pytest.mark.parametrize("index", [-1, 10, 10**9])
async def test_there_is_no_result_beyond_those_that_were_found(index: int) -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    with pytest.raises(NotFound):
        await at.nightlamp.choose(exchange_id, ANN, index, Scope())


@pytest.mark.parametrize("text", ["hello", "disk full"])
async def test_what_has_no_results_has_nothing_to_pick(text: str) -> None:
    at = await desk()
    exchange_id = await at.nightlamp.received(at.question(text))
    assert exchange_id is not None
    with pytest.raises(NotFound):
        await at.nightlamp.choose(exchange_id, ANN, 0, Scope())


async def test_nothing_can_be_picked_from_an_unknown_exchange() -> None:
    at = await desk()
    with pytest.raises(NotFound):
        await at.nightlamp.choose("x", ANN, 0, Scope())


# --- calls for people -----------------------------------------------------------------------------


async def test_a_gap_is_logged_once_a_person() -> None:
    at = await desk()
    exchange_id = await at.answered("how do I bake bread")
    assert await at.nightlamp.log_gap(exchange_id, ANN)
    assert not await at.nightlamp.log_gap(exchange_id, ANN)
    assert await at.nightlamp.log_gap(exchange_id, BEN)
    now = at.clock.now()
    assert list(at.journal.gaps.values()) == [
        LoggedGap(exchange_id, ANN, now),
        LoggedGap(exchange_id, BEN, now),
    ]


async def test_a_human_is_asked_once_and_it_is_resolved_once() -> None:
    at = await desk()
    exchange_id = await at.answered("how do I bake bread")
    assert await at.nightlamp.escalate(exchange_id, ANN)
    assert not await at.nightlamp.escalate(exchange_id, BEN)
    assert await at.nightlamp.resolve(exchange_id, BEN, "read\0 the note\ud800")
    assert not await at.nightlamp.resolve(exchange_id, ANN, "me too")
    now = at.clock.now()
    assert at.journal.escalations == {
        exchange_id: Escalation(exchange_id, ANN, now, BEN, now, "read the note�")
    }


async def test_what_nobody_asked_a_human_about_cannot_be_resolved() -> None:
    at = await desk()
    assert not await at.nightlamp.resolve(await at.answered("disk full"), BEN, "done")


async def test_no_human_is_asked_and_no_gap_logged_about_an_unknown_exchange() -> None:
    at = await desk()
    with pytest.raises(NotFound):
        await at.nightlamp.escalate("x", ANN)
    with pytest.raises(NotFound):
        await at.nightlamp.log_gap("x", ANN)


# --- taking an answer down ------------------------------------------------------------------------


async def test_the_asker_takes_down_every_message_of_an_answer() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    second = MessageRef(Platform.SLACK, "C1", "part-2")
    await at.nightlamp.posted(exchange_id, second, part=1)
    there = (message_of(exchange_id), second)
    assert await at.nightlamp.delete(exchange_id, ANN) == there
    assert await at.nightlamp.delete(exchange_id, ANN) == ()


async def test_nobody_else_takes_an_answer_down_but_an_admin() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    with pytest.raises(NotAllowed):
        await at.nightlamp.delete(exchange_id, BEN)
    assert await at.nightlamp.delete(exchange_id, BEN, admin=True) == (message_of(exchange_id),)


async def test_an_unknown_answer_cannot_be_taken_down() -> None:
    at = await desk()
    with pytest.raises(NotFound):
        await at.nightlamp.delete("x", ANN)


async def test_what_was_taken_down_unposted_waits_no_more() -> None:
    at = await desk()
    exchange_id = await at.nightlamp.received(at.question("disk full"))
    assert exchange_id is not None
    await at.nightlamp.delete(exchange_id, ANN)
    assert await at.nightlamp.unanswered() == []
