"""Discord as a channel: logs in, runs until it is cancelled, says plainly why it cannot."""

import logging
from dataclasses import dataclass

import discord

from bots.app import App
from bots.connection import Connection
from bots.discord_bot.announcing import DiscordAnnouncer
from bots.discord_bot.bot import NightlampBot
from core.errors import SettingsError

log = logging.getLogger(__name__)

PORTAL = "https://discord.com/developers/applications"
_NOT_AUTHENTICATED = 4004


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose token it is, and whether Discord lets it read what does not mention it."""

    application_id: int
    name: str
    content: bool


class DiscordChannel:
    """Runs one bot."""

    name = "discord"

    def __init__(self, app: App) -> None:
        self._app = app
        self._bot: NightlampBot | None = None
        self.connection = Connection(app.clock)

    @property
    def announcer(self) -> DiscordAnnouncer | None:
        """Return what announces; None while the bot is not connected."""
        bot = self._bot
        return bot.announcer if bot is not None and bot.is_ready() else None

    async def run(self) -> None:
        """Run until cancelled; what goes on is ended first.

        Raises:
            SettingsError: the token or the intents are wrong; trying again would not help.
            ConnectionError: Discord could not be reached for long.
        """
        secret = self._app.settings.discord.token
        token = secret.get_secret_value() if secret else ""
        identity = await identify(token)
        if not identity.content:
            log.warning("without the message content intent, follow-ups must mention the bot")
        try:
            async with NightlampBot(
                self._app, content=identity.content, connection=self.connection
            ) as bot:
                self._bot = bot
                async with bot.keep_answering():
                    await bot.contact.kept(bot.start(token))
        except discord.LoginFailure:
            raise SettingsError(WRONG_TOKEN) from None
        except discord.PrivilegedIntentsRequired:
            raise SettingsError(INTENTS_OFF) from None
        except discord.ConnectionClosed as error:
            if error.code == _NOT_AUTHENTICATED:
                raise SettingsError(WRONG_TOKEN) from None
            raise
        finally:
            self._bot = None
            self.connection.broke()


WRONG_TOKEN = (
    "Discord refuses NIGHTLAMP_DISCORD_TOKEN: reset the token on the Bot page of your application "
    f"({PORTAL}) and set the new one."
)
INTENTS_OFF = (
    "Discord refuses the intents: switch on the Message Content Intent on the Bot page of your "
    f"application ({PORTAL})."
)


async def identify(token: str) -> Identity:
    """Ask Discord whose token it is, over REST alone.

    Raises:
        SettingsError: the token is wrong.
        discord.HTTPException, OSError: Discord cannot be asked now.
    """
    async with discord.Client(intents=discord.Intents(guilds=True)) as client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            raise SettingsError(WRONG_TOKEN) from None
        application = client.application
        if application is None:
            raise SettingsError(WRONG_TOKEN)
        flags = application.flags
        content = flags.gateway_message_content or flags.gateway_message_content_limited
        return Identity(application.id, application.name, content)
