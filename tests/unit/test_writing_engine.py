"""The language model's client against a server that fails in every way there is."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from core.engines.writing import OpenAIWriter
from core.errors import WriterError
from core.settings_groups import LlmSettings
from core.written import Prompt
from tests.scripted_llm import FAULTS, ScriptedLlm

PROMPT = Prompt("answer.v1", "Be brief.", "A section.", 50)
COMPLETION = "max_completion_tokens"
DEADLINE = 0.6
"""Seconds: a quarter of a second more is the most that a fault may take."""
DEADLINES = (DEADLINE, 6.0, 20.0)
"""Seconds: a longer deadline is for a machine that has too much to do to get so far within one."""
PATIENCE = 20.0
"""Seconds that nothing takes that is to succeed."""
REASONS = {
    "429": "rate",
    "429 long": "rate",
    "401": "key",
    "403": "key",
    "404": "model",
    "500": "server",
    "503 html": "server",
    "200 html": "unfinished",
    "bad json": "unfinished",
    "no choices": "unfinished",
    "error in 200": "unfinished",
    "null content": "empty",
    "empty": "empty",
    "reasoning only": "empty",
    "length": "unfinished length",
    "slow": "deadline",
    "stall": "deadline",
    "trickle": "deadline",
    "error event": "server",
    "cut": "unreachable",
    "no end": "unfinished",
    "garbage events": "garbled",
    "redirect": "redirect",
    "endless line": "too_large",
    "endless text": "too_large",
    "too long": "too_long",
}


@pytest.fixture
async def server() -> AsyncIterator[ScriptedLlm]:
    async with ScriptedLlm().running() as running:
        yield running


def settings(server: ScriptedLlm, **more: Any) -> LlmSettings:
    return LlmSettings.model_validate(
        {"base_url": server.base_url, "model": "scripted", "deadline": PATIENCE, **more}
    )


async def write(server: ScriptedLlm, *, seconds: float = PATIENCE, **more: Any) -> Any:
    writer = OpenAIWriter(settings(server, **more))
    try:
        return await writer.write(PROMPT, seconds=seconds)
    finally:
        await writer.aclose()


async def failed(fault: str, seconds: float) -> tuple[str, int]:
    """Return the reason of the error, and how often the server was asked."""
    async with ScriptedLlm().running() as server:
        server.fault = fault
        server.answer = "word " * 40
        with pytest.raises(WriterError) as error:
            await write(server, seconds=seconds, deadline=seconds)
        return error.value.reason, len(server.requests)


def test_every_fault_has_its_word() -> None:
    assert REASONS.keys() == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_one_error_and_asked_once(fault: str) -> None:
    expected = (REASONS[fault], 1)
    for seconds in DEADLINES:
        found = await failed(fault, seconds)
        if found == expected:
            break
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_no_fault_passes_the_deadline_by_a_quarter_of_a_second(
    server: ScriptedLlm, fault: str
) -> None:
    """Counted from when a timer beside it rings, which a busy machine delays just as much."""
    server.fault = fault
    server.answer = "word " * 40
    loop = asyncio.get_running_loop()
    rung = 0.0

    def ring() -> None:
        nonlocal rung
        rung = loop.time()

    writer = OpenAIWriter(settings(server, deadline=DEADLINE))
    late = []
    for _ in range(5):
        timer = loop.call_later(DEADLINE, ring)
        rung = 0.0
        with pytest.raises(WriterError):
            await writer.write(PROMPT, seconds=DEADLINE)
        timer.cancel()
        late.append(loop.time() - rung if rung else 0.0)
        if late[-1] < 0.25:
            break
    await writer.aclose()
    assert min(late) < 0.25


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    gone = ScriptedLlm()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        gone.base_url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        with pytest.raises(WriterError, match="unreachable"):
            await write(gone)


async def test_an_answer_comes_whole_with_its_tokens(server: ScriptedLlm) -> None:
    server.answer = "Undo the last deploy with `kubectl rollout undo deploy/api` [1].\n"
    written = await write(server)
    assert written.text == server.answer.strip()
    assert (written.tokens_in, written.tokens_out) == (100, 20)
    assert written.ms > 0


async def test_what_is_sent_is_plain(server: ScriptedLlm) -> None:
    await write(server, temperature="none", token_parameter=COMPLETION)
    assert server.requests == [
        {
            "model": "scripted",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "A section."},
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_completion_tokens": 50,
        }
    ]


@pytest.mark.parametrize("name", ["stream_options", "temperature"])
async def test_an_optional_parameter_that_is_refused_is_left_out_from_then_on(
    server: ScriptedLlm, name: str
) -> None:
    server.refuses = {name}
    writer = OpenAIWriter(settings(server))
    for _ in range(2):
        assert (await writer.write(PROMPT, seconds=PATIENCE)).text == server.answer
    await writer.aclose()
    assert [name in body for body in server.requests] == [True, False, False]


async def test_thoughts_are_never_shown(server: ScriptedLlm) -> None:
    server.answer = "<think>Delete it all. [1]</think>\nUndo the deploy [1]."
    assert (await write(server)).text == "Undo the deploy [1]."


async def test_an_answer_that_is_all_thought_is_none(server: ScriptedLlm) -> None:
    server.answer = "<think>Delete it all. [1]"
    with pytest.raises(WriterError, match="empty"):
        await write(server)


async def test_a_complete_answer_does_not_wait_for_a_server_that_forgets_to_end(
    server: ScriptedLlm,
) -> None:
    server.ends = False
    written = await write(server, deadline=20)
    assert (written.text, written.tokens_out) == (server.answer, 20)


async def test_nothing_of_the_environment_is_sent(
    server: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "of-another-host")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: of-another-host")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    await write(server)
    (headers,) = server.headers
    assert "of-another-host" not in str(headers)
    assert headers["Authorization"] == "Bearer none"


async def test_the_key_is_sent_and_never_printed(server: ScriptedLlm) -> None:
    writer = OpenAIWriter(settings(server, api_key="hush"))
    await writer.write(PROMPT, seconds=PATIENCE)
    await writer.aclose()
    assert server.headers[0]["Authorization"] == "Bearer hush"
    assert "hush" not in repr(writer)


async def test_no_log_has_the_prompt_or_the_key(
    server: ScriptedLlm, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    writer = OpenAIWriter(settings(server, api_key="hush-hush"))
    caplog.set_level("DEBUG", logger="core")
    server.fault = "429"
    with pytest.raises(WriterError) as error:
        await writer.write(replace(PROMPT, content="a-private-question"), seconds=PATIENCE)
    await writer.aclose()
    logged = f"{caplog.text} {error.value}"
    assert "a-private-question" not in logged
    assert "hush-hush" not in logged


async def test_a_request_that_nobody_waits_for_any_more_is_cancelled(server: ScriptedLlm) -> None:
    server.hold = asyncio.Event()
    writer = OpenAIWriter(settings(server))
    asked = asyncio.create_task(writer.write(PROMPT, seconds=30.0))
    await server.asked.wait()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await writer.aclose()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("", ""),
        ("401", "NIGHTLAMP_LLM_API_KEY"),
        ("404", "ends with /v1"),
        ("redirect", "another address"),
        ("200 html", "NIGHTLAMP_LLM_BASE_URL"),
        ("500", "server"),
    ],
)
async def test_health_says_what_to_do(server: ScriptedLlm, fault: str, says: str) -> None:
    server.fault = fault
    writer = OpenAIWriter(settings(server))
    wrong = await writer.health()
    await writer.aclose()
    assert says in wrong
    assert bool(wrong) is bool(fault)


async def test_health_knows_a_model_that_is_not_listed(server: ScriptedLlm) -> None:
    server.models = ["another", "scripted:latest"]
    writer, other = OpenAIWriter(settings(server)), OpenAIWriter(settings(server, model="lost"))
    assert await writer.health() == ""
    assert "does not list the model lost" in await other.health()
    await writer.aclose()
    await other.aclose()
