"""What `status` says of an update of the index that failed, and who is told of each build."""

from dataclasses import replace
from datetime import datetime

import pytest

from bots.report_cards import status_card
from bots.status import Status, for_tenant
from bots.updates import FollowedIndexer
from core.errors import BuildRefused, SourceError
from core.outcomes import Gate
from core.points import BuildInfo
from core.reports import IndexOptions, IndexReport
from core.wire import from_plain, to_plain
from corpus.lagging import Unfinished
from tests.fakes import FakeIndex, FrozenClock

RUN = IndexOptions()
REFUSED = BuildRefused("20 of the 30 documents of the source books are gone.")
AWAY = SourceError("The repository cannot be fetched.")
INFO = BuildInfo("build-1", "f", FrozenClock().now(), {}, 1, 1, 0, 4)


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


@pytest.mark.parametrize("error", [AWAY, ValueError("unforeseen")])
async def test_a_build_that_is_live_is_told_of_though_its_run_fails(error: Exception) -> None:
    told: list[IndexReport] = []
    index = FakeIndex(4)

    class Indexer:
        running_since: datetime | None = None

        async def run(self, options: IndexOptions, progress: object = None) -> IndexReport:
            index.info = INFO
            raise error

    indexer = FollowedIndexer(Indexer(), index, told.append)
    with pytest.raises(type(error)):
        await indexer.run(RUN)
    with pytest.raises(type(error)):
        await indexer.run(RUN)
    assert told == [IndexReport(build=INFO.id)]
