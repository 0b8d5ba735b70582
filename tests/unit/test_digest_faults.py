"""A journal that fails around a digest: it is posted once, and one that failed is not forgotten."""

from collections.abc import AsyncIterator

import pytest

from bots.digesting import WAITS
from feedback.journal import open_journal
from tests.fakes import FakeAnnouncer
from tests.unit.test_digesting import Desk, Forgetful, settings


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with open_journal(None) as journal:
        made = Desk(journal)
        await made.ask()
        yield made


async def test_a_failed_digest_whose_failure_could_not_be_saved_is_tried_again(desk: Desk) -> None:
    desk.announcer = FakeAnnouncer("C1")
    journal = Forgetful(desk.journal, "digest_done")
    digests = desk.start(journal=journal)
    await digests.look()
    desk.announcer.unreachable = frozenset()
    journal._verbs = ()
    desk.clock.advance(WAITS[0])
    await digests.look()
    assert len(desk.leads) == 1


async def test_a_digest_of_the_second_try_that_could_not_be_saved_is_not_posted_again(
    desk: Desk,
) -> None:
    desk.announcer = FakeAnnouncer("C1")
    digests = desk.start()
    await digests.look()
    desk.announcer.unreachable = frozenset()
    desk.clock.advance(WAITS[0])
    digests._journal = OnceOnly(desk.journal)  # type: ignore[assignment]
    await digests.look()
    assert len(desk.leads) == 1
    for started in (digests, desk.start()):
        desk.clock.advance(WAITS[-1])
        await started.look()
    assert len(desk.leads) == 1


async def test_a_fault_in_one_digest_keeps_no_other_back(desk: Desk) -> None:
    async def report(tenant: str, *rest: object) -> object:
        digests._report = whole
        raise ZeroDivisionError

    whole = desk.report
    digests = desk.start(settings("0 9 * * mon", "slack:C1", "slack:C2"))
    digests._report = report  # type: ignore[assignment]
    await digests.look()
    assert desk.places == ["slack:C2"]
    await digests.look()
    assert desk.places == ["slack:C2", "slack:C1"]


class OnceOnly(Forgetful):
    """A journal that lets one more digest be ended, and then fails at it."""

    def __init__(self, journal: object) -> None:
        super().__init__(journal)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        found = super().__getattr__(name)
        if name == "digest_done":
            self._verbs = (name,)
        return found
