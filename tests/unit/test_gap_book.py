"""What people decide about gaps, and who may."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from core.errors import NotAllowed, NotFound, UsageError
from core.models import Scope
from feedback.gap_book import Actor, GapBook
from feedback.models import GapRecord, GapStatus
from feedback.places import section_named
from tests.indexed import page
from tests.looping import ANN, BEN, DISK, DISK_THEIRS, PAY_SCOPE, SEARCH, Team, team

NESTED = page("ops/search.md", "# Nested search\n\nElsewhere.\n")
SECRET = page("secret.md", "---\nvisibility: [pay]\n---\n# Secret\n\nHidden.\n")
PERSON, ADMIN = Actor(ANN, "acme"), Actor(BEN, "acme", admin=True)


@pytest.fixture
async def acme() -> AsyncIterator[Team]:
    async with team((SEARCH, DISK, NESTED, SECRET)) as made:
        await made.gap("G-7KQ2", await made.ask("queue lag"))
        yield made


@pytest.fixture
def book(acme: Team) -> GapBook:
    return GapBook(acme.journal, acme.index, acme.clock)


async def test_anybody_owns_a_gap_and_it_says_whose_it_is(book: GapBook) -> None:
    record = await book.own("g 7kq2", PERSON)
    assert (record.id, record.status, record.owner) == ("G-7KQ2", GapStatus.OWNED, ANN)
    assert (await book.own("G-7KQ2", ADMIN)).owner == BEN


async def test_owning_twice_is_owning_once(book: GapBook) -> None:
    assert await book.own("G-7KQ2", PERSON) == await book.own("G-7KQ2", PERSON)


async def test_an_admin_snoozes_dismisses_and_opens_again(book: GapBook, acme: Team) -> None:
    snoozed = await book.snooze("G-7KQ2", ADMIN, 14)
    assert snoozed.status is GapStatus.SNOOZED
    assert snoozed.snoozed_until == acme.clock.now() + timedelta(days=14)
    assert (await book.dismiss("G-7KQ2", ADMIN)).status is GapStatus.DISMISSED
    assert (await book.reopen("G-7KQ2", ADMIN)).status is GapStatus.OPEN


Verb = Callable[[GapBook, Actor], Awaitable[GapRecord]]
VERBS: dict[str, Verb] = {
    "own": lambda book, actor: book.own("G-7KQ2", actor),
    "snooze": lambda book, actor: book.snooze("G-7KQ2", actor, 7),
    "dismiss": lambda book, actor: book.dismiss("G-7KQ2", actor),
    "reopen": lambda book, actor: book.reopen("G-7KQ2", actor),
    "done": lambda book, actor: book.done("G-7KQ2", actor, "disk.md"),
}


@pytest.mark.parametrize("verb", ["snooze", "dismiss", "reopen", "done"])
async def test_who_is_no_admin_may_not(book: GapBook, verb: str) -> None:
    with pytest.raises(NotAllowed):
        await VERBS[verb](book, PERSON)


@pytest.mark.parametrize("verb", VERBS)
async def test_a_gap_of_another_tenant_is_not_there(book: GapBook, verb: str) -> None:
    with pytest.raises(NotFound, match="There is no gap G-7KQ2"):
        await VERBS[verb](book, replace(ADMIN, tenant="globex"))


@pytest.mark.parametrize("days", [0, -1, 366])
async def test_a_snooze_is_for_a_day_to_a_year(book: GapBook, days: int) -> None:
    with pytest.raises(UsageError, match="1 to 365 days"):
        await book.snooze("G-7KQ2", ADMIN, days)


async def test_its_owner_says_what_answers_it(book: GapBook) -> None:
    await book.own("G-7KQ2", PERSON)
    record = await book.done("G-7KQ2", PERSON, "https://x.example/blob/main/search.md#roll-back")
    assert record.status is GapStatus.DONE
    assert record.section is not None
    assert record.section.breadcrumb == "Search index › Roll back"
    with pytest.raises(NotAllowed, match="answered already"):
        await book.own("G-7KQ2", PERSON)


@pytest.mark.parametrize(
    ("text", "breadcrumb"),
    [
        ("search.md#roll-back", "Search index › Roll back"),
        ("runbooks/search.md#roll-back", "Search index › Roll back"),
        ("<https://x.example/blob/abc/search.md#roll-back|Roll back>", "Search index › Roll back"),
        ("https://x.example/blob/abc/ops/search.md?plain=1", "Nested search"),
        ("file:///srv/runbooks/disk.md#disk-full", "Disk full"),
        (" disk.md ", "Disk full"),
        ("ops/search.md", "Nested search"),
    ],
)
async def test_a_section_is_named_by_link_or_path(acme: Team, text: str, breadcrumb: str) -> None:
    found = await section_named(acme.index, "acme", Scope(), text)
    assert found.breadcrumb == breadcrumb


async def test_a_section_is_named_by_its_id(acme: Team) -> None:
    first = await section_named(acme.index, "acme", Scope(), "disk.md")
    assert await section_named(acme.index, "acme", Scope(), first.id) == first


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("disk.md#nowhere", "no heading with the anchor nowhere"),
        ("absent.md", "No runbook that can be seen here"),
        ("", "No runbook that can be seen here"),
        ("#disk-full", "No runbook that can be seen here"),
        ("sk.md", "No runbook that can be seen here"),
        ("secret.md", "No runbook that can be seen here"),
        ("https://x.example/", "No runbook that can be seen here"),
        ("http://[x/disk.md", "No runbook that can be seen here"),
    ],
)
async def test_what_names_no_section_that_is_seen_is_one_sentence(
    acme: Team, text: str, says: str
) -> None:
    with pytest.raises(NotFound, match=says):
        await section_named(acme.index, "acme", Scope(), text)


async def test_a_hidden_section_is_not_found_by_its_id_either(acme: Team) -> None:
    secret = await section_named(acme.index, "acme", PAY_SCOPE, "secret.md")
    for tenant, scope in (("acme", Scope()), ("globex", PAY_SCOPE)):
        with pytest.raises(NotFound):
            await section_named(acme.index, tenant, scope, secret.id)


async def test_a_path_that_several_pages_end_in_names_none(acme: Team) -> None:
    await acme.build(page("a/x.md", "# X\n\none\n"), page("b/x.md", "# X\n\ntwo\n"), DISK_THEIRS)
    with pytest.raises(NotFound, match=r"write runbooks/a/x.md or runbooks/b/x.md"):
        await section_named(acme.index, "acme", Scope(), "x.md")
