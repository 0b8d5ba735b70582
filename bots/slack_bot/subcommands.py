"""`/nightlamp …`: everything that is no question. Answered to whoever typed it."""

import uuid

from slack_sdk.web.async_client import AsyncWebClient

from bots.app import App
from bots.card import Card
from bots.cards import help_card
from bots.commands import COMMANDS
from bots.desk import Desk, failure_card
from bots.notes import admins_only_card, busy_card, muted_card, reindexing_card
from bots.slack_bot.admins import is_admin
from bots.slack_bot.events import Typed, person, place
from bots.slack_bot.posting import Posting, Reader
from bots.slack_bot.reception import Reception
from bots.slack_bot.workspaces import Workspaces
from core.errors import NightlampError
from core.models import Platform, Question
from core.reports import IndexOptions, of_sources
from core.scoping import typed_scope
from core.settings_lists import TenantSettings

NIGHTLAMP = "/nightlamp"
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
    ) -> None:
        self._app = app
        self._web = web
        self._posting = posting
        self._reception = reception
        self._workspaces = workspaces
        self._desk = Desk(app)

    async def run(self, typed: Typed) -> None:
        """Do what was typed, and say what came of it."""
        reader = Reader(typed.user, typed.channel, "", typed.response_url)
        try:
            card = await self._card(typed, reader)
        except NightlampError as error:
            card = failure_card(error, uuid.uuid4().hex[:12])
        await self._posting.tell(reader, card)

    async def _card(self, typed: Typed, reader: Reader) -> Card:
        name, _, rest = typed.text.partition(" ")
        away = self._reception.turned_away(
            typed.team, typed.channel, typed.user, typed.response_url
        )
        tenant = self._workspaces.tenant(typed.team)
        if away or tenant is None:
            return away.card if away else help_card(Platform.SLACK)
        match name.casefold():
            case "similar":
                return await self._similar(typed, tenant, rest.strip())
            case "runbooks":
                return await self._runbooks(tenant, typed.channel, rest)
            case "mute":
                muted = rest.strip().casefold() != "off"
                somebody = person(typed.user)
                await self._app.service.mute(place(typed.channel), somebody, muted=muted)
                return muted_card(muted=muted, thread=False)
            case "status":
                return await self._desk.status()
            case "reindex":
                return await self._reindex(typed, tenant, reader, full=rest.strip() == "full")
            case _:
                return help_card(Platform.SLACK)

    async def _similar(self, typed: Typed, tenant: TenantSettings, text: str) -> Card:
        if told := self._reception.allowed(typed.user, typed.channel):
            return told.card
        question = Question(
            text=text,
            tenant=tenant.name,
            asked_by=typed.user,
            asked_at=self._app.clock.now(),
            where=place(typed.channel, private=True),
            scope=self._workspaces.scope(typed.channel),
        )
        return await self._desk.similar(question)

    async def _runbooks(self, tenant: TenantSettings, channel: str, text: str) -> Card:
        scope = self._workspaces.scope(channel)
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
        return self._desk.report(of_sources(report, names) if names else report)
