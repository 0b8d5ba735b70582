from datetime import timedelta

import pytest

from core.engines.hashing import HashingEmbedder
from core.errors import IndexUnavailable, JournalUnavailable
from core.exchanges import Exchange, OutcomeKind
from core.models import Scope, Vote
from core.outcomes import Answer, Gate, Help, Refusal, WeakAnswer
from core.scoping import services
from tests.asking import BEN, CHANNEL, SECOPS, breadcrumbs, desk, message_of
from tests.fakes import ScriptedEmbedder


async def test_an_exchange_is_kept_before_anything_is_searched() -> None:
    at = await desk()
    question = at.question("disk full")
    exchange_id = await at.nightlamp.received(question)
    assert exchange_id is not None
    assert await at.kept(exchange_id) == Exchange(exchange_id, question)


async def test_an_id_is_twelve_hexadecimal_digits_that_fit_into_a_button() -> None:
    at = await desk()
    exchange_id = await at.nightlamp.received(at.question("disk full"))
    assert exchange_id is not None
    assert (len(exchange_id), int(exchange_id, 16) >= 0) == (12, True)


async def test_an_event_that_is_delivered_twice_is_received_once() -> None:
    at = await desk()
    question = at.question("disk full", event_id="E1")
    assert await at.nightlamp.received(question) is not None
    assert await at.nightlamp.received(question) is None


async def test_questions_without_an_event_are_all_received() -> None:
    at = await desk()
    assert await at.nightlamp.received(at.question("disk full")) is not None
    assert await at.nightlamp.received(at.question("disk full")) is not None


async def test_a_question_that_cannot_be_kept_is_not_taken() -> None:
    at = await desk()
    at.journal.unavailable = True
    with pytest.raises(JournalUnavailable):
        await at.nightlamp.received(at.question("disk full"))


@pytest.mark.parametrize(
    ("text", "outcome", "kind"),
    [
        ("disk full", Answer, OutcomeKind.ANSWER),
        ("disk full on the cluster", WeakAnswer, OutcomeKind.WEAK),
        ("how do I bake bread", Refusal, OutcomeKind.REFUSAL),
        ("hello", Help, OutcomeKind.HELP),
        ("", Help, OutcomeKind.HELP),
    ],
)
async def test_an_outcome_is_given_and_kept(text: str, outcome: type, kind: OutcomeKind) -> None:
    at = await desk()
    reply = await at.ask(at.question(text))
    recorded = (await at.kept(reply.exchange_id)).recorded
    assert recorded is not None
    assert (type(reply.outcome), recorded.kind) == (outcome, kind)


async def test_the_model_that_made_a_kept_vector_is_named() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full"))
    recorded = (await at.kept(reply.exchange_id)).recorded
    assert recorded is not None
    assert recorded.vector is not None
    assert recorded.model == "scripted:10"


async def test_the_first_results_are_as_many_as_asked_for() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full"), limit=1)
    recorded = (await at.kept(reply.exchange_id)).recorded
    assert recorded is not None
    assert len(recorded.results) == 1


async def test_an_index_that_cannot_be_reached_is_kept_as_an_error_and_no_refusal() -> None:
    at = await desk()
    at.index.info = None
    exchange_id = await at.nightlamp.received(question := at.question("disk full"))
    assert exchange_id is not None
    with pytest.raises(IndexUnavailable):
        await at.nightlamp.ask(exchange_id, question)
    recorded = (await at.kept(exchange_id)).recorded
    assert recorded is not None
    assert recorded.kind is OutcomeKind.ERROR


async def test_after_an_error_the_same_exchange_can_be_answered() -> None:
    at = await desk()
    info, at.index.info = at.index.info, None
    exchange_id = await at.nightlamp.received(question := at.question("disk full"))
    assert exchange_id is not None
    with pytest.raises(IndexUnavailable):
        await at.nightlamp.ask(exchange_id, question)
    at.index.info = info
    assert isinstance((await at.nightlamp.ask(exchange_id, question)).outcome, Answer)


async def test_an_answer_that_cannot_be_kept_is_an_error() -> None:
    at = await desk()
    exchange_id = await at.nightlamp.received(question := at.question("disk full"))
    assert exchange_id is not None
    at.journal.unavailable = True
    with pytest.raises(JournalUnavailable):
        await at.nightlamp.ask(exchange_id, question)


# --- what people type -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("disk full " * 100_000, Answer),
        ("disk\0 full\0", Answer),
        ("\ud800 disk full \udfff", Answer),
        ("القرص ممتلئ", Refusal),
        ("\u202edisk full\u202c", Answer),
        ("💾🔥", Help),
        ("\0\0\0", Help),
    ],
    ids=["a megabyte", "NUL", "surrogates", "right to left", "overridden", "emoji", "only NUL"],
)
async def test_odd_text_has_an_outcome(text: str, outcome: type) -> None:
    at = await desk()
    assert type((await at.ask(at.question(text))).outcome) is outcome


async def test_a_reply_repeats_the_question_without_what_cannot_be_sent() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk\0 full\ud800 "))
    assert reply.question.text == "disk full�"
    assert reply.question == (await at.kept(reply.exchange_id)).question


# --- scope and tenants ----------------------------------------------------------------------------


async def test_a_scope_that_is_typed_narrows_the_search() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full service:storage"))
    assert breadcrumbs(reply.outcome) == ["Disk full"]


async def test_a_service_that_nobody_has_stays_part_of_the_question() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full service:nginx"))
    assert "Disk full in March" in breadcrumbs(reply.outcome)


async def test_a_service_of_unseen_pages_alone_is_as_unknown_as_any_other() -> None:
    at = await desk()
    unseen = await at.ask(at.question("disk full service:vault"))
    unknown = await at.ask(at.question("disk full service:nginx"))
    assert breadcrumbs(unseen.outcome) == breadcrumbs(unknown.outcome)


async def test_what_is_typed_never_widens_the_scope_of_a_channel() -> None:
    at = await desk()
    scope = Scope(service=("platform",))
    reply = await at.ask(at.question("disk full service:storage", scope=scope))
    assert set(breadcrumbs(reply.outcome)) == {"Pod crash › Meaning", "Pod crash › Roll back"}


async def test_nothing_but_a_scope_asks_for_help() -> None:
    at = await desk()
    assert (await at.ask(at.question("service:storage"))).outcome == Help()


async def test_a_search_never_leaves_its_tenant() -> None:
    at = await desk()
    ours = await at.ask(at.question("full disk of theirs"))
    theirs = await at.ask(at.question("full disk of theirs", tenant="globex"))
    assert "Full disk of theirs" not in breadcrumbs(ours.outcome)
    assert breadcrumbs(theirs.outcome) == ["Full disk of theirs"]


async def test_an_unseen_page_is_shown_nowhere_not_even_as_a_near_miss() -> None:
    at = await desk()
    everyone = await at.ask(at.question("vault sealed"))
    secops = await at.ask(at.question("vault sealed", scope=SECOPS))
    assert "Vault sealed" not in breadcrumbs(everyone.outcome)
    assert breadcrumbs(secops.outcome)[0] == "Vault sealed"


# --- while distances cannot be trusted ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("disk full", Answer), ("delete old papers", WeakAnswer), ("how do I bake", Refusal)],
)
async def test_an_untrusted_model_leaves_the_outcome_to_keywords(text: str, outcome: type) -> None:
    at = await desk(HashingEmbedder())
    reply = await at.ask(at.question(text))
    assert isinstance(reply.outcome, Answer | WeakAnswer | Refusal)
    assert type(reply.outcome) is outcome
    gate = Gate(dense=False, reason="untrusted model on a small corpus")
    assert reply.outcome.evidence.gate == gate


async def test_a_failing_model_leaves_the_outcome_to_keywords_and_the_journal_knows() -> None:
    embedder = ScriptedEmbedder()
    at = await desk(embedder)
    embedder.failing = True
    reply = await at.ask(at.question("disk full"))
    recorded = (await at.kept(reply.exchange_id)).recorded
    assert isinstance(reply.outcome, Answer)
    assert recorded is not None
    assert (recorded.dense, recorded.distance, recorded.vector) == (False, None, None)


# --- after a restart ------------------------------------------------------------------------------


async def test_a_question_that_was_never_answered_waits() -> None:
    at = await desk()
    exchange_id = await at.nightlamp.received(at.question("disk full"))
    assert [exchange.id for exchange in await at.nightlamp.unanswered()] == [exchange_id]


async def test_an_answer_that_was_never_posted_waits() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full"))
    assert [exchange.id for exchange in await at.nightlamp.unanswered()] == [reply.exchange_id]
    await at.nightlamp.posted(reply.exchange_id, message_of(reply.exchange_id))
    assert await at.nightlamp.unanswered() == []


@pytest.mark.parametrize(("minutes", "waiting"), [(15, 1), (15.1, 0)])
async def test_after_fifteen_minutes_nobody_waits_any_more(minutes: float, waiting: int) -> None:
    at = await desk()
    await at.nightlamp.received(at.question("disk full"))
    at.clock.advance(timedelta(minutes=minutes))
    assert len(await at.nightlamp.unanswered()) == waiting


async def test_what_waits_is_answered_from_what_was_kept() -> None:
    at = await desk()
    await at.nightlamp.received(at.question("disk full service:storage"))
    (waiting,) = await at.nightlamp.unanswered()
    reply = await at.nightlamp.ask(waiting.id, waiting.question)
    assert breadcrumbs(reply.outcome) == ["Disk full"]


# --- past incidents and lists ---------------------------------------------------------------------


async def test_similar_finds_past_incidents_alone() -> None:
    at = await desk()
    answered = await at.nightlamp.similar(at.question("disk full"))
    assert breadcrumbs(answered.outcome) == ["Disk full in March"]


async def test_similar_leaves_nothing_in_the_journal() -> None:
    at = await desk()
    await at.nightlamp.similar(at.question("disk full"))
    assert set((await at.journal.counts()).values()) == {0}


async def test_similar_takes_a_typed_scope_too() -> None:
    at = await desk()
    answered = await at.nightlamp.similar(at.question("disk full service:storage"))
    assert breadcrumbs(answered.outcome) == []


async def test_runbooks_are_listed_by_service_and_title_as_far_as_they_are_seen() -> None:
    at = await desk()

    async def titles(scope: Scope) -> list[str]:
        return [found.metadata.title for found in await at.nightlamp.runbooks("acme", scope)]

    assert await titles(Scope()) == ["Disk full in March", "Search index", "Pod crash", "Disk full"]
    assert await titles(Scope(visibility=("secops",))) == ["Vault sealed"]
    assert await titles(Scope(service=("storage",))) == ["Disk full"]


async def test_services_are_named_once_and_in_order() -> None:
    at = await desk()
    found = await at.nightlamp.runbooks("acme", SECOPS)
    assert services([*found, *found]) == ["platform", "storage", "vault"]


async def test_an_exact_alert_name_wins_over_what_is_near() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full disk full KubePodCrashLooping"))
    assert isinstance(reply.outcome, Answer)
    assert breadcrumbs(reply.outcome)[0].startswith("Pod crash › ")


async def test_where_and_when_are_kept_as_they_were_asked() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full"))
    kept = (await at.kept(reply.exchange_id)).question
    assert (kept.where, kept.asked_at, kept.tenant) == (CHANNEL, at.clock.now(), "acme")


async def test_votes_that_were_missed_are_made_up_for() -> None:
    at = await desk()
    exchange_id = await at.answered("disk full")
    message = message_of(exchange_id)
    await at.nightlamp.vote(at.thumb(exchange_id, Vote.UP))
    at.clock.advance(timedelta(minutes=1))
    now = at.clock.now()
    assert await at.nightlamp.reconcile(message, {(BEN, Vote.DOWN)}, now) == 2
    assert await at.nightlamp.reconcile(message, {(BEN, Vote.DOWN)}, now) == 0
    assert await at.journal.votes(exchange_id) == {BEN: Vote.DOWN}
