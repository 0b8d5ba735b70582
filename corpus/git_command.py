"""Running git: nothing is asked, nothing is executed that a repository brings, all within a time.

Every command blocks: call it in a thread. Output goes to files and not to pipes, because a process
that git leaves behind (a credential cache) keeps a pipe open for as long as it lives.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from core.child_environment import without_ours
from core.redaction import redact
from corpus.git_login import Login

MOST_BYTES = 300_000_000
"""What one command may print: a million files are listed in 100 MB, and a small repository can be
made whose folders, each in ten others, unfold into billions."""
_KILL_SECONDS = 1.0
_BLOCK = 65_536
"""More than what may be left in the last block of a file on a full disk."""
_LONGEST_REASON, _LONGEST_LINE = 300, 4_000
"""Characters of git's words that are shown, and that are looked through for passwords."""
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{0,20}://"
_USERINFO = re.compile(rf"(?P<scheme>{_SCHEME})(?:[^/?#\s]*|[^/?#\s:]*:[^/\s]*)@")
_QUERY = re.compile(
    rf"(?P<address>{_SCHEME}[^\s?#]{{0,2000}}[?#])\S+?(?=['\"]?[:;,.)]{{0,2}}(?:\s|\Z))"
)
"""What may hold a token, up to the mark with which a sentence goes on."""
_MARKS = re.compile(r"^(?:fatal|error|remote|warning):\s*", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"fatal: could not read from remote repository|please make sure you have the correct access"
    r"|and the repository exists",
    re.IGNORECASE,
)
_ABOUT_A_REPOSITORY = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR",
        "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE", "GIT_TEMPLATE_DIR", "GIT_WORK_TREE",
    }
)  # fmt: skip
_SCREENS = frozenset({"DISPLAY", "WAYLAND_DISPLAY"})
_TALKS = ("GIT_TRACE", "GIT_CURL_VERBOSE")
"""What has git write down what it sends, passwords too."""
_OPTIONS = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "fetch.recurseSubmodules=false",
    "-c", "submodule.recurse=false",
    "-c", "advice.detachedHead=false",
)  # fmt: skip


class GitFailed(Exception):
    """A command of git failed; `str()` is why, in a few words, without any password."""


class GitMissing(GitFailed):
    """There is no git on this machine, or it cannot be run."""


class GitStopped(GitFailed):
    """It did not end in time or printed without end, or was told to end."""


class Git:
    """Runs git on one bare repository until a deadline, after which every command fails.

    `inside` runs it in a folder instead, on the checkout that this lies in. `stop`, from any
    thread, ends what runs and whatever would come.
    """

    def __init__(
        self,
        repository: Path,
        seconds: float,
        login: Login | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        inside: bool = False,
    ) -> None:
        self._where = ("-C", str(repository)) if inside else (f"--git-dir={repository}",)
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._login = login
        self._until = time.monotonic() + seconds
        self._stopped = threading.Event()
        self._environment: dict[str, str] | None = None

    def run(self, arguments: Sequence[str], given: bytes = b"") -> bytes:
        """Return what a command prints, `given` on its standard input.

        Raises:
            GitMissing: there is no git, or it cannot be run, or nothing of it can be kept.
            GitStopped: it did not end in time, or printed too much.
            GitFailed: it failed.
        """
        git = shutil.which("git")
        if git is None:
            raise GitMissing("git is not installed")
        if self._environment is None:
            environment = _environment(os.environ, _own_ssh(git))
            login = self._login.environment(environment) if self._login else {}
            self._environment = environment | login
        # The deadline is ours; this one ends a git that outlives a killed process.
        patience = (
            "-c",
            "http.lowSpeedLimit=1",
            "-c",
            f"http.lowSpeedTime={self._seconds + 5:.0f}",
        )
        command = [git, *self._where, *_OPTIONS, *patience, *arguments]
        try:
            return self._said(command, given)
        except OSError as error:  # of no repository: none is to be fetched anew for it
            reason = error.strerror or type(error).__name__
            raise GitMissing(f"temporary files cannot be written: {reason}") from None

    def stop(self) -> None:
        """End what runs, at once."""
        self._stopped.set()

    def _said(self, command: Sequence[str], given: bytes) -> bytes:
        with (
            tempfile.TemporaryFile() as said,
            tempfile.TemporaryFile() as complained,
            tempfile.TemporaryFile() as asked,
        ):
            asked.write(given)
            asked.seek(0)
            try:
                process = subprocess.Popen(  # noqa: S603
                    command,
                    stdin=asked,
                    stdout=said,
                    stderr=complained,
                    env=self._environment,
                    start_new_session=True,
                )
            except OSError as error:
                raise GitMissing(f"git cannot be run ({error.strerror})") from None
            code = self._ended(process, said.fileno())
            if code:
                _check_room(said)
                complained.seek(0)
                raise GitFailed(reason_in(complained.read().decode("utf-8", "replace"), code))
            said.seek(0)
            return said.read()

    def _ended(self, process: "subprocess.Popen[bytes]", said: int) -> int:
        """Wait for a process to end; end it and all its children where that takes or says too much.

        `said` is the descriptor of what it prints.
        """
        pause = 0.001
        try:
            while (code := process.poll()) is None:
                left = self._until - time.monotonic()
                if left <= 0 or self._stopped.is_set():
                    raise GitStopped(self._too_long())
                if os.fstat(said).st_size > self._most_bytes:
                    raise GitStopped(f"it prints more than {self._most_bytes:,} bytes")
                pause = min(2 * pause, 0.05, left)
                self._stopped.wait(pause)
        except BaseException:
            _end(process)
            raise
        return code

    def _too_long(self) -> str:
        if self._stopped.is_set():
            return "it was stopped"
        return f"it took longer than {self._seconds:g} seconds (NIGHTLAMP_LIMITS_GIT_SECONDS)"


def without_passwords(text: str) -> str:
    """Return a text in which URLs name nobody and ask nothing, and other secrets are replaced."""
    return redact(_QUERY.sub(r"\g<address>…", without_names(text)))[0]


def without_names(text: str) -> str:
    """Return a text in which URLs do not say who fetches."""
    return _USERINFO.sub(r"\g<scheme>", text)


def reason_in(complaint: str, code: int) -> str:
    """Return why git failed, as it says last, on one line and without passwords."""
    lines = [" ".join(line.split()) for line in complaint.splitlines() if line.strip()]
    lines = [line for line in lines if not _SAYS_NOTHING.match(line)] or lines
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    said = (fatal or lines or [f"git ended with {code}"])[-1]
    if "terminal prompts disabled" in said or "could not read Password" in said:
        said = "it asks for a password: give git credentials for it that need no typing"
    short = without_passwords(_MARKS.sub("", said[:_LONGEST_LINE])).rstrip(".")
    return short if len(short) <= _LONGEST_REASON else f"{short[:_LONGEST_REASON]}…"


def _environment(inherited: Mapping[str, str], own_ssh: bool) -> dict[str, str]:
    """Return an environment in which git finds the user's credentials and asks nobody for any.

    A program that the user named for the answers is asked by git, in time and without a screen:
    what answers by itself can, and what would open a window ends. ssh asks none: whether to trust
    an unknown host it would ask without end, for as long as a passphrase is the answer. Our own
    tokens are no business of theirs.
    """
    kept = {
        name: value
        for name, value in without_ours(inherited).items()
        if name not in _ABOUT_A_REPOSITORY | _SCREENS and not name.startswith(_TALKS)
    }
    if not own_ssh and not kept.get("GIT_SSH"):
        kept.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ServerAliveInterval=30")
    return kept | {
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GCM_INTERACTIVE": "never",
        "LANGUAGE": "",
        "LC_ALL": "C",
        "SSH_ASKPASS_REQUIRE": "never",
    }


def _check_room(said: IO[bytes]) -> None:
    """See whether a command may have failed because what it says found no room.

    Raises:
        OSError: nothing more can be written where its output goes.
    """
    said.seek(0, os.SEEK_END)
    said.write(bytes(_BLOCK))
    said.flush()


def _own_ssh(git: str) -> bool:
    """Return whether the user's git has an ssh command of its own, which stays."""
    command = [git, "config", "--global", "--get", "core.sshCommand"]
    try:
        done = subprocess.run(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=without_ours(os.environ),
            timeout=5.0,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process with its whole group: first asked, so that it tidies up, then made to."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(_KILL_SECONDS)
        except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            continue
