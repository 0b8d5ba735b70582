"""What the commands of the evaluation share."""

import pytest
import typer

from eval.run import Told
from eval.running import INTERRUPTED, finished, interruptible


async def _interrupted(told: Told) -> None:
    raise KeyboardInterrupt


async def _done(told: Told) -> int:
    told("working", 1, 1)
    return 7


def test_what_the_work_gives_is_returned() -> None:
    assert finished(_done, "Nothing was written.") == 7


def test_who_interrupts_is_told_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        finished(_interrupted, "Nothing was written.")
    assert ended.value.exit_code == INTERRUPTED
    assert capsys.readouterr().err == "Interrupted. Nothing was written.\n"


def test_what_is_kept_is_asked_for_when_it_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    kept: list[str] = []

    def work() -> None:
        with interruptible(lambda: " ".join(kept)):
            kept.append("One question is kept.")
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit):
        work()
    assert capsys.readouterr().err == "Interrupted. One question is kept.\n"


def test_nothing_more_is_said_where_nothing_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), interruptible(str):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "Interrupted.\n"
