"""A model that really hallucinates, behind a real server: nothing ungrounded may be shown.

It is far too small to answer well, which is what makes it good for this: what counts is what does
not reach the chat.
"""

import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest

from core.engines.writing import OpenAIWriter
from core.guard import Source, guarded
from core.prompting import answer_prompt
from core.settings_groups import LlmSettings
from core.written import Prompt, WritingOutcome
from tests.e2e.llama import MODEL, REQUIRED, CannotRun, llama_server
from tests.e2e.slack_driver import open_slack
from tests.e2e.world import ANN, OPS, World
from tests.waiting import PATIENT

LABEL = f"Written by a language model ({MODEL})"
CODE = re.compile(r"```\w*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
CITATION = re.compile(r"\[(\d+)\]")
QUESTIONS = ("undo the last release of the pod that crashes", "PostgresReplicaDown")
SECTIONS = (
    Source(
        1,
        "## Roll back\n\nUndo the last release of the pod that crashes:\n\n"
        "```sh\nkubectl rollout undo deploy/api\n```",
        "Pod keeps crashing › Roll back",
    ),
    Source(2, "## Meaning\n\nA pod in `CrashLoopBackOff` crashes again.", "Pod keeps crashing"),
)


@pytest.fixture
async def base_url(capsys: pytest.CaptureFixture[str]) -> AsyncIterator[str]:
    """The server's address; empty where it cannot run, which is said, and fails where told to."""
    async with AsyncExitStack() as running:
        address, reason = "", ""
        try:
            address = await running.enter_async_context(llama_server())
        except CannotRun as error:
            reason = str(error)
        if reason and REQUIRED:
            pytest.fail(f"The language model is required here: {reason}")
        if reason:
            with capsys.disabled():
                sys.stderr.write(f"\nNot tested with a real language model: {reason}\n")
        yield address


async def test_a_real_server_is_spoken_to_in_every_way_that_is_used(base_url: str) -> None:
    if not base_url:
        return
    settings = LlmSettings.model_validate(
        {"base_url": base_url, "model": MODEL, "api_key": "sk-local"}
    )
    writer, other = OpenAIWriter(settings), OpenAIWriter(settings.model_copy(update={"model": "x"}))
    assert await writer.health() == ""
    assert "does not list the model x" in await other.health()
    written = await writer.write(Prompt("p", "Reply with one word.", "Hello", 60), seconds=PATIENT)
    assert written.text
    assert written.tokens_in
    assert written.tokens_out
    await writer.aclose()
    await other.aclose()


async def test_nothing_ungrounded_that_a_small_model_writes_is_shown(
    base_url: str, folder: Path, indexed_world: World
) -> None:
    if not base_url:
        return
    llm = {
        "base_url": base_url,
        "model": MODEL,
        "api_key": "sk-local",
        "deadline": PATIENT,
        "max_tokens": 250,
        "context_chars": 2500,
    }
    world = replace(World.at(folder, like=indexed_world), llm=llm)
    pages = "\n".join(
        path.read_text(encoding="utf-8") for path in (folder / "pages" / "acme").rglob("*.md")
    )
    async with open_slack(world) as chat:
        for question in QUESTIONS:
            world.clock.advance(timedelta(minutes=16))
            shown = await chat.ask(ANN, question)
            (now,) = [o for o in await chat.messages(OPS) if o.exchange_id == shown.exchange_id]
            kept = await chat.app.journal.writing(shown.exchange_id)
            assert kept is not None, question
            assert kept.outcome is not WritingOutcome.STARTED, question
            written = now.text.partition(LABEL)[2]
            assert bool(written) is (kept.outcome is WritingOutcome.SHOWN), question
            sources = set(re.findall(r"• \[(\d+)\]", written))
            assert set(CITATION.findall(written)) <= sources, question
            for fence, inline in CODE.findall(written):
                for line in (fence or inline).strip().splitlines():
                    assert line.strip() in pages, (question, line)
            assert now.pings == ()
        spent = await chat.app.journal.last_writings(20)
        asked = [one for one in spent if one.tokens_in or one.outcome is WritingOutcome.FAILED]
        assert len(asked) == len(QUESTIONS)


async def test_what_a_small_model_makes_up_does_not_pass_the_guard(base_url: str) -> None:
    """Asked past the client, which takes no text that is cut off: the guard is to see it all."""
    if not base_url:
        return
    known = "\n".join(one.text for one in SECTIONS)
    for seed, question in enumerate(
        ("how do I undo the last release", "what does it mean", "list every command", "pod crashes")
    ):
        prompt = answer_prompt(question, SECTIONS, "f00dbeef", 150)
        said = await completed(base_url, prompt, seed)
        found = guarded(said, SECTIONS, instructions=prompt.instructions)
        assert said
        assert set(found.citations) <= {1, 2}
        for fence, inline in CODE.findall(found.text):
            for line in (fence or inline).strip().splitlines():
                assert line.strip() in known, (question, line)
        for sentence in found.kept:
            assert sentence.citations, sentence


async def completed(base_url: str, prompt: Prompt, seed: int) -> str:
    """Return what the model writes, up to where it is cut off."""
    body = {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": prompt.content},
        ],
        "max_tokens": prompt.max_tokens,
        "temperature": 0.8,
        "seed": seed,
    }
    headers = {"Authorization": "Bearer sk-local"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{base_url}/chat/completions", json=body) as answer,
    ):
        whole = await answer.json()
    return str(whole["choices"][0]["message"]["content"])
