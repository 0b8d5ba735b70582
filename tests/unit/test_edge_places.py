"""What every point of a shard meets, so that a search need not ask for it."""

import pytest

from core.engines.edge_places import Places, number_of
from core.points import Filter
from tests.index_points import both, section, uuid, words


def places(*audiences: tuple[str, tuple[str, ...]]) -> Places:
    made = Places()
    for number, (tenant, visibility) in enumerate(audiences, start=1):
        one = section(number, page=number, tenant=tenant, visibility=visibility)
        made.add(both(one, None, words(1)))
    return made


OURS = ("acme", ("everyone",))


@pytest.mark.parametrize(
    ("audiences", "where", "met"),
    [
        ([OURS, OURS], Filter("acme", ("everyone",)), {"tenant", "visibility"}),
        ([OURS], Filter("acme", ("sre", "everyone")), {"tenant", "visibility"}),
        ([OURS], Filter("acme", ("sre",)), {"tenant"}),
        ([OURS], Filter("acme", ()), {"tenant"}),
        ([OURS], Filter("other", ("everyone",)), {"visibility"}),
        ([OURS, ("acme", ("sre",))], Filter("acme", ("everyone",)), {"tenant"}),
        (
            [OURS, ("acme", ("sre", "everyone"))],
            Filter("acme", ("everyone",)),
            {"tenant", "visibility"},
        ),
        ([OURS, ("acme", ())], Filter("acme", ("everyone",)), {"tenant"}),
        ([OURS, ("other", ("everyone",))], Filter("acme", ("everyone",)), {"visibility"}),
        ([OURS, ("other", ("sre",))], Filter("acme", ("everyone",)), set()),
    ],
)
def test_a_condition_is_met_by_all_or_asked_for(
    audiences: list[tuple[str, tuple[str, ...]]], where: Filter, met: set[str]
) -> None:
    assert places(*audiences).met_by_all(where) == met


def test_what_is_met_changes_with_the_points() -> None:
    made, where = places(OURS), Filter("acme", ("everyone",))
    before = made.met_by_all(where)
    made.add(both(section(2, page=2, tenant="other", visibility=("sre",)), None, words(1)))
    between = made.met_by_all(where)
    made.remove([uuid(2)])
    after = made.met_by_all(where)
    assert (before, between, after) == ({"tenant", "visibility"}, set(), before)


def test_a_point_that_is_replaced_has_its_new_audience_alone() -> None:
    made, where = places(("acme", ("sre",))), Filter("acme", ("everyone",))
    before = made.met_by_all(where)
    made.add(both(section(1, visibility=("everyone",)), None, words(1)))
    assert (before, made.met_by_all(where)) == ({"tenant"}, {"tenant", "visibility"})


def test_a_pages_sections_and_all_passages_are_known() -> None:
    made = places(OURS, OURS)
    assert list(made.sections_of(uuid(2))) == [number_of(uuid(1002))]
    assert (made.sections_of(uuid(9)), made.passages()) == ([], 2)


def test_a_copy_goes_its_own_way() -> None:
    made = places(OURS)
    copy = made.copy()
    copy.remove([uuid(1)])
    assert (made.passages(), copy.passages()) == (1, 0)
