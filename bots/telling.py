"""Telling people that what they asked has an answer now: once, where they may read it.

Somebody is claimed in the journal before being told, so that a crash in between tells them once at
the most: whoever asks again finds the answer. What they are told is an exchange of its own, on
which thumbs count; a 👎 there opens the gap again.
"""

import asyncio
import logging
import textwrap
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bots.card import ButtonKind, Card, Listing, Row, Tone
from bots.cards import button, place
from bots.digesting import visible_in
from bots.places import label_of
from core.errors import AnnouncementUnsure, JournalUnavailable, NightlampError
from core.exchanges import TOLD, MessageRef, Person
from core.models import EVERYONE, Platform, Question, Section, Where
from core.ports import Announcer, Clock, Linker, SearchableIndex
from core.service import Nightlamp
from core.settings import Settings
from feedback.closing import Closing, Notice
from feedback.gap_journal import GapJournal

log = logging.getLogger(__name__)

WAITS = (60.0, 300.0)
"""Seconds before each further try to reach somebody."""
APART = 1.0
"""Seconds between two people: platforms take about one message a second."""
MOST_THUMBS = 5
"""Answers in one message that have thumbs of their own: two buttons each is what a row holds."""
LONGEST_QUESTION = 150
"""Characters of a question that are repeated to its asker."""


@dataclass(frozen=True, slots=True)
class Told:
    """One answer that somebody is told of. `section` is None where the place may not see it."""

    notice: Notice
    exchange_id: str
    section: Section | None
    link: str


@dataclass(frozen=True, slots=True)
class Spot:
    """Where somebody is told: a thread of a channel, or by direct message where there is none."""

    channel_id: str = ""
    thread_id: str = ""

    @property
    def direct(self) -> bool:
        """Return whether it is a direct message."""
        return not self.thread_id


@dataclass(frozen=True, slots=True)
class _Message:
    """What one person is told in one message: `exchanges` are those asked again, by gap."""

    person: Person
    notices: tuple[Notice, ...]
    spot: Spot
    exchanges: Mapping[str, str]


class Teller:
    """Tells the askers of settled gaps."""

    def __init__(
        self,
        closing: Closing,
        service: Nightlamp,
        journal: GapJournal,
        index: SearchableIndex,
        announcer: Announcer,
        settings: Settings,
        link: Linker,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._closing = closing
        self._service = service
        self._journal = journal
        self._index = index
        self._announcer = announcer
        self._settings = settings
        self._link = link
        self._clock = clock
        self._sleep = sleep
        self._dealt_with: set[str] = set()

    async def tell(self, tenant: str) -> int:
        """Tell everybody who is to be told and was not; returns how many were reached.

        Raises:
            IndexUnavailable, JournalUnavailable: the rest is told the next time.
        """
        setting = notices_of(self._settings, tenant)
        if setting == "off":
            return 0
        found = await self._closing.notices(tenant, self._dealt_with)
        failed: NightlampError | None = None
        reached = 0
        waiting: list[_Message] = []
        for person, notices in found.items():
            fresh, failed = await self._claimed(person, notices)
            if fresh:
                message = await self._message(person, fresh, _spot(fresh, setting))
                if await self._sent(message):
                    reached += 1
                else:
                    waiting.append(message)
                await self._sleep(APART)
            if failed:
                break
        else:
            self._dealt_with |= {one.settlement for some in found.values() for one in some}
        reached += await self._told_later(waiting)
        if failed:
            raise failed
        return reached

    async def _told_later(self, waiting: list[_Message]) -> int:
        """Try again to reach those who were not; returns how many were reached."""
        left = waiting
        for wait in WAITS if left else ():
            await self._sleep(wait)
            left = [one for one in left if not await self._sent(one)]
        if left:
            log.warning("%d askers could not be told of an answer", len(left))
        return len(waiting) - len(left)

    async def _claimed(
        self, person: Person, notices: Sequence[Notice]
    ) -> tuple[list[Notice], NightlampError | None]:
        """Claim telling a person what there is; what was claimed before a failure is told."""
        claimed: list[Notice] = []
        try:
            for one in notices:
                if await self._to_tell(person, one):
                    claimed.append(one)
        except NightlampError as error:
            return claimed, error
        return claimed, None

    async def _message(self, person: Person, notices: Sequence[Notice], spot: Spot) -> _Message:
        exchanges = {}
        for one in notices:
            try:
                exchanges[one.record.id] = await self._asked_again(one, spot)
            except NightlampError:  # it was claimed: told without thumbs is better than never
                log.exception("%s could not be asked again for its asker", one.record.id)
                exchanges[one.record.id] = ""
        return _Message(person, tuple(notices), spot, exchanges)

    async def _to_tell(self, person: Person, notice: Notice) -> bool:
        """Claim telling a person; not where they, or the section, are gone or hidden since."""
        seen = notice.exchange.question.scope.visibility
        if not await self._closing.stands(notice) or await self._section(notice, seen) is None:
            return False
        now = self._clock.now()
        return await self._journal.claim_notice(notice.record.id, person, notice.settled_by, now)

    async def _asked_again(self, notice: Notice, spot: Spot) -> str:
        """Ask on somebody's behalf what they had asked, as the place of the telling sees it.

        Returns the exchange's id, empty where the answer may not be seen there.
        """
        before = notice.exchange.question
        visible = self._visible(before, spot)
        if await self._section(notice, visible) is None:
            return ""
        private = Where(before.where.platform, before.where.channel_id, private=True)
        question = replace(
            before,
            asked_at=self._clock.now(),
            where=private if spot.direct else replace(before.where, thread_id=spot.thread_id),
            scope=replace(before.scope, visibility=visible),
            event_id=f"{TOLD}{notice.record.id} {notice.settled_by} {notice.exchange.id}",
        )
        exchange_id = await self._service.received(question)
        if exchange_id is None:
            return ""
        await self._service.ask(exchange_id, question)
        members = {notice.record.id: [exchange_id]}
        await self._journal.assign(question.tenant, members, self._clock.now())
        return exchange_id

    async def _sent(self, message: _Message) -> bool:
        """Send a message, to its thread or else to the person; return whether it went out.

        What may have been sent is not sent again.
        """
        try:
            sent = await self._said(message)
        except AnnouncementUnsure:
            return True
        except NightlampError:
            log.exception("nothing is said while the index is away")
            return False
        if sent is None:
            return False
        ids = [one for one in message.exchanges.values() if one]
        if len(ids) == 1:  # of several, a reaction would not say which one it is about
            try:
                await self._service.posted(ids[0], sent)
            except JournalUnavailable:
                log.exception("%s: message %s is not recorded", ids[0], sent.message_id)
        return True

    async def _said(self, message: _Message) -> MessageRef | None:
        person, spot = message.person, message.spot
        if not spot.direct:
            card = told_card(await self._told(message, spot))
            if said := await self._announcer.post(
                person.platform, spot.channel_id, card, thread_id=spot.thread_id, mention=person
            ):
                return said
        return await self._announcer.tell(person, told_card(await self._told(message, Spot())))

    async def _told(self, message: _Message, spot: Spot) -> list[Told]:
        told = []
        for notice in message.notices:
            section = await self._section(notice, self._visible(notice.exchange.question, spot))
            exchange_id = message.exchanges[notice.record.id] if section else ""
            told.append(Told(notice, exchange_id, section, self._link(section) if section else ""))
        return told

    async def _section(self, notice: Notice, visible: Collection[str]) -> Section | None:
        """Return the section that settled a gap as it is now, if it is there and may be seen."""
        there = await self._index.sections([notice.section.section_id])
        section = there.get(notice.section.section_id)
        if section is None or section.tenant != notice.record.tenant:
            return None
        return section if set(section.metadata.visibility) & set(visible) else None

    def _visible(self, question: Question, spot: Spot) -> tuple[str, ...]:
        """Return the labels that the asker saw and the place of the telling sees now."""
        platform = question.where.platform
        there = visible_in(self._settings, label_of(platform, spot.channel_id))
        now = (EVERYONE,) if spot.direct else (*there, label_of(platform, spot.thread_id))
        return tuple(label for label in question.scope.visibility if label in now)


def told_card(told: Sequence[Told]) -> Card:
    """Say what has an answer now, with its link and, where it was asked again, its thumbs."""
    several = len(told) > 1
    rows = tuple(_row(number if several else 0, one) for number, one in enumerate(told, start=1))
    buttons = tuple(
        replace(pressed, label=f"{pressed.label} {number}") if several else pressed
        for number, one in enumerate(told[:MOST_THUMBS], start=1)
        if one.exchange_id
        for pressed in (button(kind, one.exchange_id) for kind in (ButtonKind.UP, ButtonKind.DOWN))
    )
    return Card(
        Tone.ANSWER,
        title=f"{len(told)} of your questions have an answer now"
        if several
        else "Your question has an answer now",
        lead="The runbooks had none when you asked."
        if several
        else f"You asked: {_short(told[0].notice.exchange.question.text)}",
        listings=(Listing("In the runbooks", rows),),
        buttons=buttons,
        footer=" · ".join(one.notice.record.id for one in told),
    )


def notices_of(settings: Settings, tenant: str) -> Literal["thread", "direct", "off"]:
    """Return where a tenant's people are told; in the thread, where no tenant is set up."""
    return next((one.notices for one in settings.tenants if one.name == tenant), "thread")


def _row(number: int, told: Told) -> Row:
    asked = _short(told.notice.exchange.question.text)
    if told.section is None:
        again = "not visible here: ask it again where you asked it"
        return Row(f"{number}. {asked}" if number else asked, again)
    found = told.section
    if not number:
        return Row(found.breadcrumb, place(found), told.link)
    return Row(f"{number}. {asked}", f"{found.breadcrumb} · {place(found)}", told.link)


def _spot(notices: Sequence[Notice], setting: Literal["thread", "direct"]) -> Spot:
    """Return the one thread in which all was asked, or a direct message."""
    spots = {_thread(one) for one in notices}
    return spots.pop() if setting == "thread" and len(spots) == 1 else Spot()


def _thread(notice: Notice) -> Spot:
    """Return the thread of a question: where it was asked, or where its answer stands.

    On Slack every answer in a channel has one under it; on Discord one may have been opened for it,
    which is a channel of its own.
    """
    where, messages = notice.exchange.question.where, notice.exchange.messages
    if where.private:
        return Spot()
    thread_id = where.thread_id
    if not thread_id and messages:
        first = messages[0]
        if where.platform is Platform.SLACK:
            thread_id = first.message_id
        elif first.channel_id != where.channel_id:
            thread_id = first.channel_id
    return Spot(where.channel_id, thread_id) if thread_id else Spot()


def _short(question: str) -> str:
    return textwrap.shorten(question, LONGEST_QUESTION, placeholder="…")
