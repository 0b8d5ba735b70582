"""Written answers in the terminal, and what `status` and `doctor` say of the language model."""

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bots.cli import main
from tests.scripted_llm import ScriptedLlm
from tests.waiting import PATIENT

PAGE = (
    "# Payments\n\n## Roll back the payments release\n\nUndo the release:\n\n"
    "```sh\nkubectl rollout undo deploy/pay\n```\n"
)
GOOD = "Undo the release with `kubectl rollout undo deploy/pay` [1]. Delete all pods too [1]."
QUESTION = "roll back the payments release"
DAY = 86_400

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """A scripted server on a loop of its own: the program under test has this thread."""
    scripted, ready, loop = ScriptedLlm(), threading.Event(), asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serve() -> None:
        async with scripted.running():
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(PATIENT)
    yield scripted
    loop.call_soon_threadsafe(ended.set)
    thread.join()
    loop.close()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ScriptedLlm) -> None:
    for name in [name for name in os.environ if name.startswith("NIGHTLAMP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "hashing")
    monkeypatch.setenv("NIGHTLAMP_LLM_BASE_URL", server.base_url)
    monkeypatch.setenv("NIGHTLAMP_LLM_MODEL", "scripted")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "pay.md").write_text(PAGE, encoding="utf-8")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nightlamp", "--corpus", "pages", *arguments])
        with pytest.raises(SystemExit) as leaving:
            main()
        printed = capsys.readouterr()
        return int(leaving.value.code or 0), printed.out, printed.err

    return run


def test_the_section_comes_first_and_then_what_was_written(run: Run, server: ScriptedLlm) -> None:
    server.answer = GOOD
    code, out, _ = run("ask", QUESTION)
    above, label, below = out.partition("Written by a language model (scripted)")
    assert code == 0
    assert "```sh\nkubectl rollout undo deploy/pay\n```" in above
    assert label
    assert "Undo the release with `kubectl rollout undo deploy/pay` [1]." in below
    assert "Delete all pods" not in out
    assert "- [1] Payments › Roll back the payments release (" in below
    assert "/pages/pay.md:3)" in below


def test_json_has_it_as_an_object(run: Run, server: ScriptedLlm) -> None:
    server.answer = GOOD
    code, out, _ = run("ask", QUESTION, "--json")
    answer = json.loads(out)
    written = answer["written"]
    (part,) = answer["results"][0]["parts"]
    assert code == 0
    assert written["text"] == GOOD.partition(" Delete")[0]
    assert [one["section_id"] for one in written["citations"]] == [part["section_id"]]
    assert (written["model"], written["prompt"], written["tokens"]) == (
        "scripted",
        "answer.v1",
        120,
    )


def test_a_model_that_fails_is_nothing_to_be_seen(run: Run, server: ScriptedLlm) -> None:
    server.fault = "500"
    code, out, _ = run("ask", QUESTION)
    assert code == 0
    assert "kubectl rollout undo deploy/pay" in out
    assert "language model" not in out
    assert json.loads(run("ask", QUESTION, "--json")[1])["written"] is None


def test_status_says_what_was_spent_today_and_when_the_model_is_left_alone(
    run: Run, server: ScriptedLlm
) -> None:
    wait_for_midnight_to_pass()
    server.answer = GOOD
    run("ask", QUESTION)
    written = json.loads(run("status", "--json")[1])["written"]
    assert (written["model"], written["today"]["answers"], written["today"]["tokens_in"]) == (
        "scripted",
        1,
        100,
    )
    assert written["paused_until"] is None
    server.fault = "500"
    for _ in range(3):
        run("ask", QUESTION)
    out = run("status")[1]
    assert "4 of 500 asked for, 1 shown, 3 failed" in out
    assert "after 3 failures" in out


def wait_for_midnight_to_pass() -> None:
    """Wait where a day (UTC) is about to end: what was spent is counted by days."""
    while DAY - time.time() % DAY < PATIENT:
        time.sleep(1)


@pytest.mark.parametrize(
    ("fault", "says"), [("", "scripted at http://127.0.0.1:"), ("401", "NIGHTLAMP_LLM_API_KEY")]
)
def test_doctor_asks_the_server_for_its_models(
    run: Run, server: ScriptedLlm, fault: str, says: str
) -> None:
    server.fault = fault
    out = run("doctor")[1]
    (line,) = [line for line in out.splitlines() if "language model" in line]
    assert says in out
    assert line.strip().startswith("problem" if fault else "ok")


def test_doctor_names_the_setting_that_is_missing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NIGHTLAMP_LLM_MODEL")
    assert "set NIGHTLAMP_LLM_MODEL too" in run("doctor")[1]
