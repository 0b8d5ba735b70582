"""What a process that is started here is given: no token of ours, no code of the current folder."""

import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from core.child_environment import importing_us, without_ours
from core.engines.onnx_folder import OnnxFolder
from core.errors import BuildFailed, EmbedderMissing
from core.settings import Settings
from core.settings_groups import EmbeddingSettings, SplitterSettings
from corpus.child_process import ChildProcess
from corpus.git_command import Git
from eval.measuring import Job, MeasurementFailed, apart
from tests.tiny_onnx import tiny_model

ROOT = Path(__file__).parents[2]
KEPT = {
    "HF_HOME": "/somewhere",
    "HF_TOKEN": "of-the-hub",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "SSL_CERT_FILE": "/somewhere.pem",
}
TOKENS = ("NIGHTLAMP_DISCORD_TOKEN", "NIGHTLAMP_QDRANT_API_KEY", "nightlamp_slack_bot_token")


def test_our_settings_are_left_out_however_they_are_written() -> None:
    given = {"NIGHTLAMP_LOG": "debug", "nightlamp_llm_api_key": "k", "NIGHTLAMPS": "2"}
    assert without_ours({**given, "HOME": "/home/ada"}) == {"NIGHTLAMPS": "2", "HOME": "/home/ada"}


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, f"{ROOT}"), ({"PYTHONPATH": ""}, f"{ROOT}"), ({"PYTHONPATH": "/x"}, f"{ROOT}:/x")],
)
def test_these_packages_come_before_what_is_imported_already(
    before: dict[str, str], after: str
) -> None:
    assert importing_us({"HOME": "/home/ada", **before}) == {
        "HOME": "/home/ada",
        "PYTHONPATH": after,
    }


async def build(scratch: Path, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = EmbeddingSettings(model="hashing"), SplitterSettings()
    with pytest.raises(BuildFailed):
        await ChildProcess(*settings, scratch, [str(script)]).run({}, [], lambda *_: None)


async def export(scratch: Path, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(script))
    await OnnxFolder(scratch / "models", tiny_model(scratch / "model")).make()


async def measure(scratch: Path, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("any", 1, Settings(_env_file=None), scratch, scratch)  # type: ignore[call-arg]
    with pytest.raises(MeasurementFailed):
        await apart(job, command=[str(script)])


async def fetch(scratch: Path, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.symlink(script, scratch / "git")
    monkeypatch.setenv("PATH", str(scratch), prepend=os.pathsep)
    Git(scratch / "a.git", 10.0).run(("fetch",))


@pytest.mark.parametrize("start", [build, export, measure, fetch])
async def test_no_process_is_given_a_token_and_each_keeps_what_leads_to_the_network(
    start: Callable[[Path, Path, pytest.MonkeyPatch], Awaitable[None]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in TOKENS:
        monkeypatch.setenv(name, "not-for-you")
    for name, value in KEPT.items():
        monkeypatch.setenv(name, value)
    seen, script = tmp_path / "seen", tmp_path / "script"
    script.write_text(f"#!/bin/sh\nenv >> {shlex.quote(str(seen))}\n")
    script.chmod(0o700)
    await start(tmp_path, script, monkeypatch)
    given = seen.read_text().splitlines()
    assert [line for line in given if "not-for-you" in line] == []
    expected = {**KEPT, "HOME": os.environ["HOME"]}
    assert {f"{name}={value}" for name, value in expected.items()} <= {*given}


async def test_an_export_runs_nothing_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runbooks, ours = tmp_path / "runbooks", tmp_path / "ours"
    for folder, module, said in ((runbooks, "json", "theirs ran"), (ours, "torch", "ours ran")):
        folder.mkdir()
        (folder / f"{module}.py").write_text(f"raise SystemExit({said!r})\n")
    monkeypatch.chdir(runbooks)
    monkeypatch.setenv("PYTHONPATH", str(ours))  # so that no torch has to be waited for
    with pytest.raises(EmbedderMissing, match=r"^The export failed: ours ran$"):
        await OnnxFolder(tmp_path / "models", tiny_model(tmp_path / "model")).make()
