"""The container's health check: healthy is a bot that answers over its data folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bots.control import Tell, control_open
from bots.healthy import answers, main
from corpus.data_folder import DataFolder


async def told(arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
    return {}


async def test_a_bot_that_answers_is_healthy(tmp_path: Path) -> None:
    async with control_open(DataFolder(tmp_path).control, {"status": told}):
        assert await answers(tmp_path) is True


async def test_a_folder_without_a_bot_is_not(tmp_path: Path) -> None:
    assert await answers(tmp_path) is False


def test_the_program_says_so_in_one_sentence_and_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NIGHTLAMP_DATA", str(tmp_path))
    assert (main(), capsys.readouterr().err) == (1, "No bot answers over this data folder.\n")
