"""The chapters that lead a newcomer to the first answer, followed word by word."""

import asyncio
import os
import re
import shlex
import signal
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bots.app import serve
from bots.check import Level
from bots.discord_bot.checks import discord_checks
from core.settings import read_settings
from tests.e2e import slack_payloads as payloads
from tests.e2e.fake_discord import TOKEN, fake_discord
from tests.e2e.fake_slack import FakeSlack

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NIGHTLAMP = ".venv/bin/nightlamp"
BOT_COMMAND = (sys.executable, "-m", "bots")
# The quick stand-in for the model: the chapters are about the way, not about the ranking.
QUICK = {"NIGHTLAMP_EMBEDDING_MODEL": "hashing"}


def fences(page: str, *kinds: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [body for kind, body in FENCE.findall(text) if kind in kinds]


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NIGHTLAMP_")}
    return {**kept, "PYTHONPATH": str(ROOT), **QUICK, **more}


async def run(line: str, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Run a documented command in a folder; returns its exit code and what it said."""
    process = await start(line, folder, env)
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def start(line: str, folder: Path, env: Mapping[str, str]) -> Process:
    program, *rest = shlex.split(line)
    assert Path(program).name == "nightlamp"
    return await create_subprocess_exec(*BOT_COMMAND, *rest, cwd=folder, env=env, stdout=PIPE)


@asynccontextmanager
async def serving(line: str, folder: Path, env: Mapping[str, str]) -> AsyncIterator[Process]:
    process = await start(line, folder, env)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def test_the_slack_chapter_leads_to_the_first_answer(folder: Path) -> None:
    async with FakeSlack().running() as slack:
        dotenv = fences("slack.md", "text")[0]
        dotenv = dotenv.replace("xoxb-…", slack.bot_token).replace("xapp-…", slack.app_token)
        (folder / ".env").write_text(dotenv, encoding="utf-8")
        env = environment(NIGHTLAMP_SLACK_API_URL=slack.base_url)
        indexing, checking, running = fences("slack.md", "bash")[0].splitlines()
        assert (await run(indexing, folder, env))[0] == 0
        code, said = await run(checking, folder, env)
        assert "the tokens are taken" in said
        assert code == 0
        async with serving(running, folder, env):
            await slack.until(lambda: slack.connected)
            while "was not saved" in str(await queried(slack, "CrashLoopBackOff")):
                pass  # on a busy machine, as on any: it is to be typed again
            await slack.until(lambda: slack.messages["C0OPS"])
        (answer, *_) = slack.messages["C0OPS"].values()
        assert "CrashLoopBackOff" in str(answer["blocks"])


async def queried(slack: FakeSlack, text: str) -> payloads.Payload:
    """Ask by the command; returns what it is acknowledged with."""
    url, trigger = slack.response_url("U0ANN", "C0OPS"), slack.trigger()
    body = payloads.command("/query", text, "U0ANN", "C0OPS", url=url, trigger=trigger)
    return await slack.hand_over("slash_commands", body)


async def test_the_settings_of_the_slack_chapter_are_read(folder: Path) -> None:
    config = folder / "nightlamp.toml"
    config.write_text("".join(fences("slack.md", "toml")), encoding="utf-8")
    settings = read_settings(config=config, dotenv=None)
    assert settings.channels[0].answers == "thread"


async def test_the_discord_chapter_leads_to_the_first_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (dotenv,) = fences("discord.md", "sh")
    before, running = fences("discord.md", "bash")
    (folder / ".env").write_text(dotenv.replace("the-token-that-you-copied", TOKEN))
    (typed,) = fences("discord.md", "text")
    name, text = typed.strip().removeprefix("/").split(" ", 1)
    indexing, checking = before.splitlines()
    assert (checking, running.strip()) == (f"{NIGHTLAMP} doctor", f"{NIGHTLAMP} serve")
    assert (await run(indexing, folder, environment()))[0] == 0
    # Discord's address cannot be set, so the fake is where this process looks for it.
    for key, value in QUICK.items():
        monkeypatch.setenv(key, value)
    settings = read_settings(dotenv=folder / ".env")
    async with fake_discord() as fake:
        checks = {check.name: check.level for check in await discord_checks(settings)}
        assert Level.PROBLEM not in checks.values()
        bot = asyncio.create_task(serve(settings, folder / "data"))
        await fake.until(lambda: fake.commands and fake.identified)
        token = await fake.command(name, text=text)
        await fake.until(lambda: fake.answer(token))
        bot.cancel()
        await asyncio.wait({bot})
        assert text in str(fake.answer(token))


async def test_the_settings_of_the_discord_chapter_are_read(folder: Path) -> None:
    config = folder / "nightlamp.toml"
    config.write_text("".join(fences("discord.md", "toml")), encoding="utf-8")
    settings = read_settings(config=config, dotenv=None)
    assert settings.tenants[0].oncall.discord_role == "345678901234567890"
    assert settings.only_tenant == "acme"  # the runbooks that were indexed before are its
