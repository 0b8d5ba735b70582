from pathlib import Path

import pytest

from corpus.git_command import Git, GitStopped, reason_in, without_passwords
from tests.git_repositories import Repository


@pytest.mark.parametrize(
    ("complaint", "reason"),
    [
        (
            "fatal: '/x' does not appear to be a git repository\n"
            "fatal: Could not read from remote repository.\n\n"
            "Please make sure you have the correct access rights\nand the repository exists.\n",
            "'/x' does not appear to be a git repository",
        ),
        (
            "git@example.com: Permission denied (publickey).\n"
            "fatal: Could not read from remote repository.\n",
            "git@example.com: Permission denied (publickey)",
        ),
        (
            "fatal: could not read Username for 'http://x.org': terminal prompts disabled\n",
            "it asks for a password: give git credentials for it that need no typing",
        ),
        (
            "remote: Repository not found.\n"
            "fatal: Authentication failed for 'https://bob:hunter2@x.org/a.git/'\n",
            "Authentication failed for 'https://x.org/a.git/'",
        ),
        (
            "fatal: unable to access 'https://x.org/a.git?token=abc/': Could not resolve host\n",
            "unable to access 'https://x.org/a.git?…': Could not resolve host",
        ),
        (
            "fatal: repository 'https://x.org/a?t=o'er/' not found\n",
            "repository 'https://x.org/a?…' not found",
        ),
        ("  \n", "git ended with 128"),
        ("fatal: " + "x" * 400, "x" * 300 + "…"),
    ],
)
def test_the_reason_is_one_line_without_passwords(complaint: str, reason: str) -> None:
    assert reason_in(complaint, 128) == reason


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://bob:hunter2@x.org/a", "https://x.org/a"),
        ("https://ghp_0123456789@x.org/a", "https://x.org/a"),
        ("ssh://git:hunter2@x.org:22/a", "ssh://x.org:22/a"),
        ("https://p@ss:w@rd@x.org/a", "https://x.org/a"),
        ("git@x.org:a/b", "git@x.org:a/b"),
        ("https://x.org/a@b", "https://x.org/a@b"),
        ("https://bob:hunter2@x.org/a.git?token=abc", "https://x.org/a.git?…"),
        ("https://bob:hun?t#r2@x.org/a.git", "https://x.org/a.git"),
        ("https://x.org/a?token=abc&ref=b#c", "https://x.org/a?…"),
        ("https://x.org/a#token", "https://x.org/a#…"),
        ("ssh://git@x.org/a?token=abc", "ssh://x.org/a?…"),
        ("/srv/what?/a.git", "/srv/what?/a.git"),
    ],
)
def test_an_address_is_shown_without_who_fetches(text: str, shown: str) -> None:
    assert without_passwords(text) == shown


def test_a_tree_that_unfolds_without_end_fills_neither_disk_nor_memory(tmp_path: Path) -> None:
    bomb = Repository(tmp_path / "bomb")
    inside, kind = bomb.git("hash-object", "-w", "--stdin", given=b"# Disk\n"), "100644 blob"
    for _ in range(10):
        rows = "".join(f"{kind} {inside}\t{n}\n" for n in range(10))
        inside, kind = bomb.git("mktree", given=rows.encode()), "040000 tree"
    git = Git(bomb.root / ".git", 60.0, most_bytes=1_000_000)
    with pytest.raises(GitStopped, match="it prints more than 1,000,000 bytes"):
        git.run(("ls-tree", "-r", "-l", "-z", "--full-tree", inside))
