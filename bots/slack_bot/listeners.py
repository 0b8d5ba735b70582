"""Which event leads to what: the table that the app, its manifest and `doctor` are made from."""

import logging
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bots.app import App
from bots.card import Card
from bots.cards import help_card
from bots.desk import Desk
from bots.notes import recent_card, refusal
from bots.slack_bot.answers import Answers, Asked
from bots.slack_bot.events import filled_in, person, pressed_in, team_of, typed_in
from bots.slack_bot.posting import Posting
from bots.slack_bot.presses import Presses
from bots.slack_bot.reception import NOT_SAVED, QUERY, SHORTCUT, Reception, Told
from bots.slack_bot.subcommands import NIGHTLAMP, Subcommands
from bots.slack_bot.tasks import Tasks
from bots.slack_bot.views import GAP_DONE, RESOLVE, WHY, home
from bots.slack_bot.web import UNREACHABLE, code_of
from bots.slack_bot.workspaces import Workspaces
from core.errors import JournalUnavailable, NightlampError
from core.models import Platform

log = logging.getLogger(__name__)

EVENTS: Mapping[str, tuple[str, ...]] = {
    "app_home_opened": (),
    "app_mention": ("app_mentions:read",),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
}
"""What is subscribed to, and the scopes that it wants."""
CALLS = (
    "chat:write",
    "commands",
    "files:write",
    "im:write",
    "reactions:write",
    "usergroups:read",
    "users:read",
)
"""The scopes that the calls want."""
SCOPES = tuple(sorted({*CALLS, *(scope for wanted in EVENTS.values() for scope in wanted)}))
RECENT = 5
_ANY = re.compile(".*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Room:
    """What the listeners work with."""

    app: App
    web: AsyncWebClient
    posting: Posting
    answers: Answers
    reception: Reception
    presses: Presses
    subcommands: Subcommands
    workspaces: Workspaces
    tasks: Tasks


class Listeners:
    """Acknowledges everything that comes, and starts what it asks for."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.unknown: Counter[str] = Counter()

    def register(self, bolt: AsyncApp) -> None:
        """Add all listeners to an app; what none of them knows is acknowledged and counted."""
        for event in ("message", "app_mention"):
            bolt.event(event)(self.said)
        for event in ("reaction_added", "reaction_removed"):
            bolt.event(event)(self.thumbed)
        bolt.event("app_home_opened")(self.home_opened)
        bolt.command(QUERY)(self.asked)
        bolt.shortcut(SHORTCUT)(self.asked)
        bolt.command(NIGHTLAMP)(self.typed)
        bolt.action(re.compile(r"nightlamp\..+"))(self.pressed)
        for form in (WHY, RESOLVE, GAP_DONE):
            bolt.view(form)(self.filled)
        bolt.event(_ANY)(self.strange)
        for kind in (bolt.command, bolt.shortcut, bolt.action, bolt.view, bolt.options):
            kind(_ANY)(self.strange)

    async def said(self, context: dict[str, Any]) -> None:
        """Answer a message or mention that the reception has written down."""
        self._go_on(context.get("receipt"))

    async def asked(self, ack: AsyncAck, context: dict[str, Any]) -> None:
        """Acknowledge `/query` or the shortcut, and answer it."""
        await ack()
        self._go_on(context.get("receipt"))

    async def thumbed(self) -> None:
        """Do nothing more: the reception has saved the thumb."""

    async def typed(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Run `/nightlamp …`; what is to be saved is saved before it is acknowledged."""
        typed, subcommands = typed_in(body), self._room.subcommands
        if not subcommands.saves(typed):
            await ack()
            self._room.tasks.start(subcommands.run(typed))
            return
        try:
            card = await subcommands.save(typed)
        except JournalUnavailable as error:
            log.warning("a command was not saved: %s", error)
            await ack(response_type="ephemeral", text=NOT_SAVED)
            return
        await ack()
        self._room.tasks.start(subcommands.say(typed, card))

    async def pressed(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Run a button; what is quick is saved before it is acknowledged."""
        pressed, presses = pressed_in(body), self._room.presses
        if presses.opens_form(pressed):
            await ack()
            self._room.tasks.start(presses.open_form(pressed))
        elif presses.is_quick(pressed):
            note = await presses.done(pressed)
            await ack()
            self._room.tasks.start(presses.note(pressed, note))
        else:
            await ack()
            self._room.tasks.start(presses.press(pressed))

    async def filled(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Save a form before its window closes; where that fails it stays open and says so."""
        filled = filled_in(body)
        try:
            card = await self._room.presses.fill(filled)
        except JournalUnavailable:
            first = next(iter(filled.fields))
            await ack(response_action="errors", errors={first: NOT_SAVED})
            return
        except NightlampError as error:
            log.warning("a form could not be used", exc_info=error)
            first = next(iter(filled.fields))
            await ack(response_action="errors", errors={first: refusal(error)})
            return
        await ack()
        self._room.tasks.start(self._room.presses.say(filled, card))

    async def home_opened(self, body: dict[str, Any]) -> None:
        """Show help, status and one's own last questions in the app's home."""
        event = body["event"]
        tenant = self._room.workspaces.tenant(team_of(body))
        if event.get("tab") == "home" and tenant:
            self._room.tasks.start(self._show_home(event["user"], tenant.name))

    async def strange(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Acknowledge and count what is not known: or Slack would switch our events off."""
        await ack()
        kind = str(body.get("event", {}).get("type") or body.get("type") or body.get("command"))
        if not self.unknown[kind]:
            log.info("not known, acknowledged and counted: %s", kind)
        self.unknown[kind] += 1

    # --- inside ---------------------------------------------------------------------------------

    def _go_on(self, receipt: object) -> None:
        match receipt:
            case Asked():
                self._room.answers.start(receipt)
            case Told(reader, card):
                self._room.tasks.start(self._room.posting.tell(reader, card))

    async def _show_home(self, user: str, tenant: str) -> None:
        try:
            view = home(await self._home(user, tenant))
            await self._room.web.views_publish(user_id=user, view=view)
        except UNREACHABLE as error:
            log.warning("a home tab could not be shown: %s", code_of(error) or error)

    async def _home(self, user: str, tenant: str) -> list[Card]:
        journal = self._room.app.journal
        return [
            help_card(Platform.SLACK),
            recent_card(await journal.recent(person(user), RECENT)),
            await Desk(self._room.app).status(tenant, self._room.workspaces.sources(tenant)),
        ]
