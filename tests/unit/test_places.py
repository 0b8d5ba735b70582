"""Whose runbooks a place has and what is seen there, on either platform."""

import pytest

from bots.places import Places, Room
from core.models import Platform, Scope
from core.settings import Settings

HOMES = {Platform.DISCORD: "discord_guilds", Platform.SLACK: "slack_teams"}


@pytest.fixture(params=[Platform.DISCORD, Platform.SLACK])
def platform(request: pytest.FixtureRequest) -> Platform:
    return Platform(request.param)


def places(platform: Platform, **settings: object) -> Places:
    return Places(Settings.model_validate(settings), platform)


def test_a_channel_without_a_row_sees_what_everyone_sees(platform: Platform) -> None:
    row = {
        "platform": platform.value,
        "id": "7",
        "scope": {"service": ["pay"]},
        "answers": "thread",
    }
    found = places(platform, channels=[row])
    assert (found.room("7"), found.room("8")) == (
        Room(Scope(service=("pay",)), "mention", "thread"),
        Room(),
    )


def test_a_row_of_the_other_platform_is_no_row() -> None:
    row = {"platform": "slack", "id": "7", "mode": "off"}
    assert places(Platform.DISCORD, channels=[row]).room("7") == Room()


def test_without_tenants_the_bots_own_place_has_all_runbooks_and_another_none(
    platform: Platform,
) -> None:
    found = places(platform)
    own, other = found.tenant("1", "1"), found.tenant("2", "1")
    assert (own and own.name, other) == ("default", None)


def test_without_tenants_sources_of_two_are_nobodys(platform: Platform) -> None:
    sources = [{"name": name, "path": name, "tenant": name} for name in ("acme", "globex")]
    assert places(platform, sources=sources).tenant("1", "1") is None


def test_a_place_that_no_tenant_names_has_none(platform: Platform) -> None:
    found = places(platform, tenants=[{"name": "acme", HOMES[platform]: ["1"]}])
    mapped = found.tenant("1", "1")
    assert (mapped and mapped.name, found.tenant("2", "2")) == ("acme", None)


def test_the_one_tenant_that_names_no_place_has_the_bots_own(platform: Platform) -> None:
    found = places(platform, tenants=[{"name": "acme", "notices": "direct"}])
    own = found.tenant("1", "1")
    assert (own and own.notices, found.tenant("2", "1")) == ("direct", None)


def test_a_tenant_that_names_a_place_on_the_other_platform_has_none_here(
    platform: Platform,
) -> None:
    [other] = [home for on, home in HOMES.items() if on is not platform]
    assert places(platform, tenants=[{"name": "acme", other: ["1"]}]).tenant("1", "1") is None


def test_a_tenants_sources_are_its_own(platform: Platform) -> None:
    sources = [{"name": name, "path": name, "tenant": name} for name in ("acme", "globex")]
    assert places(platform, sources=sources).sources("acme") == {"acme"}


def test_a_tenant_without_a_source_is_told_of_none(platform: Platform) -> None:
    one = [{"name": "acme", "path": "acme", "tenant": "acme"}]
    assert places(platform, sources=one).sources("globex") == set()


def test_where_no_sources_are_set_up_all_may_know_of_those_that_ship(platform: Platform) -> None:
    assert places(platform).sources("acme") is None
