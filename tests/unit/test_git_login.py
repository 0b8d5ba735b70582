"""Who fetches: a password in a repository's address reaches git, and nobody else's eyes."""

import os
import shutil
from pathlib import Path

import pytest

from core.errors import SourceError
from core.settings_lists import SourceSettings
from corpus.git_command import Git, GitFailed
from corpus.git_login import Login, login_in, without_login
from corpus.git_source import GitSource
from tests.git_repositories import Repository
from tests.git_server import served

_SPY = """#!/bin/sh
for one in "$@"; do printf '%s\\n' "$one" >> "{log}"; done
exec "{git}" "$@"
"""


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file in which every argument of every git is written down, helpers' too."""
    log, place, real = tmp_path / "arguments", tmp_path / "bin", shutil.which("git")
    place.mkdir()
    (place / "git").write_text(_SPY.format(log=log, git=real))
    (place / "git").chmod(0o700)
    monkeypatch.setenv("PATH", str(place), prepend=os.pathsep)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return log


def source(tmp_path: Path, url: str, seconds: float = 60.0) -> GitSource:
    settings = SourceSettings(name="books", git=url)
    return GitSource(settings, tmp_path / "home", file_bytes=100_000, seconds=seconds)


def said(*places: Path) -> str:
    """Return all that stands in files and folders."""
    files = (one for place in places for one in (place, *place.rglob("*")) if one.is_file())
    return "".join(one.read_bytes().decode("utf-8", "replace") for one in files)


async def test_a_password_in_the_address_fetches_and_is_on_no_command_line(
    tmp_path: Path, arguments: Path
) -> None:
    Repository(tmp_path / "all" / "x").commit(disk_md="# Disk\n")
    with served(tmp_path / "all", "bob", "hunter2/é") as address:
        books = source(tmp_path, f"http://bob:hunter2%2F%C3%A9@{address}/x/.git")
        await books.refresh()
    assert books.listing().files == ("disk.md",)
    # What git itself starts, to speak HTTP, is told the address that git is told.
    assert f"http://{address}/x/.git" in said(arguments)
    assert "hunter2" not in said(arguments, tmp_path / "home")


async def test_a_wrong_password_is_refused_without_being_said(
    tmp_path: Path, arguments: Path
) -> None:
    del arguments
    Repository(tmp_path / "all" / "x").commit(disk_md="# Disk\n")
    with (
        served(tmp_path / "all", "bob", "right") as address,
        pytest.raises(SourceError) as raised,
    ):
        await source(tmp_path, f"http://bob:hunter2@{address}/x/.git").refresh()
    assert "hunter2" not in str(raised.value)


def test_a_password_goes_to_its_own_host_alone(tmp_path: Path, arguments: Path) -> None:
    del arguments
    Repository(tmp_path / "all" / "x").commit(disk_md="# Disk\n")
    with served(tmp_path / "all", "bob", "right") as address:
        listed = ("ls-remote", f"http://{address}/x/.git")
        own, other = (Login(host, "bob", "right") for host in (f"http://{address}", "http://x.org"))
        assert Git(tmp_path / "r.git", 60.0, own).run(listed)
        with pytest.raises(GitFailed, match="password"):
            Git(tmp_path / "r.git", 60.0, other).run(listed)


def answering(tmp_path: Path, says: str) -> Path:
    """Return a program that answers what git asks, and writes the question down."""
    program = tmp_path / "answer"
    program.write_text(
        f'#!/bin/sh\necho "$1" >> {tmp_path}/asked\n'
        f'case "$1" in Username*) echo bob;; *) {says};; esac\n'
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch, arguments: Path) -> pytest.MonkeyPatch:
    """Return what names a program for the answers, where none is named yet."""
    del arguments
    for name in ("GIT_ASKPASS", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "GIT_SSH_COMMAND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    return monkeypatch


@pytest.mark.parametrize("name", ["GIT_ASKPASS", "SSH_ASKPASS", "core.askPass"])
async def test_a_program_that_the_user_named_answers_what_git_asks(
    tmp_path: Path, named: pytest.MonkeyPatch, name: str
) -> None:
    Repository(tmp_path / "all" / "x").commit(disk_md="# Disk\n")
    program = answering(tmp_path, 'test -z "$DISPLAY" && echo hunter2')
    if name == "core.askPass":
        (tmp_path / "config").write_text(f"[core]\naskPass = {program}\n")
        named.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    else:
        named.setenv(name, str(program))
    with served(tmp_path / "all", "bob", "hunter2") as address:
        books = source(tmp_path, f"http://{address}/x/.git")
        await books.refresh()
    assert books.listing().files == ("disk.md",)
    assert (tmp_path / "asked").read_text().startswith("Username for")


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("echo hunter3", "Authentication failed"),
        ("exit 1", "it asks for a password"),
        ("read it < /dev/tty; echo $it", "it asks for a password|Authentication failed"),
    ],
)
async def test_a_program_that_does_not_know_is_a_reason_and_no_wait(
    tmp_path: Path, named: pytest.MonkeyPatch, says: str, reason: str
) -> None:
    Repository(tmp_path / "all" / "x").commit(disk_md="# Disk\n")
    named.setenv("GIT_ASKPASS", str(answering(tmp_path, says)))
    with (
        served(tmp_path / "all", "bob", "hunter2") as address,
        pytest.raises(SourceError, match=reason) as raised,
    ):
        await source(tmp_path, f"http://{address}/x/.git").refresh()
    assert "hunter" not in str(raised.value)


async def test_a_program_that_does_not_answer_ends_with_the_time(
    tmp_path: Path, named: pytest.MonkeyPatch
) -> None:
    Repository(tmp_path / "all" / "x").commit(disk_md="# Disk\n")
    named.setenv("GIT_ASKPASS", str(answering(tmp_path, "sleep 600")))
    with (
        served(tmp_path / "all", "bob", "hunter2") as address,
        pytest.raises(SourceError, match=r"longer than 0\.7 seconds \(NIGHTLAMP_LIMITS_GIT"),
    ):
        await source(tmp_path, f"http://{address}/x/.git", seconds=0.7).refresh()


@pytest.mark.parametrize("own", [{}, {"GIT_SSH_COMMAND": "ssh -o IdentitiesOnly=yes"}])
@pytest.mark.parametrize(
    "answers", [{}, {"SSH_ASKPASS": "/x/answer"}, {"GIT_ASKPASS": "/x/answer"}]
)
def test_ssh_asks_no_program(
    tmp_path: Path, named: pytest.MonkeyPatch, answers: dict[str, str], own: dict[str, str]
) -> None:
    """Its questions are not for one: whether to trust a host, it asks until that is answered."""
    ssh, log = tmp_path / "bin" / "ssh", tmp_path / "ssh.log"
    ssh.write_text(
        f'#!/bin/sh\necho "$SSH_ASKPASS_REQUIRE $DISPLAY" > {log}\necho "$@" >> {log}\nexit 1\n'
    )
    ssh.chmod(0o755)
    named.setenv("SSH_ASKPASS_REQUIRE", "force")
    for name, value in (answers | own).items():
        named.setenv(name, value)
    with pytest.raises(GitFailed):
        Git(tmp_path / "r.git", 60.0).run(("ls-remote", "ssh://git@127.0.0.1/x"))
    lines = log.read_text().splitlines()
    assert lines[0] == "never "
    assert ("IdentitiesOnly=yes" if own else "BatchMode=yes") in lines[1]


@pytest.mark.parametrize(
    ("url", "plain", "login"),
    [
        ("https://x.org/a", "https://x.org/a", None),
        ("git@x.org:a/b", "git@x.org:a/b", None),
        ("ssh://git@x.org/a", "ssh://git@x.org/a", None),
        ("https://bob:p%40ss@x.org:8/a", "https://x.org:8/a", ("https://x.org:8", "bob", "p@ss")),
        ("https://token@x.org/a", "https://x.org/a", ("https://x.org", "token", "")),
        ("https://a:p@ss@x.org/a@b", "https://x.org/a@b", ("https://x.org", "a", "p@ss")),
    ],
)
def test_who_fetches_is_taken_out_of_the_address(
    url: str, plain: str, login: tuple[str, str, str] | None
) -> None:
    assert without_login(url) == plain
    assert login_in(url) == (login and Login(*login))
