"""Buttons, choices and forms on answers."""

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from slack_sdk.web.async_client import AsyncWebClient

from bots.app import App
from bots.card import ButtonKind, Card, Tone
from bots.desk import Desk, failure_card
from bots.notes import (
    call_card,
    deleted_card,
    gap_card,
    human_asked_card,
    refused_card,
    resolved_card,
    shared_card,
    voted_card,
)
from bots.slack_bot.admins import is_admin
from bots.slack_bot.answers import Answers, Asked, is_direct, without_sharing
from bots.slack_bot.events import Filled, Pressed, person, place
from bots.slack_bot.gapping import Gapping
from bots.slack_bot.posting import Posting, Reader
from bots.slack_bot.reception import Reception, was_typed
from bots.slack_bot.render import CHOOSE, GAP, action_id, messages
from bots.slack_bot.touched import Touched, by_form, by_press
from bots.slack_bot.views import GAP_DONE, KIND, NOTE, RESOLVE, TEXT, resolve_form, why_form
from bots.slack_bot.web import UNREACHABLE, code_of
from bots.slack_bot.workspaces import Workspaces
from core.errors import NightlampError, NotAllowed, NotFound, UsageError
from core.exchanges import Exchange, MessageRef, Reason, ReasonKind, Thumb
from core.models import Platform, Vote

log = logging.getLogger(__name__)
Saved = TypeVar("Saved")

_FORMS = {
    action_id(ButtonKind.TELL_WHY): why_form,
    action_id(ButtonKind.RESOLVE): resolve_form,
}
_VOTES = {action_id(ButtonKind.UP): Vote.UP, action_id(ButtonKind.DOWN): Vote.DOWN}
_QUICK = {*_VOTES, action_id(ButtonKind.LOG_GAP), GAP}


class Presses:
    """Does what was pressed, and says to whoever pressed it what came of that."""

    def __init__(
        self,
        app: App,
        web: AsyncWebClient,
        posting: Posting,
        reception: Reception,
        workspaces: Workspaces,
        answers: Answers,
        gapping: Gapping,
    ) -> None:
        self._app = app
        self._web = web
        self._posting = posting
        self._reception = reception
        self._workspaces = workspaces
        self._answers = answers
        self._gapping = gapping
        self._desk = Desk(app)
        self._handlers: Mapping[str, Callable[[Pressed], Awaitable[Card | None]]] = {
            CHOOSE: self._choose,
            GAP: self._decide,
            action_id(ButtonKind.LOG_GAP): self._log_gap,
            action_id(ButtonKind.ASK_HUMAN): self._call,
            action_id(ButtonKind.SHARE): self._share,
            action_id(ButtonKind.DELETE): self._delete,
        }

    def opens_form(self, pressed: Pressed) -> bool:
        """Return whether a button opens a form, which has to happen within three seconds."""
        return pressed.name in _FORMS or (pressed.name == GAP and self._gapping.asks(pressed))

    def is_quick(self, pressed: Pressed) -> bool:
        """Return whether what it does is saved before Slack is told that it was pressed."""
        return pressed.name in _QUICK

    async def open_form(self, pressed: Pressed) -> None:
        """Open the form of a button; where it is too late for that, say so."""
        value = pressed.value.replace("|", "")  # it cannot name another channel than its own
        about = "|".join((value, pressed.channel, pressed.thread, pressed.message))
        try:
            if pressed.name == GAP:
                await self._gapping.open_form(pressed)
                return
            await self._web.views_open(trigger_id=pressed.trigger, view=_FORMS[pressed.name](about))
        except UNREACHABLE as error:
            log.warning("a form could not be opened: %s", code_of(error) or error)
            await self._posting.tell(self._reader(pressed), failure_card(_TooLate(), _reference()))

    async def press(self, pressed: Pressed) -> None:
        """Do what a button does, and say what came of it."""
        await self.note(pressed, await self.done(pressed))

    async def done(self, pressed: Pressed) -> Card | None:
        """Do what a button does; returns what to say to whoever pressed it, a failure too."""
        try:
            return await self._pressed(pressed)
        except (NotAllowed, UsageError) as error:
            return refused_card(error)
        except NightlampError as error:
            return failure_card(error, _reference())
        except UNREACHABLE as error:
            log.warning("a press met a refusal: %s", code_of(error) or error)
            return failure_card(NightlampError("Slack refused"), _reference())

    async def note(self, pressed: Pressed, note: Card | None) -> None:
        """Say what came of a press, and to all what was decided on a gap of a digest."""
        if note is None:
            return
        await self._posting.tell(self._reader(pressed), note)
        if pressed.name == GAP and note.tone is not Tone.ERROR:
            await self._gapping.tell_all(pressed, note)

    async def fill(self, filled: Filled) -> Card:
        """Save what a form was filled with; returns what to say.

        Raises:
            JournalUnavailable: it was not saved in time.
        """
        if filled.name == GAP_DONE:
            return await self._reception.saved(
                self._gapping.fill(filled), lambda card: self.say(filled, card)
            )
        somebody = person(filled.user)
        on = by_form(filled, called=filled.name == RESOLVE)
        if on.called:
            note = filled.fields.get(NOTE, "")
            return resolved_card(
                first=await self._saved(
                    on, lambda: self._app.service.resolve(on.exchange_id, somebody, note)
                )
            )
        reason = Reason(
            on.exchange_id,
            somebody,
            ReasonKind(filled.fields[KIND]),
            filled.fields.get(TEXT, ""),
            self._app.clock.now(),
        )
        await self._saved(on, lambda: self._app.service.reason(reason))
        return voted_card()

    async def say(self, filled: Filled, card: Card) -> None:
        """Say what came of a form where it was opened."""
        _, channel, thread, _ = filled.about.split("|")
        await self._posting.tell(Reader(filled.user, channel, thread), card)
        if filled.name == GAP_DONE:
            await self._gapping.tell_all_below(filled, card)

    # --- each button ----------------------------------------------------------------------------

    async def _pressed(self, pressed: Pressed) -> Card | None:
        if pressed.name in _VOTES:
            return await self._vote(pressed, _VOTES[pressed.name])
        if handler := self._handlers.get(pressed.name):
            return await handler(pressed)
        return None

    async def _vote(self, pressed: Pressed, vote: Vote) -> Card:
        message = MessageRef(Platform.SLACK, pressed.channel, pressed.message)
        thumb = Thumb(person(pressed.user), vote, True, pressed.at, message, pressed.value)
        await self._saved(by_press(pressed), lambda: self._app.service.vote(thumb))
        return voted_card()

    async def _decide(self, pressed: Pressed) -> Card:
        return await self._reception.saved(
            self._gapping.press(pressed), lambda card: self.note(pressed, card)
        )

    async def _log_gap(self, pressed: Pressed) -> Card:
        somebody = person(pressed.user)
        return gap_card(
            first=await self._saved(
                by_press(pressed), lambda: self._app.service.log_gap(pressed.value, somebody)
            )
        )

    async def _choose(self, pressed: Pressed) -> None:
        exchange_id, _, index = pressed.value.rpartition(":")
        async with self._app.turns.of(exchange_id):
            await self._show_chosen(pressed, exchange_id, int(index))

    async def _show_chosen(self, pressed: Pressed, exchange_id: str, index: int) -> None:
        await by_press(pressed, exchange_id).check(self._app, self._workspaces)
        scope = self._workspaces.room(pressed.channel).scope
        card = await self._desk.choose(exchange_id, person(pressed.user), index, scope)
        if is_direct(pressed.channel):
            card = without_sharing(card)
        if pressed.ephemeral:
            reader = self._reader(pressed)
            await self._posting.tell(reader, card, exchange_id=exchange_id, replaces=True)
            return
        exchange = await self._exchange(exchange_id)
        first = MessageRef(Platform.SLACK, pressed.channel, pressed.message)
        asked = exchange.question.text if was_typed(exchange.question) else ""
        shown = messages(card, exchange_id=exchange_id, asked=asked)
        await self._posting.take_down([one for one in exchange.messages if one != first])
        more = await self._posting.change(first, shown, pressed.thread)
        for part, message in enumerate(more, 1):
            await self._app.service.posted(exchange_id, message, part)

    async def _call(self, pressed: Pressed) -> Card:
        return await self._called(
            pressed,
            await self._reception.saved(
                self._escalated(pressed), lambda escalated: self._called_late(pressed, escalated)
            ),
        )

    async def _escalated(self, pressed: Pressed) -> tuple[Exchange, bool]:
        await by_press(pressed).check(self._app, self._workspaces)
        exchange = await self._exchange(pressed.value)
        return exchange, await self._app.service.escalate(pressed.value, person(pressed.user))

    async def _called_late(self, pressed: Pressed, escalated: tuple[Exchange, bool]) -> None:
        await self.note(pressed, await self._called(pressed, escalated))

    async def _called(self, pressed: Pressed, escalated: tuple[Exchange, bool]) -> Card:
        exchange, first = escalated
        if first:
            tenant = self._workspaces.tenant(pressed.team)
            group = tenant.oncall.slack_usergroup if tenant else None
            card = call_card(exchange, oncall=bool(group))
            callers = f"<@{pressed.user}>"
            mention = f"<!subteam^{group}> {callers}" if group else callers
            thread = pressed.thread or ("" if pressed.ephemeral else pressed.message)
            await self._posting.post(pressed.channel, thread, messages(card, mention=mention))
        return human_asked_card(first=first)

    async def _share(self, pressed: Pressed) -> Card:
        await by_press(pressed).check(self._app, self._workspaces)
        where = place(pressed.channel, pressed.thread)
        scope = self._workspaces.room(pressed.channel).scope
        shared = await self._desk.share(pressed.value, person(pressed.user), where, scope)
        if shared is None:
            return shared_card(first=False)
        exchange = await self._exchange(shared[0])
        await self._answers.show(Asked(exchange.id, exchange.question, typed=True), shared[1])
        return shared_card(first=True)

    async def _delete(self, pressed: Pressed) -> Card:
        await by_press(pressed).check(self._app, self._workspaces)
        somebody = person(pressed.user)
        exchange = await self._exchange(pressed.value)
        tenant = self._workspaces.tenant(pressed.team)
        asker = exchange.question.asked_by == pressed.user
        admin = not asker and tenant is not None and await is_admin(self._web, tenant, pressed.user)
        gone = await self._app.service.delete(pressed.value, somebody, admin=admin)
        await self._posting.take_down(gone)
        return deleted_card()

    # --- whose answer it is ---------------------------------------------------------------------

    async def _saved(self, on: Touched, save: Callable[[], Awaitable[Saved]]) -> Saved:
        """Save something about an exchange in time, if it may be acted on from there.

        Raises:
            NotFound: it may not.
            JournalUnavailable: it was not saved in time.
        """

        async def checked() -> Saved:
            await on.check(self._app, self._workspaces)
            return await save()

        return await self._reception.saved(checked())

    async def _exchange(self, exchange_id: str) -> Exchange:
        exchange = await self._app.journal.exchange(exchange_id)
        if exchange is None:
            raise NotFound("This answer is not known any more.")
        return exchange

    def _reader(self, pressed: Pressed) -> Reader:
        return Reader(pressed.user, pressed.channel, pressed.thread, pressed.response_url)


class _TooLate(NightlampError):
    """Slack lets a form be opened for three seconds only."""


def _reference() -> str:
    return uuid.uuid4().hex[:12]
