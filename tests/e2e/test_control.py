"""Commands beside a running bot, as processes: the same output, JSON and exit codes as alone."""

import asyncio
import json
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.fake_slack import FakeSlack
from tests.waiting import PATIENT

ROOT = Path(__file__).parents[2]
PAGES = {
    "pay.md": "---\ntitle: Payments\nservice: payments\n---\n# Payments\n\n## Roll back\n\n"
    "Undo the release:\n\n```sh\nkubectl rollout undo deployment/payments\n```\n",
    "search.md": "# Search\n\n## Indexer lag\n\nThe indexer lags behind: scale the indexer.\n",
}
SOURCES = """
[[sources]]
name = "pages"
path = "pages"
watch = false
"""
QUESTIONS = (
    ("indexer lag",),
    ("indexer lag", "--json"),
    ("how do I bake a chocolate cake for my aunt",),
    ("roll back", "--service", "nobody-has-it"),
    ("", "--json"),
)


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder with pages, and commands run in it as a person would."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    async def start(self, *arguments: str) -> Process:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NIGHTLAMP_")}
        ours = {"PYTHONPATH": str(ROOT), "NIGHTLAMP_EMBEDDING_MODEL": "hashing"}
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "bots", *arguments),
            cwd=self.folder,
            env={**kept, **ours, **self.settings},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        running = await self.start(*arguments)
        out, err = await running.communicate()
        return running.returncode or 0, out.decode(), err.decode()

    def write(self, path: str, text: str) -> None:
        (self.folder / "pages" / path).write_text(text, encoding="utf-8")

    @property
    def control(self) -> Path:
        return self.folder / "data" / "control.sock"

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Process]:
        """Run the bot on a Slack of its own until the context ends."""
        async with FakeSlack().running() as slack:
            self.settings.update(
                NIGHTLAMP_SLACK_BOT_TOKEN=slack.bot_token,
                NIGHTLAMP_SLACK_APP_TOKEN=slack.app_token,
                NIGHTLAMP_SLACK_API_URL=slack.base_url,
            )
            bot = await self.start("serve")
            try:
                await slack.until(lambda: slack.sockets)
                yield bot
            finally:
                if bot.returncode is None:
                    bot.terminate()
                await bot.communicate()


@pytest.fixture
def desk(folder: Path) -> Desk:
    desk = Desk(folder)
    (folder / "pages").mkdir()
    (folder / "nightlamp.toml").write_text(SOURCES)
    for name, text in PAGES.items():
        desk.write(name, text)
    return desk


def timeless(told: tuple[int, str, str]) -> tuple[int, Any, str]:
    """Return what a command said without what differs each time: how long it took, ids."""
    code, out, err = told
    if not out.startswith("{"):
        return code, re.sub(r"^[0-9a-f]{12} · (.*) · \d+ ms$", r"\1", out, flags=re.MULTILINE), err
    said = json.loads(out)
    for name in ("ms", "seconds", "build"):
        said.pop(name, None)
    return code, said, err


async def test_a_question_is_answered_beside_a_bot_as_it_is_alone(desk: Desk) -> None:
    await desk.run("index")
    alone = [timeless(await desk.run("ask", *question)) for question in QUESTIONS]
    async with desk.serving():
        beside = [timeless(await desk.run("ask", *question)) for question in QUESTIONS]
        counted = json.loads((await desk.run("status", "--json"))[1])["journal"]["exchanges"]
    assert beside == alone
    assert [code for code, _, _ in alone] == [0, 0, 0, 2, 0]
    named = "No document names the service nobody-has-it; the nearest: payments.\n"
    assert named in alone[3][2]
    assert counted == 2 * len(QUESTIONS)


async def test_a_question_on_an_empty_index_has_the_bot_read_the_pages_first(desk: Desk) -> None:
    async with desk.serving():
        code, out, err = await desk.run("ask", "indexer lag")
    assert (code, "scale the indexer" in out) == (0, True)
    assert err.startswith("Reading 2 files\n")


async def test_the_index_is_brought_up_to_date_beside_a_bot_as_it_is_alone(desk: Desk) -> None:
    alone = timeless(await desk.run("index", "--json"))
    desk.write("disk.md", "# Disk full\n\nRemove old logs.\n")
    async with desk.serving():
        beside = timeless(await desk.run("index", "--json"))
        again = timeless(await desk.run("index", "--rebuild", "--json"))
        _, found, _ = await desk.run("ask", "disk full")
    assert alone[1]["added"] == ["pages/pay.md", "pages/search.md"]
    assert (beside[0], beside[1]["added"], beside[1].keys()) == (
        0,
        ["pages/disk.md"],
        alone[1].keys(),
    )
    assert (alone[2], beside[2]) == (
        "Reading 2 files\nCutting 2 documents\nEmbedding 2 passages\n",
        "Reading 3 files\nCutting 1 document\nEmbedding 1 passage\n",
    )
    assert again[1]["unchanged"] == ["pages/disk.md", "pages/pay.md", "pages/search.md"]
    assert "Remove old logs" in found


async def test_a_failure_has_the_exit_code_that_it_has_alone(desk: Desk) -> None:
    desk.write("broken.md", "")
    (desk.folder / "pages" / "broken.md").write_bytes(b"\xff\xfe\x00")
    alone = timeless(await desk.run("index", "--strict", "--json"))
    async with desk.serving():
        beside = timeless(await desk.run("index", "--strict", "--json"))
    assert (alone[0], beside[0]) == (3, 3)
    assert beside[1]["failed"] == alone[1]["failed"] != []


async def status_once_connected(desk: Desk) -> Any:
    """Return the status of a running bot that Slack has just let in, which it may not know yet."""
    async with asyncio.timeout(PATIENT):
        while True:
            status = json.loads((await desk.run("status", "--json"))[1])
            if status["channels"]["slack"]["state"] != "connecting":
                return status


async def test_status_tells_of_the_channels_of_a_running_bot(desk: Desk) -> None:
    await desk.run("index")
    alone = json.loads((await desk.run("status", "--json"))[1])
    async with desk.serving() as bot:
        beside = await status_once_connected(desk)
        _, card, _ = await desk.run("status")
    assert (alone["channels"], alone["holder"]) == ({}, "nobody")
    assert beside["channels"]["slack"]["state"] == "running"
    assert f"in use by process {bot.pid} since" in beside["holder"]
    assert {k: beside[k] for k in ("data", "build", "model")} == {
        k: alone[k] for k in ("data", "build", "model")
    }
    assert "running since" in card


async def test_other_folders_than_the_bots_are_wrong_use(desk: Desk) -> None:
    (desk.folder / "other").mkdir()
    async with desk.serving():
        code, out, err = await desk.run("--corpus", "other", "ask", "indexer lag")
    assert (code, out) == (2, "")
    assert "with other runbooks: leave --corpus away" in err


async def test_a_bot_that_was_killed_is_replaced_without_help(desk: Desk) -> None:
    await desk.run("index")
    async with desk.serving() as bot:
        bot.kill()
        await bot.communicate()
    assert desk.control.is_socket()
    alone = timeless(await desk.run("ask", "indexer lag"))
    assert (alone[0], "scale the indexer" in alone[1]) == (0, True)
    async with desk.serving():
        assert timeless(await desk.run("ask", "indexer lag")) == alone
    assert not desk.control.exists()
