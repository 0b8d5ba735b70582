"""All sources read: how many of them at once."""

import asyncio
from pathlib import Path

from core.settings_lists import SourceSettings
from corpus.reading import SOURCES_AT_ONCE, read_sources
from corpus.sources import DirectorySource
from tests.waiting import until


class Remotes:
    """Hosts that answer nobody until `answer` is set."""

    def __init__(self) -> None:
        self.answer = asyncio.Event()
        self.asked: list[str] = []

    async def fetch(self, name: str) -> None:
        self.asked.append(name)
        await self.answer.wait()


class RemoteSource(DirectorySource):
    """A folder that is fetched first."""

    def __init__(self, name: str, folder: Path, remotes: Remotes) -> None:
        super().__init__(SourceSettings(name=name, path=folder))
        self._remotes = remotes

    async def refresh(self) -> str:
        await self._remotes.fetch(self.settings.name)
        return ""


async def test_hosts_that_are_silent_hold_only_some_of_the_threads(tmp_path: Path) -> None:
    (tmp_path / "disk.md").write_text("# Disk\n")
    names, remotes = [f"team-{number}" for number in range(7)], Remotes()
    sources = [RemoteSource(name, tmp_path, remotes) for name in names]
    reading = asyncio.create_task(read_sources(sources))
    await until(lambda: len(remotes.asked) >= SOURCES_AT_ONCE)
    for _ in range(20):  # whoever else were let through would ask now
        await asyncio.sleep(0)
    assert remotes.asked == names[:SOURCES_AT_ONCE]
    remotes.answer.set()
    corpus = await reading
    assert remotes.asked == names
    assert list(corpus.commits) == names
    assert len(corpus.documents) == len(names)
