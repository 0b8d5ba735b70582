"""The digest comes exactly once a period: over restarts, clock changes, double starts, failures."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

import pytest
from pydantic import SecretStr

from bots.card import Card, Tone
from bots.check import Level
from bots.digest_status import (
    DigestState,
    digest_states,
    digest_states_at,
    said,
    without_tokens,
)
from bots.digesting import WAITS, Digests, visible_in
from bots.doctor import examine
from core.cron import due, parse_cron
from core.errors import AnnouncementUnsure, JournalUnavailable
from core.exchanges import Exchange
from core.models import Platform, Question, Where
from core.ports import Attachment
from core.settings import Settings
from core.settings_groups import EmbeddingSettings, SlackSettings
from feedback.gap_journal import GapJournal
from feedback.journal import SqliteJournal, open_journal
from feedback.models import GapReport, Numbers
from tests.fakes import FakeAnnouncer, FrozenClock
from tests.journals import RECORDED

BERLIN = ZoneInfo("Europe/Berlin")
NONE = Numbers(0, 0, 0, 0, 0, 0, 0, 0.0)
MONDAY = datetime(2030, 1, 7, 9, 0, tzinfo=BERLIN)
PNG = Attachment("digest.png", b"png", "a chart")


def settings(
    cron: str = "0 9 * * mon",
    *channels: str,
    admins: tuple[str, ...] = (),
    also: tuple[dict[str, object], ...] = (),
) -> Settings:
    digest = {
        "cron": cron,
        "timezone": "Europe/Berlin",
        "channels": list(channels or ("slack:C1",)),
    }
    return Settings.model_validate(
        {
            "tenants": [
                {"name": "acme", "digests": [digest, *also], "admins": {"slack_users": admins}}
            ],
            "channels": [
                {"platform": "slack", "id": "C-pay", "scope": {"visibility": ["everyone", "pay"]}}
            ],
        }
    )


async def worded(report: GapReport) -> tuple[Card, Attachment | None]:
    return Card(Tone.INFO, report.tenant, lead=f"{report.since:%F} to {report.until:%F}"), PNG


class Desk:
    """Digests over a journal and an announcer that may be swapped, as after a restart."""

    def __init__(self, journal: SqliteJournal, at: datetime = MONDAY) -> None:
        self.journal = journal
        self.clock = FrozenClock(at.astimezone(UTC))
        self.announcer = FakeAnnouncer()
        self.seen: list[tuple[str, ...]] = []

    async def report(
        self, tenant: str, since: datetime, until: datetime, visibility: tuple[str, ...]
    ) -> GapReport:
        self.seen.append(visibility)
        return GapReport(tenant, since, until, visibility, (), (), NONE, NONE)

    def start(self, given: Settings | None = None, *, journal: object = None) -> Digests:
        kept = cast("GapJournal", journal or self.journal)
        return Digests(self.report, worded, kept, self.announcer, given or settings(), self.clock)

    def at(self, wall: str) -> None:
        there = datetime.fromisoformat(wall).replace(tzinfo=BERLIN)
        self.clock.advance(there.astimezone(UTC) - self.clock.now())

    @property
    def leads(self) -> list[str]:
        return [card.lead for _, card in self.announcer.said if isinstance(card, Card)]

    @property
    def places(self) -> list[str]:
        return [f"{message.platform}:{message.channel_id}" for message, _ in self.announcer.said]

    async def ask(self, exchange_id: str = "x1") -> None:
        where = Where(Platform.SLACK, "C1")
        question = Question("why?", "acme", "U1", self.clock.now(), where)
        await self.journal.receive(exchange_id, question)
        await self.journal.record_outcome(exchange_id, RECORDED)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with open_journal(None) as journal:
        yield Desk(journal)


async def test_it_is_posted_at_its_time_with_its_chart_for_the_week_that_ended(desk: Desk) -> None:
    await desk.start().look()
    assert desk.leads == ["2029-12-31 to 2030-01-07"]
    assert desk.places == ["slack:C1"]
    assert desk.announcer.attachments[desk.announcer.said[0][0]] == PNG


async def test_a_minute_early_there_is_none(desk: Desk) -> None:
    desk.at("2030-01-07T08:59")
    await desk.start().look()
    assert desk.leads == []


async def test_looking_again_starting_again_and_starting_twice_at_once_post_one(desk: Desk) -> None:
    first, second = desk.start(), desk.start()
    await asyncio.gather(*(one.look() for one in (first, second, first, second)))
    await desk.start().look()
    assert len(desk.leads) == 1


@pytest.mark.parametrize("clock", ["0 0", "30 0", "30 2", "0 9"])
async def test_every_week_of_a_year_has_one_over_both_changes_of_clocks(
    desk: Desk, clock: str
) -> None:
    given = settings(f"{clock} * * sun")
    cron = parse_cron(f"{clock} * * sun")
    days = []
    for _ in range(53):
        coming = due(cron, BERLIN, desk.clock.now())
        for moment in (coming - timedelta(minutes=1), coming, coming + timedelta(hours=2)):
            desk.clock.advance(moment - desk.clock.now())
            before = len(desk.leads)
            await desk.start(given).look()
            days += [moment.astimezone(BERLIN).date()] * (len(desk.leads) - before)
    assert days == [MONDAY.date() + timedelta(days=6 + 7 * week) for week in range(53)]


async def test_a_clock_that_is_set_back_brings_no_second_one(desk: Desk) -> None:
    digests = desk.start()
    await digests.look()
    for step in (-2, 2, -24 * 8, 24 * 8):
        desk.clock.advance(timedelta(hours=step))
        await digests.look()
    assert len(desk.leads) == 1


async def test_a_clock_that_leapt_a_year_ahead_and_was_set_right_silences_nothing(
    desk: Desk,
) -> None:
    for wall in ("2031-01-06T09:00", "2030-01-07T09:00", "2030-01-14T09:00", "2030-01-14T09:05"):
        desk.at(wall)
        await desk.start().look()
    assert desk.leads[1:] == ["2029-12-31 to 2030-01-07", "2030-01-07 to 2030-01-14"]


async def test_one_that_was_missed_comes_on_start_within_a_day_and_says_so(desk: Desk) -> None:
    desk.at("2030-01-04T12:00")
    await desk.ask()
    desk.at("2030-01-07T15:00")
    await desk.start().look()
    assert desk.leads == ["This was due Monday 09:00 (Europe/Berlin). 2029-12-31 to 2030-01-07"]


async def test_after_more_than_a_day_it_comes_no_more_and_the_next_takes_up_its_window(
    desk: Desk,
) -> None:
    await desk.start().look()
    desk.at("2030-01-15T09:01")
    await desk.start().look()
    assert len(desk.leads) == 1
    desk.at("2030-01-21T09:00")
    await desk.start().look()
    assert desk.leads[1] == "2030-01-07 to 2030-01-21"


async def test_a_new_bot_has_missed_nothing(desk: Desk) -> None:
    desk.at("2030-01-07T15:00")
    await desk.start().look()
    assert desk.leads == []


async def test_a_crash_between_claim_and_post_is_no_second_post_and_is_said(desk: Desk) -> None:
    class Crashing(FakeAnnouncer):
        async def post(self, *_args: object, **_more: object) -> None:
            raise asyncio.CancelledError

    desk.announcer, calm = Crashing(), desk.announcer
    with pytest.raises(asyncio.CancelledError):
        await desk.start().look()
    desk.announcer = calm
    await desk.start().look()
    assert desk.leads == []
    [state] = await digest_states(settings(), desk.journal)
    assert (state.period, state.outcome) == ("2030-01-07T08:00:00+00:00", "")


async def test_a_platform_that_fails_in_the_midst_gets_no_second_post(desk: Desk) -> None:
    class Failing(FakeAnnouncer):
        async def post(self, *_args: object, **_more: object) -> None:
            raise AnnouncementUnsure("slack failed")

    desk.announcer = Failing()
    await desk.start().look()
    desk.announcer = FakeAnnouncer()
    desk.clock.advance(WAITS[0])
    await desk.start().look()
    assert desk.leads == []
    [state] = await digest_states(settings(), desk.journal)
    assert state.outcome == "unsure"


class Forgetful:
    """A journal that fails in the verbs of these names."""

    def __init__(self, journal: SqliteJournal, *verbs: str) -> None:
        self._journal = journal
        self._verbs = verbs

    def __getattr__(self, name: str) -> object:
        if name in self._verbs:
            raise JournalUnavailable("The journal is full.")
        return getattr(self._journal, name)


async def test_a_journal_that_fails_after_the_post_brings_no_second_one(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    digests = desk.start(journal=Forgetful(desk.journal, "digest_done"))
    await digests.look()
    await digests.look()
    await desk.start().look()
    assert len(desk.leads) == 1
    assert "looked at again" in caplog.text


async def test_a_journal_that_cannot_claim_posts_nothing_until_it_can(desk: Desk) -> None:
    await desk.start(journal=Forgetful(desk.journal, "claim_digest")).look()
    assert desk.leads == []
    await desk.start().look()
    assert len(desk.leads) == 1


async def test_a_crash_before_the_claim_loses_nothing(desk: Desk) -> None:
    desk.report, report = None, desk.report  # type: ignore[method-assign,assignment]
    await desk.start().look()
    desk.report = report  # type: ignore[method-assign]
    await desk.start().look()
    assert len(desk.leads) == 1


async def test_a_channel_that_fails_is_tried_again_ever_later_and_once_it_is_back_gets_it(
    desk: Desk,
) -> None:
    desk.announcer = FakeAnnouncer("C1")
    digests = desk.start()
    await digests.look()
    desk.clock.advance(timedelta(seconds=30))
    await digests.look()
    [state] = await digest_states(settings(), desk.journal)
    assert state.outcome == "failed"
    desk.announcer.unreachable = frozenset()
    await digests.look()
    assert desk.leads == []
    desk.clock.advance(WAITS[0])
    await digests.look()
    await digests.look()
    assert len(desk.leads) == 1
    [state] = await digest_states(settings(), desk.journal)
    assert state.outcome == "posted slack:C1:1"


async def test_a_restart_amid_retries_goes_on_with_them(desk: Desk) -> None:
    desk.announcer = FakeAnnouncer("C1")
    await desk.start().look()
    desk.announcer = FakeAnnouncer()
    desk.clock.advance(timedelta(minutes=3))
    await desk.start().look()
    assert len(desk.leads) == 1


async def exhausted(desk: Desk, given: Settings) -> str:
    """Look until every retry has failed; returns how it ended for C1."""
    digests = desk.start(given)
    await digests.look()
    for wait in WAITS:
        desk.clock.advance(wait)
        await digests.look()
    states = await digest_states(given, desk.journal)
    return next(state.outcome for state in states if state.channel == "slack:C1")


async def test_then_it_goes_to_another_channel_of_the_tenant_for_what_that_one_sees(
    desk: Desk,
) -> None:
    desk.announcer = FakeAnnouncer("C1")
    later = {"cron": "0 9 * * fri", "channels": ["slack:C-pay"]}
    assert await exhausted(desk, settings(also=(later,))) == "elsewhere"
    assert desk.places == ["slack:C-pay"]
    assert "It was for slack:C1, which cannot be reached." in desk.leads[0]
    assert desk.seen[-1] == ("everyone", "pay", "slack:C-pay")


async def test_who_had_it_does_not_get_it_twice(desk: Desk) -> None:
    desk.announcer = FakeAnnouncer("C1")
    given = settings("0 9 * * mon", "slack:C1", "slack:C-pay", admins=("U-admin",))
    assert await exhausted(desk, given) == "admins"
    assert desk.places == ["slack:C-pay", "slack:U-admin"]


async def test_then_to_the_admins_for_what_everyone_sees(desk: Desk) -> None:
    desk.announcer = FakeAnnouncer("C1")
    assert await exhausted(desk, settings(admins=("U-admin",))) == "admins"
    assert desk.places == ["slack:U-admin"]
    assert desk.seen[-1] == ("everyone",)


async def test_and_where_it_reaches_nobody_the_log_and_the_journal_say_so(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.announcer = FakeAnnouncer("C1")
    assert await exhausted(desk, settings()) == "nobody"
    assert "reached nobody" in caplog.text


async def test_one_channel_that_fails_keeps_no_other_from_its_digest(desk: Desk) -> None:
    desk.announcer = FakeAnnouncer("C1")
    await desk.start(settings("0 9 * * mon", "slack:C1", "discord:456")).look()
    assert desk.places == ["discord:456"]


async def test_each_channel_gets_what_it_may_see(desk: Desk) -> None:
    await desk.start(settings("0 9 * * mon", "slack:C1", "slack:C-pay")).look()
    assert desk.seen == [("everyone", "slack:C1"), ("everyone", "pay", "slack:C-pay")]
    assert visible_in(settings(), "discord:C-pay") == ("everyone", "discord:C-pay")
    assert visible_in(settings(), "") == ("everyone",)


async def test_posting_now_posts_whether_or_not_it_is_due_and_says_who_took_it(desk: Desk) -> None:
    desk.announcer = FakeAnnouncer("456")
    desk.at("2030-01-09T12:00")
    given = settings("0 9 * * mon", "slack:C1", "discord:456")
    assert await desk.start(given).post_now("acme") == {"slack:C1": True, "discord:456": False}
    assert await desk.start(given).post_now("globex") == {}
    assert desk.leads == ["2030-01-07 to 2030-01-09"]


def test_what_was_told_is_known_by_its_event() -> None:
    where = Where(Platform.SLACK, "C1")
    asked = Exchange("x", Question("q", "acme", "U1", MONDAY, where))
    told = replace(asked, question=replace(asked.question, event_id="told G-7KQ2 b U1"))
    assert (asked.told, told.told) == (False, True)


@pytest.mark.parametrize(
    ("outcome", "sound", "says"),
    [
        ("posted slack:C1:1", True, "was posted"),
        ("", False, "may have ended before it was posted"),
        ("failed", False, "is tried again: see that the bot is in slack:C1"),
        ("elsewhere", False, "went to another channel"),
        ("admins", False, "went to the admins"),
        ("nobody", False, "reached nobody"),
        ("unsure", False, "if it is not in slack:C1, run nightlamp digest --post"),
    ],
)
def test_how_a_digest_stands_is_said_with_what_to_do(outcome: str, sound: bool, says: str) -> None:
    state = DigestState("acme", "slack:C1", "2030-01-07T08:00:00+00:00", outcome)
    assert state.sound is sound
    assert says in said(state)
    assert "2030-01-07 08:00 UTC" in said(state)


async def test_how_digests_stand_is_read_beside_the_bot_and_without_a_journal(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    assert await digest_states_at(settings(), path) == ()
    async with open_journal(path) as journal:
        desk = Desk(journal)
        await desk.start().look()
        [state] = await digest_states_at(settings(), path)
    assert state.outcome == "posted slack:C1:1"
    assert await digest_states_at(Settings(), path) == ()


def test_a_digest_for_a_platform_without_tokens_is_pointed_out() -> None:
    given = settings("0 9 * * mon", "slack:C1", "discord:456")
    tokens = given.model_copy(update={"slack": SlackSettings(bot_token=SecretStr("xoxb"))})
    assert without_tokens(given) == ["slack:C1", "discord:456"]
    assert without_tokens(tokens) == ["discord:456"]


async def test_doctor_says_how_each_digest_stands(tmp_path: Path) -> None:
    given = settings("0 9 * * mon", "slack:C1").model_copy(
        update={"embedding": EmbeddingSettings(model="hashing")}
    )
    async with open_journal(tmp_path / "journal.db") as journal:
        desk = Desk(journal)
        desk.announcer = FakeAnnouncer("C1")
        await desk.start().look()
    checks = {check.name: check for check in await examine(given, tmp_path, sources=[tmp_path])}
    assert checks["digests"].level is Level.NOTE
    check = checks["digest of acme in slack:C1"]
    assert (check.level, "is tried again" in check.says) == (Level.PROBLEM, True)
