"""How long people wait in the chats: the real clients and the real core over fakes on loopback.

    python -m tests.bench_chat [--corpus DIR] [--data DIR] [--questions FILE] [--out FILE]

Times are milliseconds as the platform sees them: from its sending an event to its receiving the
acknowledgement, or the card. Everything shares one process and its event loop, so a figure holds
the platform's own work too.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from bots.app import App, open_app
from bots.discord_bot.bot import COMMANDS_FILE, NightlampBot
from bots.slack_bot.bot import Patience, SlackChannel
from core.reports import IndexOptions
from core.settings import Settings, with_values
from corpus.data_folder import DataFolder
from eval.machine import machine
from tests.e2e import slack_payloads as payloads
from tests.e2e.fake_discord import ANN, GUILD, TOKEN, FakeDiscord, fake_discord
from tests.e2e.fake_slack import FakeSlack
from tests.scripted_llm import ScriptedLlm
from tests.waiting import PATIENT

QUESTIONS = Path("eval") / "questions.jsonl"
ASKED, AT_ONCE, DURING = 40, 50, 20
CHANNEL = "C0OPS"
_PAUSE = 0.05
"""Seconds between questions, with and without a model: the caches are as cold for both."""

Json = dict[str, Any]
Once = Callable[[str], Awaitable[tuple[float, float]]]
Idle = Callable[[], Awaitable[None]]


async def bench(
    corpus: Sequence[Path], data: Path, questions: Sequence[str], extra: Json | None = None
) -> Json:
    """Measure both platforms, one after the other, and return the figures.

    `extra` are settings on top of those that the fakes need.
    """
    found: Json = {
        "kind": "chat",
        "machine": machine(),
        "questions": len(questions),
    }
    async with _discord(corpus, data, extra or {}) as (app, fake):
        found["documents"] = len(await app.library.index.documents())
        found["passages"] = app.library.index.info.passages if app.library.index.info else 0
        found["discord"] = await _measured(_on_discord(fake), questions)
    async with _slack(corpus, data, extra or {}) as (app, slack, _):
        found["slack"] = await _measured(_on_slack(slack), questions)
        found["slack_while_a_build_runs"] = await _while_building(app, slack, questions)
    found["written"] = await _with_a_model(corpus, data, questions, extra or {})
    return found


async def _measured(once: Once, questions: Sequence[str]) -> Json:
    """Ask one after the other, then many at once."""
    for text in questions[:3]:
        await once(text)  # the model and the caches are warm from here on
    apart = [await once(text) for text in questions]
    begun = time.perf_counter()
    crowd = [questions[number % len(questions)] for number in range(AT_ONCE)]
    together = await asyncio.gather(*(once(text) for text in crowd))
    return {
        "acknowledged_ms": _spread([acknowledged for acknowledged, _ in apart]),
        "answered_ms": _spread([answered for _, answered in apart]),
        "at_once": {
            "asked": len(crowd),
            "answered": len(together),
            "seconds": round(time.perf_counter() - begun, 3),
            "answered_ms": _spread([answered for _, answered in together]),
        },
    }


async def _with_a_model(
    corpus: Sequence[Path], data: Path, questions: Sequence[str], extra: Json
) -> Json:
    """Measure until the card stands, without a language model and with one that writes at once.

    Each is measured before and after the other, so that a machine that slows down favours neither.
    """
    times: dict[str, list[float]] = {"without_ms": [], "with_ms": []}
    async with ScriptedLlm().running() as server:
        model = {"base_url": server.base_url, "model": "scripted", "answers_per_day": 10_000}
        for name in ("without_ms", "with_ms", "with_ms", "without_ms"):
            more = {"llm": model} if name == "with_ms" else {}
            async with _slack(corpus, data, {**extra, **more}) as (_, slack, idle):
                times[name] += await _one_by_one(_on_slack(slack), idle, questions)
        asked = len(server.requests)
    return {name: _spread(ms) for name, ms in times.items()} | {"asked_of_the_model": asked}


async def _one_by_one(once: Once, idle: Idle, questions: Sequence[str]) -> list[float]:
    """Return how long each card took, with all that is written over before the next question."""
    times = []
    for text in (*questions[:3], *questions):
        times.append((await once(text))[1])
        await idle()
        await asyncio.sleep(_PAUSE)
    return times[3:]


async def _while_building(app: App, slack: FakeSlack, questions: Sequence[str]) -> Json:
    """Ask while everything is embedded anew, which is then broken off."""
    once = _on_slack(slack)
    building = asyncio.create_task(app.library.indexer.run(IndexOptions(rebuild=True)))
    await asyncio.sleep(1.0)
    asked = [await once(questions[number % len(questions)]) for number in range(DURING)]
    still = not building.done()
    building.cancel()
    with suppress(asyncio.CancelledError):
        await building
    return {
        "still_building_at_the_end": still,
        "acknowledged_ms": _spread([acknowledged for acknowledged, _ in asked]),
        "answered_ms": _spread([answered for _, answered in asked]),
    }


def _spread(times: Sequence[float]) -> Json:
    ordered = sorted(times)
    return {
        "p50": round(statistics.median(ordered), 1),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 1),
        "max": round(ordered[-1], 1),
    }


# --- Discord ------------------------------------------------------------------------------------


@asynccontextmanager
async def _discord(
    corpus: Sequence[Path], data: Path, extra: Json
) -> AsyncIterator[tuple[App, FakeDiscord]]:
    tenant = {"name": "default", "discord_guilds": [str(GUILD)]}
    settings = _settings({"tenants": [tenant], "discord": {"token": TOKEN}, **extra})
    async with AsyncExitStack() as stack:
        fake = await stack.enter_async_context(fake_discord())
        app = await stack.enter_async_context(_indexed(settings, corpus, data))
        bot = await stack.enter_async_context(NightlampBot(app, guild_ready_timeout=0.1))
        task = asyncio.create_task(bot.start(TOKEN))
        await fake.until(lambda: fake.commands and fake.identified)
        await bot.wait_until_ready()
        yield app, fake
        await bot.close()
        task.cancel()
        await asyncio.wait({task})


def _on_discord(fake: FakeDiscord) -> Once:
    people = iter(range(ANN, ANN + 10_000))

    async def once(text: str) -> tuple[float, float]:
        command = next(one for one in fake.commands if one["name"] == "query")
        given = [{"name": "text", "type": 3, "value": text}]
        data = {"id": command["id"], "name": "query", "type": 1, "options": given}
        sent = time.perf_counter()
        token = await fake.interact(2, data, who=next(people))
        await fake.until(lambda: fake.interactions[token]["response"], PATIENT)
        acknowledged = time.perf_counter() - sent
        await fake.until(lambda: fake.answer(token), PATIENT)
        return acknowledged * 1000, (time.perf_counter() - sent) * 1000

    return once


# --- Slack --------------------------------------------------------------------------------------


@asynccontextmanager
async def _slack(
    corpus: Sequence[Path], data: Path, extra: Json
) -> AsyncIterator[tuple[App, FakeSlack, Idle]]:
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(FakeSlack().running())
        tokens = {
            "bot_token": slack.bot_token,
            "app_token": slack.app_token,
            "api_url": slack.base_url,
        }
        tenant = {"name": "default", "slack_teams": [payloads.TEAM]}
        # Without the cache a build really embeds, and so runs for as long as people ask.
        settings = _settings({"tenants": [tenant], "slack": tokens, **extra})
        settings = with_values(settings, {"embedding.cache": "false"})
        app = await stack.enter_async_context(_indexed(settings, corpus, data))
        # What is saved late is measured too.
        channel = SlackChannel(app, patience=Patience(saving=PATIENT))
        task = asyncio.create_task(channel.run())
        await slack.until(lambda: slack.connected)
        yield app, slack, channel.tasks.idle
        await channel.tasks.idle()
        task.cancel()
        await asyncio.wait({task})


def _on_slack(slack: FakeSlack) -> Once:
    people = iter(range(10_000))

    async def once(text: str) -> tuple[float, float]:
        said = payloads.mention(text, f"U{next(people):05d}", CHANNEL)
        sent = time.perf_counter()
        name = await slack.send("events_api", payloads.event(said))
        await slack.until(lambda: name in slack.acks, PATIENT)
        acknowledged = time.perf_counter() - sent
        await slack.until(lambda: _answer_to(slack, said["ts"]), PATIENT)
        return acknowledged * 1000, (time.perf_counter() - sent) * 1000

    return once


def _answer_to(slack: FakeSlack, ts: str) -> bool:
    """Return whether a card stands in the thread of what was said."""
    return any(one.get("thread_ts") == ts for one in slack.messages[CHANNEL].values())


# --- both ---------------------------------------------------------------------------------------


def _settings(values: Json) -> Settings:
    many = {"per_person": 100_000, "per_channel": 100_000}
    places = [{"platform": "slack", "id": CHANNEL, "answers": "thread"}]
    return Settings.model_validate({"limits": many, "channels": places, **values})


@asynccontextmanager
async def _indexed(settings: Settings, corpus: Sequence[Path], data: Path) -> AsyncIterator[App]:
    async with open_app(settings, data, sources=corpus or None) as app:
        await app.library.indexer.run(IndexOptions())
        yield app


def questions_of(path: Path, count: int) -> list[str]:
    """Return the first questions of a file that the runbooks can answer."""
    lines = path.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    asked = list(dict.fromkeys(one["question"] for one in records if one["relevant"]))
    return asked[:count]


def fresh(data: Path) -> Path:
    """Return a folder below the data folder, with what earlier measurements indexed, no more."""
    place = DataFolder(data).eval / "chat"
    for name in ("journal.db", "journal.db-wal", "journal.db-shm", COMMANDS_FILE):
        (place / name).unlink(missing_ok=True)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def main() -> None:
    """Measure, print, and write the figures where asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_chat")
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--out", type=Path)
    typed = parser.parse_args()
    asked = questions_of(typed.questions, ASKED)
    with tempfile.TemporaryDirectory() as folder:
        data = fresh(typed.data) if typed.data else Path(folder) / "data"
        found = asyncio.run(bench(typed.corpus, data, asked))
    text = json.dumps(found, indent=1, sort_keys=True)
    print(text)  # noqa: T201 - what was asked for
    if typed.out:
        typed.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
