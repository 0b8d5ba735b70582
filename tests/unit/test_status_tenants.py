"""What a tenant is told of the bot's state: nothing of another's."""

from collections.abc import Collection
from datetime import UTC, datetime

import pytest

from bots.report_cards import status_card
from bots.status import OLD, Status, for_tenant
from core.outcomes import Gate
from core.points import BuildInfo
from corpus.lagging import LaggingSource

NOW = datetime(2030, 1, 1, tzinfo=UTC)
BUILD = BuildInfo(
    id="build-1",
    fingerprint="x",
    created_at=NOW,
    sources={"acme": "1" * 40, "globex": "2" * 40},
    documents=1,
    sections=1,
    passages=1,
    dimension=3,
)
STATUS = Status(
    data="/srv/nightlamp",
    build=BUILD,
    vectors="in the data folder",
    model="m",
    gate=Gate(True),
    calibration="c",
    fitted=True,
    journal={"exchanges": 3},
    holder="process 1",
    lagging=(LaggingSource("globex", NOW, "The repository globex cannot be fetched (why)."),),
)


@pytest.mark.parametrize(
    ("sources", "named"),
    [({"acme"}, {"acme"}), (set(), set()), (None, {"acme", "globex"})],
    ids=["its own", "it has none", "none are set up"],
)
def test_a_tenant_is_told_of_its_own_sources_alone(
    sources: Collection[str] | None, named: set[str]
) -> None:
    told = for_tenant(STATUS, "acme", sources)
    assert told.build is not None
    assert set(told.build.sources) == named
    assert (told.data, told.holder, told.journal) == ("", "", {})


def test_the_operator_is_told_which_source_could_not_be_read_since_when_and_why() -> None:
    rows = {row.label: row.detail for row in status_card(STATUS).listings[0].rows}
    assert rows["not read"] == (
        "globex, since 2030-01-01 00:00 UTC: The repository globex cannot be fetched (why)."
    )


@pytest.mark.parametrize(("sources", "told"), [({"acme"}, []), ({"globex"}, [OLD]), (None, [OLD])])
def test_a_tenant_is_told_of_its_own_source_that_lags_and_not_why(
    sources: Collection[str] | None, told: list[str]
) -> None:
    assert [one.sentence for one in for_tenant(STATUS, "globex", sources).lagging] == told
