"""A name that no document has is said to be one, and what was asked with it is no gap."""

import pytest

from bots.card import Listing, Row
from bots.unknown_names import unknown_card, unknown_sentence
from core.exchanges import OutcomeKind
from core.models import Scope
from core.outcomes import Answer, Help, Refusal, UnknownName
from tests.asking import SECOPS, desk
from tests.indexed import page

PAYMENTS = UnknownName("service", "payments", ("platform", "storage"))
STORAGE = UnknownName("service", "storge", ("storage", "platform"))


async def test_a_service_that_no_document_has_is_named_with_those_nearest_to_it() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full", scope=Scope(service=("payments",))))
    assert reply.outcome == PAYMENTS


async def test_it_is_kept_as_help_and_so_is_no_gap() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full", scope=Scope(service=("payments",))))
    kept = (await at.kept(reply.exchange_id)).recorded
    assert kept is not None
    assert (kept.kind, kept.results) == (OutcomeKind.HELP, ())


async def test_a_type_that_no_document_has_is_named_too() -> None:
    at = await desk()
    reply = await at.ask(at.question("disk full", scope=Scope(type=("novel",))))
    assert isinstance(reply.outcome, UnknownName)
    assert (reply.outcome.kind, reply.outcome.name) == ("type", "novel")


async def test_past_incidents_of_an_unknown_service_are_none() -> None:
    at = await desk()
    found = await at.nightlamp.similar(at.question("disk full", scope=Scope(service=("payments",))))
    assert found.outcome == PAYMENTS


async def test_one_known_service_among_several_is_enough() -> None:
    at = await desk()
    scope = Scope(service=("payments", "storage"))
    assert isinstance((await at.ask(at.question("disk full", scope=scope))).outcome, Answer)


async def test_known_names_that_no_document_has_together_are_refused() -> None:
    at = await desk()
    scope = Scope(service=("storage",), type=("postmortem",))
    assert isinstance((await at.ask(at.question("disk full", scope=scope))).outcome, Refusal)


async def test_services_of_unseen_pages_are_not_named() -> None:
    at = await desk()
    narrow = Scope(service=("vault",))
    everyone = await at.ask(at.question("vault sealed", scope=narrow))
    assert everyone.outcome == UnknownName("service", "vault", ("platform", "storage"))
    secops = Scope(service=("vault",), visibility=SECOPS.visibility)
    assert isinstance((await at.ask(at.question("vault sealed", scope=secops))).outcome, Answer)


async def test_where_nothing_is_indexed_the_name_is_not_to_blame() -> None:
    at = await desk()
    question = at.question("disk full", tenant="nobody", scope=Scope(service=("payments",)))
    assert isinstance((await at.ask(question)).outcome, Refusal)


async def test_help_is_given_whatever_the_scope() -> None:
    at = await desk()
    reply = await at.ask(at.question("hello", scope=Scope(service=("payments",))))
    assert reply.outcome == Help()


@pytest.mark.parametrize(
    "text", ["disk full service:storge", "service:storge disk full", "disk full, service:storge?"]
)
async def test_a_slip_in_a_typed_name_is_taken_for_one(text: str) -> None:
    at = await desk()
    assert (await at.ask(at.question(text))).outcome == STORAGE


@pytest.mark.parametrize(
    "text",
    ["disk full service:nginx", "disk (service:storge) full", "disk full xservice:storge"],
    ids=["another name", "within a log", "no option"],
)
async def test_other_names_are_part_of_the_question(text: str) -> None:
    at = await desk()
    assert not isinstance((await at.ask(at.question(text))).outcome, UnknownName)


@pytest.mark.parametrize("text", ["disk full service:storage.", "service:storage, disk full"])
async def test_a_mark_after_a_known_name_is_no_slip(text: str) -> None:
    at = await desk()
    outcome = (await at.ask(at.question(text))).outcome
    assert isinstance(outcome, Answer)
    assert {one.best.section.metadata.service for one in outcome.results} == {"storage"}


async def test_a_name_that_differs_in_its_number_is_another_and_no_slip() -> None:
    first = page("v1.md", "---\nservice: payments-v1\n---\n# Disk full\n\nDelete old logs.\n")
    at = await desk(documents=(first,))
    outcome = (await at.ask(at.question("service:payments-v2 disk full"))).outcome
    assert not isinstance(outcome, UnknownName)


async def test_a_long_name_that_there_is_narrows() -> None:
    name = "x" * 100
    first = page("x.md", f"---\nservice: {name}\n---\n# Disk full\n\nDelete old logs.\n")
    at = await desk(documents=(first,))
    outcome = (await at.ask(at.question(f"disk full service:{name}"))).outcome
    assert not isinstance(outcome, UnknownName)


async def test_a_name_of_a_megabyte_is_cut() -> None:
    at = await desk()
    scope = Scope(service=("x" * 1_000_000,))
    outcome = (await at.ask(at.question("disk full", scope=scope))).outcome
    assert isinstance(outcome, UnknownName)
    assert len(outcome.name) == 80


def test_the_card_names_what_there_is() -> None:
    card = unknown_card(PAYMENTS)
    assert card.title == "No document names the service payments"
    assert "if you named none, the settings of this channel do" in card.lead
    assert card.listings == (
        Listing("The nearest that there are", (Row("platform"), Row("storage"))),
    )
    assert card.buttons == ()


def test_the_sentence_says_where_no_document_names_any() -> None:
    none = UnknownName("type", "novel")
    assert unknown_sentence(none) == "No document names the type novel; none names any type."
