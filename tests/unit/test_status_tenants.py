"""What a tenant is told of the bot's state: nothing of another's."""

from collections.abc import Collection
from datetime import UTC, datetime

import pytest

from bots.status import Status, for_tenant
from core.outcomes import Gate
from core.points import BuildInfo

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
