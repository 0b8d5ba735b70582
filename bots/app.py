"""The composition root: the library, the journal and the service over them; the channels."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bots.announcing import Announcers
from bots.control import control_open
from bots.digesting import Digests
from bots.following import following
from bots.gap_loop import GapLoop, loop_over
from bots.scribing import open_scribe
from bots.supervisor import Channel, Supervisor
from bots.turns import Turns
from bots.updates import FollowedIndexer
from core.clock import SystemClock
from core.errors import SettingsError
from core.heap import settled
from core.journal_port import Journal
from core.models import Platform
from core.ports import Clock
from core.service import Nightlamp
from core.settings import Settings
from core.writing import Scribe
from corpus.library import Library, open_library
from eval.judges import judges_for
from feedback.gap_book import GapBook
from feedback.journal import SqliteJournal, open_journal

LEAVING = 30.0
"""Seconds that another `serve` may take to leave the data folder: a deploy's overlap."""


@dataclass(frozen=True, slots=True)
class App:
    """All that a channel needs.

    `scribe` is None where no language model is configured, `digests` where the bot does not serve.
    """

    settings: Settings
    library: Library
    journal: SqliteJournal
    service: Nightlamp
    clock: Clock
    scribe: Scribe | None = None
    turns: Turns = field(default_factory=Turns)
    digests: Digests | None = None

    @property
    def gaps(self) -> GapBook:
        """Return the verbs about gaps."""
        return GapBook(self.journal, self.library.index, self.clock)


ChannelMaker = Callable[[App], Channel]


def _discord(app: App) -> Channel:
    from bots.discord_bot.channel import DiscordChannel  # takes its time to load; most never talk

    return DiscordChannel(app)


def _slack(app: App) -> Channel:
    from bots.slack_bot.bot import SlackChannel  # likewise

    return SlackChannel(app)


CHANNELS: Mapping[Platform, ChannelMaker] = {Platform.DISCORD: _discord, Platform.SLACK: _slack}
"""The chat platforms that this version can talk on."""


@asynccontextmanager
async def open_app(
    settings: Settings,
    data: Path,
    *,
    sources: Sequence[Path] | None = None,
    clock: Clock | None = None,
    wait: float = 0.0,
) -> AsyncIterator[App]:
    """Open everything over one data folder, and close it again in order.

    Raises:
        DataFolderBusy: another process holds the folder.
        DataFolderBroken: it cannot be used.
        JournalUnavailable: the journal cannot be opened.
    """
    clock = clock or SystemClock()
    async with (
        open_library(
            settings,
            data,
            sources=sources,
            clock=clock,
            wait=wait,
            judges=judges_for(settings),
        ) as library,
        open_journal(library.folder.journal, now=clock.now) as journal,
        open_scribe(settings.llm, journal, clock) as scribe,
    ):
        service = service_over(library, journal, clock)
        yield App(settings, library, journal, service, clock, scribe)


def service_over(library: Library, journal: Journal, clock: Clock) -> Nightlamp:
    """Return the verbs over a library and a journal."""
    return Nightlamp(library.answerer, library.index, journal, clock)


async def serve(
    settings: Settings,
    data: Path,
    *,
    sources: Sequence[Path] | None = None,
    makers: Mapping[Platform, ChannelMaker] = CHANNELS,
    wait: float = LEAVING,
) -> None:
    """Run every channel that has its tokens until the process is told to stop.

    Raises:
        SettingsError: no channel has a token, or this version lacks the channel.
        DataFolderBusy: another process did not leave the data folder in time.
    """
    from bots.control_verbs import verbs_of  # the verbs are over an app, as this module makes it

    chosen = [_maker(platform, makers) for platform in channels_with_tokens(settings)]
    async with open_app(settings, data, sources=sources, wait=wait) as app:
        announcers = Announcers()
        loop = loop_over(app, announcers)
        app = followed(app, loop)
        channels = tuple(make(app) for make in chosen)
        announcers.speak_by(channels)
        supervisor = Supervisor(channels, app.clock)
        with settled():
            async with (
                control_open(app.library.folder.control, verbs_of(app, supervisor)),
                following(app.library, app.clock),
                _getting_ready(app.library),
                loop.running(),
            ):
                await _until_told(supervisor.run())


@asynccontextmanager
async def _getting_ready(library: Library) -> AsyncIterator[None]:
    """Load what takes seconds to load, while questions are answered already."""
    loading = asyncio.create_task(library.ready())
    try:
        yield
    finally:
        loading.cancel()
        await asyncio.wait({loading})


def followed(app: App, loop: GapLoop) -> App:
    """Return the app with every run of its indexer followed by a look at the gaps."""
    updates = FollowedIndexer(app.library.indexer, app.library.index, loop.built)
    library = replace(app.library, indexer=updates)
    return replace(app, library=library, digests=loop.digests)


async def _until_told(work: Coroutine[None, None, None]) -> None:
    """Run until the work ends or SIGTERM comes; either way it has been let finish its closing."""
    running = asyncio.create_task(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    try:
        await asyncio.wait({running})
    finally:
        running.cancel()
        await asyncio.wait({running})
    if not running.cancelled():
        running.result()


def channels_with_tokens(settings: Settings) -> list[Platform]:
    """Return the platforms whose tokens are set.

    Raises:
        SettingsError: none is, or only a part of those that belong together.
    """
    slack = settings.slack
    if slack.bot_token and not (slack.app_token or slack.signing_secret):
        raise SettingsError(
            "Slack has a bot token but no way to receive: set NIGHTLAMP_SLACK_APP_TOKEN "
            "(Socket Mode) or NIGHTLAMP_SLACK_SIGNING_SECRET (HTTP)."
        )
    with_tokens = {Platform.DISCORD: settings.discord.token, Platform.SLACK: slack.bot_token}
    found = [platform for platform, token in with_tokens.items() if token]
    if not found:
        raise SettingsError(
            "No channel has a token: set NIGHTLAMP_DISCORD_TOKEN, or NIGHTLAMP_SLACK_BOT_TOKEN "
            "and NIGHTLAMP_SLACK_APP_TOKEN."
        )
    return found


def _maker(platform: Platform, makers: Mapping[Platform, ChannelMaker]) -> ChannelMaker:
    if platform not in makers:
        name = platform.value
        raise SettingsError(
            f"This version cannot talk on {name.capitalize()} yet: remove its NIGHTLAMP_"
            f"{name.upper()}_ tokens, and ask in the terminal with nightlamp ask."
        )
    return makers[platform]
