"""Gaps on Slack: `/nightlamp gaps`, the menu at each gap of a digest, and what people are told."""

import logging
import uuid

from slack_sdk.errors import SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from bots.app import App
from bots.card import Card, GapAction
from bots.desk import failure_card
from bots.gap_cards import decided_card
from bots.gap_desk import GapDesk, NamedFile
from bots.notes import unmapped_card
from bots.people_desk import PeopleDesk
from bots.places import reading
from bots.slack_bot.admins import is_admin
from bots.slack_bot.events import Filled, Pressed, Typed, person
from bots.slack_bot.posting import Posting
from bots.slack_bot.render import messages
from bots.slack_bot.views import NOTE, done_form
from bots.slack_bot.web import UNREACHABLE, code_of
from bots.slack_bot.workspaces import Workspaces
from core.errors import NightlampError, NotFound
from core.models import Platform
from feedback.gap_book import Actor

log = logging.getLogger(__name__)

PERSONAL = {"my-data", "forget-me", "notices"}


class Gapping:
    """Answers whoever acts alone; that somebody decided on a digest's gap is said below it."""

    def __init__(
        self, app: App, web: AsyncWebClient, posting: Posting, workspaces: Workspaces
    ) -> None:
        self._desk = GapDesk(app)
        self._people = PeopleDesk(app)
        self._web = web
        self._posting = posting
        self._workspaces = workspaces

    # --- commands -------------------------------------------------------------------------------

    async def gaps(self, typed: Typed, text: str) -> Card:
        """List gaps, act on one, or draft its page.

        Raises:
            NightlampError: it could not be done; the sentence says why.
        """
        actor = await self._actor(typed.team, typed.channel, typed.user)
        said = await self._desk.command(text, actor)
        return await self._handed(typed.user, said.card, said.file)

    async def personal(self, typed: Typed, name: str, rest: str) -> Card:
        """Do what somebody asks about themselves.

        Raises:
            JournalUnavailable: nothing was read or erased.
        """
        who = person(typed.user)
        match name:
            case "my-data":
                said = await self._people.my_data(who)
                return await self._handed(typed.user, said.card, said.file)
            case "forget-me":
                return await self._people.forget(who, sure=rest.casefold() == "sure")
            case _:
                return await self._people.notices(who, wanted=rest.casefold() != "off")

    # --- on a digest ----------------------------------------------------------------------------

    def asks(self, pressed: Pressed) -> bool:
        """Return whether what was chosen opens a form first."""
        return _chosen(pressed)[0] == GapAction.DONE

    async def open_form(self, pressed: Pressed) -> None:
        """Ask which section answers a gap."""
        gap_id = _chosen(pressed)[1].replace("|", "")
        about = "|".join((gap_id, pressed.channel, _below(pressed), pressed.team))
        await self._web.views_open(trigger_id=pressed.trigger, view=done_form(about, gap_id))

    async def press(self, pressed: Pressed) -> Card:
        """Decide on a gap; returns what to say.

        Raises:
            NotFound, NotAllowed, JournalUnavailable: it was not decided.
        """
        name, gap_id = _chosen(pressed)
        if name not in set(GapAction):
            raise NotFound("This button is of another version.")
        actor = await self._actor(pressed.team, pressed.channel, pressed.user)
        return decided_card(await self._desk.act(GapAction(name), gap_id, actor))

    async def fill(self, filled: Filled) -> Card:
        """Say which section answers a gap, as it was filled in.

        Raises:
            NotFound, NotAllowed, JournalUnavailable: it was not decided.
        """
        gap_id, channel, _, team = filled.about.split("|")
        actor = await self._actor(team, channel, filled.user)
        section = filled.fields.get(NOTE, "")
        return decided_card(await self._desk.act(GapAction.DONE, gap_id, actor, section=section))

    async def tell_all(self, pressed: Pressed, card: Card) -> None:
        """Say below a digest what was decided on its gap, and by whom."""
        await self._tell_all(pressed.channel, _below(pressed), pressed.user, card)

    async def tell_all_below(self, filled: Filled, card: Card) -> None:
        """Say below the digest from which a form was opened what was decided, and by whom."""
        _, channel, thread, _ = filled.about.split("|")
        await self._tell_all(channel, thread, filled.user, card)

    # --- inside ---------------------------------------------------------------------------------

    async def _actor(self, team: str, channel: str, user: str) -> Actor:
        tenant = self._workspaces.tenant(team)
        if tenant is None:
            raise NotFound(unmapped_card(Platform.SLACK, team).title)
        admin = await is_admin(self._web, tenant, user)
        scope = reading(self._workspaces.room(channel).scope, Platform.SLACK, channel)
        return Actor(person(user), tenant.name, scope, admin)

    async def _tell_all(self, channel: str, thread: str, user: str, card: Card) -> None:
        if not thread:
            return
        try:
            await self._posting.post(channel, thread, messages(card, mention=f"<@{user}>"))
        except UNREACHABLE as error:
            log.warning("a decision could not be said to all: %s", code_of(error) or error)

    async def _handed(self, user: str, card: Card, file: NamedFile | None) -> Card:
        """Hand a file over in a direct message, the one place on Slack that is one person's."""
        if file is None:
            return card
        try:
            opened = await self._web.conversations_open(users=user)
            await self._web.files_upload_v2(
                channel=opened["channel"]["id"], filename=file.name, content=file.data
            )
        except (*UNREACHABLE, SlackRequestError) as error:
            log.warning("a file was not handed over: %s", code_of(error) or error)
            return failure_card(NightlampError("Slack refused"), uuid.uuid4().hex[:12])
        return card


def _below(pressed: Pressed) -> str:
    """Return the thread of a digest; empty for a list that one person alone sees."""
    return "" if pressed.ephemeral else pressed.thread or pressed.message


def _chosen(pressed: Pressed) -> tuple[str, str]:
    """Return what was chosen at a gap, and the gap's name."""
    action, _, gap_id = pressed.value.partition(":")
    return action, gap_id
