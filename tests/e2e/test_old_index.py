"""What cannot be brought up to date: the index there is answers, and says that it is old."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bots.cli import main

pytestmark = pytest.mark.slow

Run = Callable[..., tuple[int, str, str]]
OLD = "The index is not up to date, and answers as it is. The folder"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Two folders that are indexed, and the command line over them."""
    for name in [name for name in os.environ if name.startswith("NIGHTLAMP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "hashing")
    monkeypatch.chdir(tmp_path)
    configure("disk", "login")
    for name, text in (
        ("disk", "# Disk full\n\nRemove old logs from the volume.\n"),
        ("login", "# Login fails\n\nRenew the token of the identity provider.\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text(text)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nightlamp", *arguments])
        with pytest.raises(SystemExit) as leaving:
            main()
        printed = capsys.readouterr()
        return int(leaving.value.code or 0), printed.out, printed.err

    assert run("index")[0] == 0
    return run


def configure(*names: str) -> None:
    told = (f'[[sources]]\nname = "{name}"\npath = "{name}"\n' for name in names)
    Path("nightlamp.toml").write_text("\n".join(told))


def another_splitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTLAMP_SPLITTER_PASSAGE_CHARS", "500")


def test_the_old_index_answers_while_a_folder_is_away_that_must_be_built_anew(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    another_splitter(monkeypatch)
    Path("login").rename("elsewhere")
    code, out, err = run("ask", "remove old logs from the volume")
    assert (code, "Remove old logs from the volume." in out) == (0, True)
    assert OLD in err
    code, _, err = run("index")
    assert (code, "does not exist" in err) == (3, True)
    Path("elsewhere").rename("login")
    code, _, err = run("ask", "renew the token of the identity provider")
    assert (code, OLD in err) == (0, False)


def test_an_index_of_other_runbooks_never_answers(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    another_splitter(monkeypatch)
    configure("login")
    Path("login").rename("elsewhere")
    code, out, err = run("ask", "remove old logs from the volume")
    assert (code, out, "does not exist" in err) == (3, "", True)


def test_where_nothing_is_indexed_the_reason_is_all_there_is(run: Run) -> None:
    Path("login").rename("elsewhere")
    configure("login")
    code, out, err = run("--data", "empty", "ask", "remove old logs from the volume")
    assert (code, out, "does not exist" in err) == (3, "", True)


def test_an_index_that_lacks_a_new_source_answers_while_that_cannot_be_added(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure("disk", "login", "more")
    another_splitter(monkeypatch)
    code, out, err = run("ask", "remove old logs from the volume")
    assert (code, "Remove old logs from the volume." in out, OLD in err) == (0, True, True)
