"""The process that works for another one: what it starts ends with it, whoever ends first."""

import asyncio
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.engines.onnx_folder import OnnxFolder
from core.errors import BuildFailed, EmbedderMissing
from core.settings_groups import EmbeddingSettings, SplitterSettings
from corpus.child_process import ChildProcess
from tests.scripted_child import LIVED_ON, OUTLIVING, ROOT, command
from tests.tiny_onnx import tiny_model

ORDER = {"place": None, "total": 0}


def nothing(phase: str, done: int, total: int) -> None:
    """Take no notice of how far the child is."""


def child(data: Path, *program: str) -> ChildProcess:
    return ChildProcess(EmbeddingSettings(model="hashing"), SplitterSettings(), data, program)


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """Return a pipe: read to its end, all who held it are gone."""
    pipe = tmp_path / "told"
    os.mkfifo(pipe)
    return pipe


async def test_a_cancelled_run_ends_what_its_process_started_and_waits_for_none_of_it(
    tmp_path: Path, told: Path
) -> None:
    # What it starts holds the output on which the process is listened to.
    word = '{"phase": "cutting", "done": 1, "total": 2}'
    program = ("sh", "-c", f"echo '{word}'; ({OUTLIVING}) 2> {told} & wait")
    heard = asyncio.Event()
    running = asyncio.create_task(child(tmp_path, *program).run(ORDER, [], lambda *_: heard.set()))
    with await asyncio.to_thread(told.open) as pipe:
        assert await asyncio.to_thread(pipe.readline) == "begun\n"
        await heard.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await asyncio.to_thread(pipe.read) == ""


async def test_a_process_that_ends_by_itself_leaves_nothing_that_it_started(
    tmp_path: Path, told: Path
) -> None:
    program = ("sh", "-c", f"exec 2> {told}; ({OUTLIVING}) > /dev/null & read order; exit 3")
    running = asyncio.create_task(child(tmp_path, *program).run(ORDER, [], nothing))
    said = await asyncio.to_thread(told.read_text)
    with pytest.raises(BuildFailed, match="ended with code 3 before it was done"):
        await running
    assert LIVED_ON not in said


def told_until_the_parent_ends(program: Sequence[str], data: Path) -> str:
    """Return what is told of a child in whose midst the parent's end of its input is closed."""
    order = {
        "data": str(data),
        "documents": 0,
        "embedding": {"model": "hashing"},
        "place": None,
        "splitter": {},
    }
    with subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    ) as running:
        assert running.stdin is not None
        assert running.stderr is not None
        running.stdin.write(json.dumps(order) + "\n")
        running.stdin.flush()
        begun = running.stderr.readline()
        running.stdin.close()
        return begun + running.stderr.read()


@pytest.mark.slow
def test_a_process_whose_parent_ended_ends_what_it_started(tmp_path: Path) -> None:
    assert told_until_the_parent_ends(command("opening", "start"), tmp_path) == "begun\n"


@pytest.mark.slow
def test_a_process_that_somebody_starts_in_a_shell_ends_alone(tmp_path: Path) -> None:
    shell = ("sh", "-c", f"{shlex.join(command('opening'))}; echo ended with $? >&2")
    assert told_until_the_parent_ends(shell, tmp_path) == "at opening\nended with 4\n"


@pytest.mark.parametrize("program", ["missing", "folder"])
async def test_a_process_that_cannot_be_started_is_a_sentence(tmp_path: Path, program: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(BuildFailed, match=r"cannot be started \(.+\)"):
        await child(tmp_path, str(tmp_path / program)).run(ORDER, [], nothing)


async def test_an_export_that_cannot_be_started_is_a_sentence_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = OnnxFolder(tmp_path / "models", tiny_model(tmp_path / "model"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    with pytest.raises(EmbedderMissing, match=r"^The export cannot be started \(No such file"):
        await folder.make()
