"""Talks: what a follow-up follows, and when the bot keeps quiet."""

from dataclasses import replace

import pytest

from core.exchanges import Person, Thread
from core.models import Platform, Question, Where
from core.outcomes import Refusal
from tests.asking import ANN, BEN, CHANNEL, SECOPS, THREAD, Desk, breadcrumbs, desk
from tests.indexed import page

QUIETLY = replace(THREAD, private=True)


async def follow_up(at: Desk, first: str, then: str) -> list[str]:
    """Ask two questions, the second following the first; returns what the second shows."""
    before = await at.ask(at.question(first))
    asked = at.question(then, follows=before.exchange_id)
    return breadcrumbs((await at.ask(asked)).outcome)


async def confidence(at: Desk, question: Question) -> float:
    """Ask, and return how sure the journal says the answer was."""
    recorded = (await at.kept((await at.ask(question)).exchange_id)).recorded
    assert recorded is not None
    return recorded.confidence


# --- follow-ups -----------------------------------------------------------------------------------


async def test_a_follow_up_is_read_together_with_what_it_follows() -> None:
    at = await desk()
    shown = await follow_up(at, "search index", "and how do I roll back?")
    assert shown[0] == "Search index › Roll back"


async def test_the_better_evidence_wins_over_what_is_followed() -> None:
    at = await desk()
    assert (await follow_up(at, "search index", "disk full"))[0] == "Disk full in March"


async def test_what_was_found_where_more_is_seen_gives_no_context_here() -> None:
    hidden = page("a.md", "---\nvisibility: [secops]\n---\n# Zanzibar\n\nSealed.\n")
    open_ = page("b.md", "# Zanzibar\n\n## Roll back\n\nTurn the key.\n")
    at = await desk(documents=(hidden, open_))
    seen = await at.ask(at.question("zanzibar: turn the key"))
    unseen = await at.ask(at.question("zanzibar sealed", scope=SECOPS))
    alone = at.question("how do I roll back the zeppelin?")
    after_seen = replace(alone, follows=seen.exchange_id)
    after_unseen = replace(alone, follows=unseen.exchange_id)
    assert await confidence(at, after_seen) > await confidence(at, alone)
    assert await confidence(at, after_unseen) == await confidence(at, alone)


async def test_what_another_tenant_asked_gives_no_context() -> None:
    at = await desk()
    theirs = await at.ask(at.question("full disk of theirs", tenant="globex"))
    followed = await at.ask(at.question("and then what", follows=theirs.exchange_id))
    alone = await at.ask(at.question("and then what"))
    assert breadcrumbs(followed.outcome) == breadcrumbs(alone.outcome)


@pytest.mark.parametrize("before", ["hello", "vanished"])
async def test_what_showed_nothing_gives_no_context(before: str) -> None:
    at = await desk()
    follows = (await at.ask(at.question("hello"))).exchange_id if before == "hello" else "x"
    reply = await at.ask(at.question("how do I bake bread", follows=follows))
    assert isinstance(reply.outcome, Refusal)


# --- listening ------------------------------------------------------------------------------------


async def test_a_thread_is_remembered_with_whose_it_is_and_what_was_last_asked() -> None:
    at = await desk()
    await at.ask(at.question("disk full", where=THREAD))
    last = await at.ask(at.question("pod crash", where=THREAD))
    assert await at.nightlamp.listens(THREAD, "U1") == Thread(
        THREAD, "U1", last.exchange_id, frozenset({"U1"})
    )


async def test_the_bot_listens_to_no_talk_that_it_was_never_asked_in() -> None:
    at = await desk()
    await at.ask(at.question("disk full"))
    assert await at.nightlamp.listens(CHANNEL, "U1") is None
    assert await at.nightlamp.listens(THREAD, "U1") is None


async def test_once_a_second_person_joins_the_bot_is_quiet_for_good() -> None:
    at = await desk()
    await at.ask(at.question("disk full", where=THREAD))
    assert await at.nightlamp.listens(THREAD, "U2") is None
    assert await at.nightlamp.listens(THREAD, "U1") is None


async def test_somebody_else_who_asks_in_a_thread_has_joined_it() -> None:
    at = await desk()
    await at.ask(at.question("disk full", where=THREAD))
    await at.ask(at.question("pod crash", where=THREAD, person=BEN))
    assert await at.nightlamp.listens(THREAD, "U1") is None


async def test_a_muted_thread_is_left_alone_until_the_bot_is_woken() -> None:
    at = await desk()
    await at.ask(at.question("disk full", where=THREAD))
    await at.nightlamp.mute(THREAD, ANN)
    assert await at.nightlamp.listens(THREAD, "U1") is None
    await at.nightlamp.mute(THREAD, ANN, muted=False)
    assert await at.nightlamp.listens(THREAD, "U1") is not None


async def test_a_muted_channel_mutes_its_threads() -> None:
    at = await desk()
    await at.ask(at.question("disk full", where=THREAD))
    await at.nightlamp.mute(CHANNEL, ANN)
    assert await at.nightlamp.listens(THREAD, "U1") is None


async def test_what_is_asked_in_private_does_not_become_what_a_thread_is_about() -> None:
    at = await desk()
    said = await at.ask(at.question("disk full", where=THREAD))
    await at.ask(at.question("vault sealed", where=QUIETLY, person=BEN))
    assert await at.nightlamp.listens(THREAD, "U1") == Thread(
        THREAD, "U1", said.exchange_id, frozenset({"U1"})
    )


async def test_a_private_question_does_not_make_the_bot_listen_to_the_thread() -> None:
    at = await desk()
    await at.ask(at.question("disk full", where=QUIETLY))
    assert await at.nightlamp.listens(THREAD, "U1") is None
    said = await at.ask(at.question("pod crash", where=THREAD, person=BEN))
    assert await at.nightlamp.listens(THREAD, "U2") == Thread(
        THREAD, "U2", said.exchange_id, frozenset({"U2"})
    )


async def test_a_direct_talk_is_private_and_listened_to() -> None:
    at = await desk()
    direct = Where(Platform.DISCORD, "D1", "T1", private=True)
    ann = Person(Platform.DISCORD, "U1")
    reply = await at.ask(at.question("disk full", where=direct, person=ann))
    thread = await at.nightlamp.listens(direct, "U1")
    assert thread is not None
    assert thread.exchange_id == reply.exchange_id
