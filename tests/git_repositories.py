"""Repositories for tests: made by git in a folder, independent of the user's own settings."""

import os
import subprocess
from pathlib import Path

_ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
_ALONE = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
"""A newer git tidies up in a process of its own, beside a test that may be removing the folder."""


class Repository:
    """A repository with a branch `main`, at first without a commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, given: bytes = b"") -> str:
        """Run git here and return what it says."""
        done = subprocess.run(
            ["git", *_ALONE, "-C", str(self.root), *arguments],
            input=given,
            capture_output=True,
            check=True,
            env=os.environ | _ENVIRONMENT,
        )
        return done.stdout.decode().strip()

    def commit(self, **files: str | bytes) -> str:
        """Write files (`__` in a name is a slash, `_` a dot), commit all, return the commit."""
        for name, content in files.items():
            path = name.replace("__", "/").replace("_", ".")
            self.write(path, content if isinstance(content, bytes) else content.encode())
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "A change")
        return self.git("rev-parse", "HEAD")

    def write(self, path: str, content: bytes) -> None:
        """Write a file without committing it."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
