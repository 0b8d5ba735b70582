"""`/nightlamp …`: everything that is no question. Answered to whoever typed it."""

import uuid

from slack_sdk.web.async_client import AsyncWebClient

from bots.app import App
from bots.card import Card
from bots.cards import help_card
from bots.commands import COMMANDS
from bots.desk import Desk, failure_card
from bots.gap_words import VERBS
from bots.notes import admins_only_card, busy_card, muted_card, refused_card, reindexing_card
from bots.slack_bot.admins import is_admin
from bots.slack_bot.events import Typed, person, place
from bots.slack_bot.gapping import PERSONAL, Gapping
from bots.slack_bot.posting import Posting, Reader
from bots.slack_bot.reception import Reception
from bots.slack_bot.workspaces import Workspaces
from core.errors import JournalUnavailable, NightlampError, NotAllowed, NotFound, UsageError
from core.models import Platform, Question
from core.reports import IndexOptions, of_sources
from core.scoping import typed_scope
from core.settings_lists import TenantSettings

NIGHTLAMP = "/nightlamp"
_SAVING = {"mute", "notices", "forget-me"}
_DECIDING = [[verb] for verb in VERBS if verb != "draft"]
NAMES = tuple(command.name for command in COMMANDS if command.name != "query")


class Subcommands:
    """Runs the commands that share one name on Slack."""

    def __init__(
        self,
        app: App,
        web: AsyncWebClient,
        posting: Posting,
        reception: Reception,
        workspaces: Workspaces,
        gapping: Gapping,
    ) -> None:
        self._app = app
        self._web = web
        self._posting = posting
        self._reception = reception
        self._workspaces = workspaces
        self._gapping = gapping
        self._desk = Desk(app)

    async def run(self, typed: Typed) -> None:
        """Do what was typed, and say what came of it."""
        try:
            card = await self._worded(typed)
        except JournalUnavailable as error:
            card = failure_card(error, uuid.uuid4().hex[:12])
        await self.say(typed, card)

    def saves(self, typed: Typed) -> bool:
        """Return whether it is to be saved before Slack is told that it arrived."""
        name, _, rest = typed.text.casefold().partition(" ")
        return name in _SAVING or (name == "gaps" and rest.split()[:1] in _DECIDING)

    async def save(self, typed: Typed) -> Card:
        """Do what was typed in time; returns what to say. What is saved later is said then.

        Raises:
            JournalUnavailable: it was not saved, or not within the time that Slack waits.
        """
        return await self._reception.saved(self._worded(typed), lambda card: self.say(typed, card))

    async def say(self, typed: Typed, card: Card) -> None:
        """Say what came of it to whoever typed it."""
        await self._posting.tell(_reader(typed), card)

    async def _worded(self, typed: Typed) -> Card:
        try:
            return await self._card(typed, _reader(typed))
        except (NotAllowed, NotFound, UsageError) as error:
            return refused_card(error)
        except JournalUnavailable:
            raise
        except NightlampError as error:
            return failure_card(error, uuid.uuid4().hex[:12])

    async def _card(self, typed: Typed, reader: Reader) -> Card:
        name, _, rest = typed.text.partition(" ")
        away = self._reception.turned_away(
            typed.team, typed.channel, typed.user, typed.response_url
        )
        tenant = self._workspaces.tenant(typed.team)
        if away or tenant is None:
            return away.card if away else help_card(Platform.SLACK)
        return await self._named(name.casefold(), rest.strip(), typed, tenant, reader)

    async def _named(
        self, name: str, rest: str, typed: Typed, tenant: TenantSettings, reader: Reader
    ) -> Card:
        match name:
            case "similar":
                return await self._similar(typed, tenant, rest)
            case "runbooks":
                return await self._runbooks(tenant, typed.channel, rest)
            case "mute":
                return await self._mute(typed, muted=rest.casefold() != "off")
            case "status":
                return await self._desk.status(tenant.name, self._workspaces.sources(tenant.name))
            case "gaps":
                return await self._gapping.gaps(typed, rest)
            case "reindex":
                return await self._reindex(typed, tenant, reader, full=rest == "full")
            case _ if name in PERSONAL:
                return await self._gapping.personal(typed, name, rest)
        return help_card(Platform.SLACK)

    async def _mute(self, typed: Typed, *, muted: bool) -> Card:
        await self._app.service.mute(place(typed.channel), person(typed.user), muted=muted)
        return muted_card(muted=muted, thread=False)

    async def _similar(self, typed: Typed, tenant: TenantSettings, text: str) -> Card:
        if told := self._reception.allowed(typed.user, typed.channel):
            return told.card
        question = Question(
            text=text,
            tenant=tenant.name,
            asked_by=typed.user,
            asked_at=self._app.clock.now(),
            where=place(typed.channel, private=True),
            scope=self._workspaces.room(typed.channel).scope,
        )
        return await self._desk.similar(question)

    async def _runbooks(self, tenant: TenantSettings, channel: str, text: str) -> Card:
        scope = self._workspaces.room(channel).scope
        found = await self._app.service.runbooks(tenant.name, scope)
        _, narrowed = typed_scope(
            text,
            scope,
            services={one.metadata.service for one in found},
            types={one.metadata.type for one in found},
        )
        return await self._desk.runbooks(tenant.name, narrowed)

    async def _reindex(
        self, typed: Typed, tenant: TenantSettings, reader: Reader, *, full: bool
    ) -> Card:
        if not await is_admin(self._web, tenant, typed.user):
            return admins_only_card()
        if since := self._app.library.indexer.running_since:
            return busy_card(since, self._app.clock.now())
        await self._posting.tell(reader, reindexing_card())
        report = await self._app.library.indexer.run(IndexOptions(rebuild=full))
        names = self._workspaces.sources(tenant.name)
        return self._desk.report(report if names is None else of_sources(report, names))


def _reader(typed: Typed) -> Reader:
    return Reader(typed.user, typed.channel, "", typed.response_url)
