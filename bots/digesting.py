"""The digest: made for what a channel may see, and posted once a period, whatever happens.

What is posted is claimed in the journal first. A claim without an outcome may or may not have been
posted, since the bot ended in between: it is not posted again (at most once, within the second that
a post takes), and `nightlamp status` and `doctor` say so. The other way round a digest would come
twice after every crash at that moment, into a channel that is read by all. So it is with a platform
that fails in the midst of it. A posting that is known
to have failed is tried again after a minute, then ever later, then takes another way.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bots.card import Card
from core.cron import last_due, parse_cron
from core.errors import AnnouncementUnsure
from core.exchanges import MessageRef, Person
from core.models import EVERYONE, Platform
from core.ports import Announcer, Attachment, Clock
from core.settings import Settings
from core.settings_lists import DigestSettings, TenantSettings
from feedback.gap_journal import GapJournal
from feedback.models import GapReport

log = logging.getLogger(__name__)

KEEPS = timedelta(days=1)
"""How long after its time a digest that was missed is still posted."""
ON_TIME = timedelta(minutes=10)
"""A digest that comes later than this says so."""
LONGEST = timedelta(days=35)
"""The longest window: where digests failed, the next one that works takes up what they had."""
WAITS = tuple(timedelta(minutes=count) for count in (1, 2, 5, 15, 30))
"""How long to wait after each failure; after the last the digest takes another way."""

POSTED, FAILED = "posted", "failed"
ELSEWHERE, ADMINS, NOBODY, UNSURE = "elsewhere", "admins", "nobody", "unsure"

_INSTANT = timedelta(microseconds=1)

Made = tuple[Card, Attachment | None]
"""A digest as it is posted: its card and its chart."""
MakeReport = Callable[[str, datetime, datetime, tuple[str, ...]], Awaitable[GapReport]]
"""Makes a tenant's report of [since, until) for readers of these labels."""
Word = Callable[[GapReport], Awaitable[Made]]
"""Words a report as a card with its chart."""


@dataclass(frozen=True, slots=True)
class Line:
    """One digest: a tenant's cron line and one channel of it."""

    tenant: TenantSettings
    digest: DigestSettings
    channel: str

    @property
    def name(self) -> str:
        """Return what the journal knows it by: another time or zone is another digest."""
        return f"{self.digest.cron} {self.digest.timezone} {self.channel}"

    def due_before(self, until: datetime) -> datetime:
        """Return when it was last due, at this instant or before."""
        zone = ZoneInfo(self.digest.timezone)
        return last_due(parse_cron(self.digest.cron), zone, until)


class Digests:
    """Posts what is due. Looking often does no harm: the journal knows what was done."""

    def __init__(
        self,
        report: MakeReport,
        word: Word,
        journal: GapJournal,
        announcer: Announcer,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._report = report
        self._word = word
        self._journal = journal
        self._announcer = announcer
        self._settings = settings
        self._clock = clock
        self._looking = asyncio.Lock()
        self._failures: dict[tuple[str, str, str], tuple[int, datetime]] = {}

    async def look(self) -> None:
        """Post every digest whose time has come and that was not posted, a day late at the most."""
        async with self._looking:
            for line in lines(self._settings):
                try:
                    await self._look_at(line)
                except Exception:  # one channel's fault, whatever it is, keeps no other's back
                    log.exception("digest %s of %s: looked at again", line.name, line.tenant.name)

    async def post_now(self, tenant: str) -> dict[str, bool]:
        """Post a tenant's digest to all its channels, due or not; returns which surely took it."""
        until = self._clock.now()
        taken = {}
        for line in lines(self._settings):
            if line.tenant.name == tenant and line.channel not in taken:
                since = line.due_before(until - _INSTANT)
                made = await self._made(line, line.channel, since, until)
                try:
                    taken[line.channel] = bool(await self._post(line.channel, made))
                except AnnouncementUnsure:
                    taken[line.channel] = False
        return taken

    async def _look_at(self, line: Line) -> None:
        now = self._clock.now()
        period = line.due_before(now)
        key = (line.tenant.name, line.name, period.isoformat())
        last = await self._journal.last_digest(*key[:2])
        again = last == (key[2], FAILED) or key in self._failures
        if now - period > KEEPS or (last and last[0] == key[2] and not again):
            return
        failures, wait_until = self._failures.get(key, (0, now))
        if now < wait_until:
            return
        since = self._since(line, period, last)
        late = now - period > ON_TIME
        if late and last is None and not await self._anything(line, since, period):
            return  # the bot is new here: nothing was missed
        note = f"This was due {_clock_time(line, period)}." if late else ""
        made = await self._made(line, line.channel, since, period, note)
        if again:  # a claim anew: what is cut off from here on may have been posted
            await self._journal.digest_done(*key, "", now)
        elif not await self._journal.claim_digest(*key, now):
            return
        outcome = await self._delivered(line, made, failures)
        if outcome is None:
            outcome = await self._otherwise(line, since, period, note)
        if outcome == FAILED:
            self._failures[key] = (failures + 1, now + WAITS[failures])
        else:
            self._failures.pop(key, None)
        await self._journal.digest_done(*key, outcome, self._clock.now())

    async def _delivered(self, line: Line, made: Made, failures: int) -> str | None:
        """Post to the channel and return the outcome; None once it has failed too often."""
        try:
            message = await self._post(line.channel, made)
        except AnnouncementUnsure:
            return UNSURE
        if message:
            return f"{POSTED} {message.platform}:{message.channel_id}:{message.message_id}"
        return FAILED if failures < len(WAITS) else None

    async def _otherwise(self, line: Line, since: datetime, until: datetime, note: str) -> str:
        """Post to another channel of the tenant, else to its admins; returns the outcome.

        Not where the digest of this time was posted anyway.
        """
        note = f"{note} It was for {line.channel}, which cannot be reached.".strip()
        had = await self._had(line, until)
        others = {one.channel for one in lines(self._settings) if one.tenant == line.tenant}
        try:
            for other in sorted(others - had - {line.channel}):
                if await self._post(other, await self._made(line, other, since, until, note)):
                    return ELSEWHERE
            card, chart = await self._made(line, "", since, until, note)
            told = [
                await self._announcer.tell(admin, card, attachment=chart)
                for admin in admins(line.tenant)
            ]
        except AnnouncementUnsure:
            return UNSURE
        if any(told):
            return ADMINS
        log.error("digest %s of %s reached nobody there", line.name, line.tenant.name)
        return ELSEWHERE if had else NOBODY

    async def _had(self, line: Line, until: datetime) -> set[str]:
        """Return the channels of a tenant that got a digest of this time of their own."""
        had = set()
        for other in lines(self._settings):
            if other.tenant == line.tenant:
                last = await self._journal.last_digest(line.tenant.name, other.name)
                if last and last[0] == until.isoformat() and last[1].startswith(POSTED):
                    had.add(other.channel)
        return had

    async def _post(self, channel: str, made: Made) -> MessageRef | None:
        platform, _, channel_id = channel.partition(":")
        card, chart = made
        return await self._announcer.post(Platform(platform), channel_id, card, attachment=chart)

    async def _made(
        self, line: Line, channel: str, since: datetime, until: datetime, note: str = ""
    ) -> Made:
        """Make a digest for what a channel sees; without one, for what everyone does."""
        seen = visible_in(self._settings, channel)
        report = await self._report(line.tenant.name, since, until, seen)
        card, chart = await self._word(report)
        return (replace(card, lead=f"{note} {card.lead}".strip()) if note else card), chart

    def _since(self, line: Line, period: datetime, last: tuple[str, str] | None) -> datetime:
        """Return where the window begins: where the last one that was read ended, within bounds."""
        before = line.due_before(period - _INSTANT)
        if last and (ended := datetime.fromisoformat(last[0])) < period:
            before = ended if _was_read(last[1]) else line.due_before(ended - _INSTANT)
        return max(before, period - LONGEST)

    async def _anything(self, line: Line, since: datetime, until: datetime) -> bool:
        evidence = await self._journal.evidence(line.tenant.name, since, until)
        return bool(evidence.exchanges)


def lines(settings: Settings) -> Iterator[Line]:
    """Yield every digest that the settings have, each for one channel."""
    for tenant in settings.tenants:
        for digest in tenant.digests:
            for channel in digest.channels:
                yield Line(tenant, digest, channel)


def visible_in(settings: Settings, channel: str) -> tuple[str, ...]:
    """Return the labels that a channel (`slack:C1`) sees; `everyone` where it has no row.

    Its name is the label of what was said in it, where not everybody may enter it.
    """
    own = (channel,) if channel else ()
    for row in settings.channels:
        if f"{row.platform}:{row.id}" == channel:
            return (*row.scope.visibility, *own)
    return (EVERYONE, *own)


def admins(tenant: TenantSettings) -> Sequence[Person]:
    """Return the admins who are named one by one."""
    return [
        *(Person(Platform.DISCORD, one) for one in tenant.admins.discord_users),
        *(Person(Platform.SLACK, one) for one in tenant.admins.slack_users),
    ]


def _was_read(outcome: str) -> bool:
    return outcome.startswith(POSTED) or outcome in {ELSEWHERE, ADMINS}


def _clock_time(line: Line, instant: datetime) -> str:
    there = instant.astimezone(ZoneInfo(line.digest.timezone))
    return f"{there:%A %H:%M} ({line.digest.timezone})"
