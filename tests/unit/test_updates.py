"""An update of the index that failed is kept, and `status` says so until one has succeeded."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from bots.report_cards import status_card
from bots.status import Status, for_tenant
from bots.updates import FollowedIndexer, Unfinished
from core.errors import BuildRefused, NightlampError, SourceError
from core.outcomes import Gate
from core.points import BuildInfo
from core.ports import SearchableIndex
from core.reports import IndexOptions, IndexReport
from core.wire import from_plain, to_plain
from tests.fakes import FakeIndex, FrozenClock

RUN = IndexOptions()
REFUSED = BuildRefused("20 of the 30 documents of the source books are gone.")
AWAY = SourceError("The repository cannot be fetched.")
INFO = BuildInfo("build-1", "f", FrozenClock().now(), {}, 1, 1, 0, 4)


class ScriptedIndexer:
    """Succeeds, or fails with what comes next."""

    running_since: datetime | None = None

    def __init__(self, *failures: Exception | None) -> None:
        self._failures = list(failures)

    async def run(self, options: IndexOptions, progress: object = None) -> IndexReport:
        if failure := self._failures.pop(0):
            raise failure
        return IndexReport()


class Empty:
    """An index without a build."""

    info = None


def followed(*failures: Exception | None) -> tuple[FollowedIndexer, FrozenClock]:
    clock = FrozenClock()
    index = cast("SearchableIndex", cast("Any", Empty()))
    return FollowedIndexer(ScriptedIndexer(*failures), index, lambda _: None, clock), clock


async def failed(indexer: FollowedIndexer, options: IndexOptions = RUN) -> None:
    with pytest.raises(NightlampError):
        await indexer.run(options)


async def test_a_refusal_is_kept_with_the_time_of_the_first() -> None:
    indexer, clock = followed(AWAY, REFUSED)
    began = clock.now()
    await failed(indexer)
    clock.advance(timedelta(hours=1))
    await failed(indexer)
    assert indexer.unfinished == Unfinished(began, refused=True, sentence=str(REFUSED))


async def test_an_update_that_succeeds_ends_it() -> None:
    indexer, _ = followed(REFUSED, None)
    await failed(indexer)
    await indexer.run(RUN)
    assert indexer.unfinished is None


async def test_a_dry_run_neither_begins_nor_ends_it() -> None:
    dry = replace(RUN, dry_run=True)
    indexer, _ = followed(REFUSED, REFUSED, None)
    await failed(indexer, dry)
    assert indexer.unfinished is None
    await failed(indexer)
    await indexer.run(dry)
    assert indexer.unfinished is not None


UNFINISHED = Unfinished(FrozenClock().now(), refused=True, sentence=str(REFUSED))
STATUS = Status(
    data="/srv/nightlamp",
    build=None,
    vectors="in the data folder",
    model="m",
    gate=Gate(True),
    calibration="c",
    fitted=True,
    journal={},
    holder="process 1",
    unfinished=UNFINISHED,
)


def update(status: Status) -> str:
    [row] = [one for one in status_card(status).listings[0].rows if one.label == "update"]
    return row.detail


def test_status_says_what_was_refused_and_since_when() -> None:
    assert update(STATUS) == f"refused since 2030-01-07 09:00 UTC: {REFUSED}"


def test_status_says_what_fails_and_since_when() -> None:
    failing = replace(UNFINISHED, refused=False, sentence=str(AWAY))
    found = update(replace(STATUS, unfinished=failing))
    assert found == f"failing since 2030-01-07 09:00 UTC: {AWAY}"


@pytest.mark.parametrize("sources", [{"acme"}, None])
def test_a_chat_is_told_what_to_do_and_no_name(sources: set[str] | None) -> None:
    found = update(for_tenant(STATUS, "acme", sources))
    assert found.startswith("refused since 2030-01-07 09:00 UTC: ")
    assert "nightlamp index --force" in found
    assert "books" not in found


def test_a_command_beside_the_running_bot_is_told_it_too() -> None:
    assert from_plain(Status, to_plain(STATUS)) == STATUS


async def test_an_error_of_the_system_is_a_failed_update_too() -> None:
    indexer, _ = followed(PermissionError(13, "Permission denied", "/srv/docs/a"))
    with pytest.raises(PermissionError):
        await indexer.run(RUN)
    assert indexer.unfinished is not None
    assert (indexer.unfinished.refused, indexer.unfinished.sentence) == (
        False,
        "A file cannot be read or written: [Errno 13] Permission denied: '/srv/docs/a'",
    )


@pytest.mark.parametrize("error", [AWAY, ValueError("unforeseen")])
async def test_a_build_that_is_live_is_told_of_though_its_run_fails(error: Exception) -> None:
    told: list[IndexReport] = []
    index = FakeIndex(4)

    class Indexer(ScriptedIndexer):
        async def run(self, options: IndexOptions, progress: object = None) -> IndexReport:
            index.info = INFO
            raise error

    indexer = FollowedIndexer(Indexer(), index, told.append, FrozenClock())
    with pytest.raises(type(error)):
        await indexer.run(RUN)
    with pytest.raises(type(error)):
        await indexer.run(RUN)
    assert told == [IndexReport(build=INFO.id)]
