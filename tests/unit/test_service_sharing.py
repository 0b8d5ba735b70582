"""A private answer shown to all: what may be seen there, and by whose wish."""

from dataclasses import replace

import pytest

from core.errors import NotAllowed, NotFound
from core.models import Platform, Scope
from core.outcomes import Answer
from tests.asking import ANN, BEN, CHANNEL, CRASH, PRIVATE, SECOPS, breadcrumbs, desk
from tests.indexed import put


async def test_a_private_answer_is_shared_as_an_exchange_for_all_to_see() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full", PRIVATE)
    shared = await at.nightlamp.share(exchange_id, ANN, CHANNEL, Scope())
    assert shared is not None
    private = await at.kept(exchange_id)
    assert isinstance(shared.outcome, Answer)
    assert private.recorded is not None
    assert breadcrumbs(shared.outcome)[0] == private.recorded.results[0].breadcrumb
    assert (await at.kept(shared.exchange_id)).question.where == CHANNEL
    assert private.question.where == PRIVATE


async def test_an_answer_is_shared_once_in_a_place() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full", PRIVATE)
    assert await at.nightlamp.share(exchange_id, ANN, CHANNEL, Scope()) is not None
    assert await at.nightlamp.share(exchange_id, ANN, CHANNEL, Scope()) is None


async def test_what_is_picked_from_a_shared_answer_is_what_was_listed_there() -> None:
    at = await desk()
    asked = at.question("vault sealed disk full", where=PRIVATE, scope=SECOPS)
    reply = await at.ask(asked)
    assert "Vault sealed" in breadcrumbs(reply.outcome)
    first = (await at.kept(reply.exchange_id)).recorded
    assert first is not None
    assert first.results[0].breadcrumb == "Disk full in March"
    shared = await at.nightlamp.share(reply.exchange_id, ANN, CHANNEL, Scope())
    assert shared is not None
    listed = breadcrumbs(shared.outcome)
    assert "Vault sealed" not in listed
    kept = (await at.kept(shared.exchange_id)).recorded
    assert kept is not None
    assert "Vault sealed" not in [result.breadcrumb for result in kept.results]


async def test_a_follow_up_is_shared_with_what_it_follows() -> None:
    at = await desk()
    before = await at.ask(at.question("search index", where=PRIVATE))
    asked = at.question("and how do I roll back?", where=PRIVATE, follows=before.exchange_id)
    reply = await at.ask(asked)
    shared = await at.nightlamp.share(reply.exchange_id, ANN, CHANNEL, Scope())
    assert shared is not None
    assert breadcrumbs(shared.outcome)[0] == breadcrumbs(reply.outcome)[0]
    assert breadcrumbs(reply.outcome)[0] == "Search index › Roll back"


async def test_nothing_is_shared_where_it_may_not_be_seen() -> None:
    at = await desk()
    reply = await at.ask(at.question("vault sealed", where=PRIVATE, scope=SECOPS))
    with pytest.raises(NotAllowed):
        await at.nightlamp.share(reply.exchange_id, ANN, CHANNEL, Scope())
    assert len(at.journal.exchanges) == 1


async def test_only_the_asker_may_share() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full", PRIVATE)
    with pytest.raises(NotAllowed):
        await at.nightlamp.share(exchange_id, BEN, CHANNEL, Scope())


async def test_a_namesake_on_another_platform_is_not_the_asker() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full", PRIVATE)
    with pytest.raises(NotAllowed):
        await at.nightlamp.share(
            exchange_id, replace(ANN, platform=Platform.DISCORD), CHANNEL, Scope()
        )


async def test_help_cannot_be_shared() -> None:
    at = await desk()
    exchange_id = await at.answered("hello", PRIVATE)
    with pytest.raises(NotFound):
        await at.nightlamp.share(exchange_id, ANN, CHANNEL, Scope())


async def test_what_is_gone_since_cannot_be_shared() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full", PRIVATE)
    await put(at.index, at.embedder, [CRASH])
    with pytest.raises(NotFound):
        await at.nightlamp.share(exchange_id, ANN, CHANNEL, Scope())
