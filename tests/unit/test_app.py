"""Serving: one process a data folder, everything closed at the end."""

import asyncio
import gc
import os
import signal
from pathlib import Path

import pytest
from pydantic import SecretStr

from bots.app import App, serve
from bots.control_client import reached
from bots.updates import FollowedIndexer
from core.clock import SystemClock
from core.errors import DataFolderBusy, SettingsError
from core.models import Platform
from core.settings import Settings
from core.settings_groups import DiscordSettings, EmbeddingSettings, RetrievalSettings
from corpus.data_folder import DataFolder

SETTINGS = Settings(
    embedding=EmbeddingSettings(model="hashing"), discord=DiscordSettings(token=SecretStr("t"))
)


class FakeChannel:
    """Runs until it is told to end; then says how it went."""

    name = "fake"
    connection = None

    def __init__(self, app: App) -> None:
        self.app = app
        self.started = asyncio.Event()
        self.over = asyncio.Event()
        self.cancelled = False

    async def run(self) -> None:
        self.started.set()
        try:
            await self.over.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise


async def served(
    tmp_path: Path, settings: Settings = SETTINGS
) -> tuple[FakeChannel, "asyncio.Task[None]"]:
    made: asyncio.Future[FakeChannel] = asyncio.get_running_loop().create_future()

    def make(app: App) -> FakeChannel:
        channel = FakeChannel(app)
        made.set_result(channel)
        return channel

    makers = {Platform.DISCORD: make}
    serving = asyncio.create_task(
        serve(settings, tmp_path, sources=[tmp_path], makers=makers, wait=0)
    )
    channel = await made
    await channel.started.wait()
    return channel, serving


async def test_a_channel_runs_over_the_open_app_until_it_ends(tmp_path: Path) -> None:
    channel, serving = await served(tmp_path)
    assert (await channel.app.journal.counts())["exchanges"] == 0
    channel.over.set()
    await serving


async def test_what_serves_follows_every_run_of_the_indexer_and_has_its_digests(
    tmp_path: Path,
) -> None:
    channel, serving = await served(tmp_path)
    assert isinstance(channel.app.library.indexer, FollowedIndexer)
    assert channel.app.digests is not None
    channel.over.set()
    await serving


async def test_a_reranker_is_loaded_from_the_start_and_one_that_is_missing_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    retrieval = RetrievalSettings(reranker=str(tmp_path))
    channel, serving = await served(tmp_path, SETTINGS.model_copy(update={"retrieval": retrieval}))
    channel.over.set()
    await serving
    said = [record.message for record in caplog.records if "rerank" in record.message]
    assert said == [
        f"Nothing is reranked: {tmp_path} does not hold a cross-encoder: correct "
        "NIGHTLAMP_RETRIEVAL_RERANKER, or leave it out."
    ]


async def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    channel, serving = await served(tmp_path)
    with pytest.raises(DataFolderBusy, match=f"in use by process {os.getpid()}"):
        await DataFolder(tmp_path).hold(SystemClock())
    channel.over.set()
    await serving


async def test_the_folder_is_free_again_after_the_end(tmp_path: Path) -> None:
    channel, serving = await served(tmp_path)
    channel.over.set()
    await serving
    folder = DataFolder(tmp_path)
    await folder.hold(SystemClock())
    folder.release()


async def test_commands_reach_it_from_before_its_channels_start_until_it_ends(
    tmp_path: Path,
) -> None:
    channel, serving = await served(tmp_path)
    async with reached(DataFolder(tmp_path)) as bot:
        assert bot is not None
        status = await bot.call("status", {})
    assert status["channels"]["fake"]["state"] == "running"
    channel.over.set()
    await serving
    async with reached(DataFolder(tmp_path)) as bot:
        assert bot is None


async def test_sigterm_ends_it_in_good_order(tmp_path: Path) -> None:
    channel, serving = await served(tmp_path)
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    assert channel.cancelled


async def test_cancelling_it_stops_its_channels(tmp_path: Path) -> None:
    channel, serving = await served(tmp_path)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert channel.cancelled


async def test_a_channel_that_this_version_lacks_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="This version cannot talk on Discord yet"):
        await serve(SETTINGS, tmp_path, makers={})


async def test_what_was_loaded_at_the_start_is_left_alone_by_later_collections(
    tmp_path: Path,
) -> None:
    before = gc.get_freeze_count()
    channel, serving = await served(tmp_path)
    assert gc.get_freeze_count() > before + 10_000
    channel.over.set()
    await serving
    assert gc.get_freeze_count() <= before
