"""The Slack channel: checks its tokens, answers what was left, listens until it is cancelled."""

import asyncio
import logging
from dataclasses import dataclass

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bots.app import App
from bots.connection import Connection
from bots.slack_bot.announcing import SlackAnnouncer
from bots.slack_bot.answers import Answers
from bots.slack_bot.gapping import Gapping
from bots.slack_bot.http_mode import HttpMode
from bots.slack_bot.listeners import Listeners, Room
from bots.slack_bot.posting import Posting
from bots.slack_bot.presses import Presses
from bots.slack_bot.reception import Reception
from bots.slack_bot.reconciling import reconcile
from bots.slack_bot.socket_mode import SocketMode
from bots.slack_bot.subcommands import Subcommands
from bots.slack_bot.tasks import Tasks
from bots.slack_bot.web import Sleep, as_setting, web_client
from bots.slack_bot.workspaces import Workspaces
from bots.waiting import LOOK
from core.errors import SettingsError
from core.settings import secret

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds things may take.

    `saving` is until something counts as not saved, `ending` is for answers under way when the bot
    stops, `again` passes between two looks for what could not be answered; the rest is as in
    SocketMode.
    """

    saving: float = 2.0
    ending: float = 10.0
    again: float = LOOK
    ping: float = 10.0
    deaf: float = 60.0
    look: float = 5.0


@dataclass(frozen=True, slots=True)
class Me:
    """The bot as Slack knows it, and the scopes that it was granted."""

    team: str
    user: str
    bot: str
    scopes: frozenset[str]


class SlackChannel:
    """Nightlamp on Slack, by Socket Mode or by HTTP."""

    name = "slack"

    def __init__(
        self, app: App, *, patience: Patience | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._app = app
        self._settings = app.settings.slack
        self._patience = patience or Patience()
        self._sleep = sleep
        self.tasks = Tasks()
        self.listening = asyncio.Event()
        self.listeners: Listeners | None = None
        self.socket: SocketMode | None = None
        self.http: HttpMode | None = None
        self._announcer: SlackAnnouncer | None = None
        self.connection = Connection(app.clock)

    @property
    def announcer(self) -> SlackAnnouncer | None:
        """Return what announces; None before Slack has taken the token, and after the end."""
        return self._announcer

    async def run(self) -> None:
        """Run until cancelled.

        Raises:
            SettingsError: Slack refuses a token.
        """
        async with aiohttp.ClientSession() as session:
            web = web_client(self._settings, session, sleep=self._sleep)
            me = await whoami(web)
            if app_token := secret(self._settings.app_token):
                await check_app_token(web, app_token)
            room = self._room(web, me)
            bolt = self._bolt(me, room)
            self._announcer = SlackAnnouncer(self._app.service, web, room.posting)
            log.info("Slack: the workspace %s takes the token, listening", me.team)
            try:
                await room.answers.catch_up()
                self.tasks.start(reconcile(self._app, web, me.user))
                async with room.answers.keep_answering():
                    await self._listen(bolt)
            finally:
                self._announcer = None
                self.connection.broke()
                await self.tasks.finish(self._patience.ending)

    def _room(self, web: AsyncWebClient, me: Me) -> Room:
        app, tasks = self._app, self.tasks
        workspaces, posting = Workspaces(app.settings, me.team), Posting(web)
        answers = Answers(app, posting, tasks, every=self._patience.again)
        reception = Reception(
            app, workspaces, answers, tasks, bot_user=me.user, seconds=self._patience.saving
        )
        gapping = Gapping(app, web, posting, workspaces)
        presses = Presses(app, web, posting, reception, workspaces, answers, gapping)
        subcommands = Subcommands(app, web, posting, reception, workspaces, gapping)
        return Room(app, web, posting, answers, reception, presses, subcommands, workspaces, tasks)

    def _bolt(self, me: Me, room: Room) -> AsyncApp:
        """Return the app with its listeners. It authorises without asking Slack first."""

        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(
                enterprise_id=None,
                team_id=me.team,
                bot_user_id=me.user,
                bot_id=me.bot,
                bot_token=secret(self._settings.bot_token),
            )

        bolt = AsyncApp(
            client=AsyncWebClient(base_url=room.web.base_url),
            authorize=authorize,
            signing_secret=secret(self._settings.signing_secret),
        )
        bolt.middleware(room.reception.middleware)
        self.listeners = Listeners(room)
        self.listeners.register(bolt)
        return bolt

    async def _listen(self, bolt: AsyncApp) -> None:
        settings, patience = self._settings, self._patience
        if app_token := secret(settings.app_token):
            self.socket = SocketMode(
                bolt,
                app_token,
                self.connection,
                ping=patience.ping,
                deaf=patience.deaf,
                look=patience.look,
            )
            self.listening.set()
            await self.socket.run()
        elif settings.signing_secret:
            self.http = HttpMode(bolt, self.connection, settings.host, settings.port)
            self.listening.set()
            await self.http.run()
        else:
            raise SettingsError(
                "Slack has a bot token but no way to receive: set NIGHTLAMP_SLACK_APP_TOKEN "
                "(Socket Mode) or NIGHTLAMP_SLACK_SIGNING_SECRET (HTTP)."
            )


async def whoami(web: AsyncWebClient) -> Me:
    """Return who the bot's token makes us.

    Raises:
        SettingsError: Slack refuses the token.
    """
    try:
        answer = await web.auth_test()
    except SlackApiError as error:
        raise as_setting(error, "NIGHTLAMP_SLACK_BOT_TOKEN") from error
    headers = {name.lower(): value for name, value in answer.headers.items()}
    scopes = str(headers.get("x-oauth-scopes", "")).split(",")
    granted = frozenset(scope.strip() for scope in scopes if scope.strip())
    return Me(answer["team_id"], answer["user_id"], answer.get("bot_id") or "", granted)


async def check_app_token(web: AsyncWebClient, app_token: str) -> None:
    """Ask for a connection and do not use it: the library would try a wrong token for ever.

    Raises:
        SettingsError: Slack refuses the token.
    """
    try:
        await web.apps_connections_open(app_token=app_token)
    except SlackApiError as error:
        raise as_setting(error, "NIGHTLAMP_SLACK_APP_TOKEN") from error
