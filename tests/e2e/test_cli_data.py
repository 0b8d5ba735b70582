"""Backup, restore, export and forget on the command line, beside a process that writes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.clock import SystemClock
from corpus.data_folder import DataFolder
from feedback.journal import open_journal
from tests.journals import ANN, answered
from tests.people import ROOM, WORDS, YAN, ZOE, asked, live
from tests.waiting import PATIENT

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    async with open_journal(folder / "journal.db") as journal:
        await live(journal, ZOE, YAN)
    return folder


def all_bytes(data: Path) -> bytes:
    return b"".join(file.read_bytes() for file in data.glob("journal.db*"))


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def nightlamp(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bots", "--data", str(data), *arguments],
        cwd=data.parent,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    [
        ["export", "--out"],
        ["gaps", "--csv"],
        ["gaps", "draft", "disk-full", "--out"],
        ["golden", "export", "--out"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("out", ["data/journal.db", "linked.db", "nightlamp.toml", "pages/a.md"])
def test_what_is_written_never_replaces_the_journal_a_setting_or_a_runbook(
    command: list[str], out: str, data: Path
) -> None:
    pages = '[[sources]]\nname = "pages"\npath = "pages"\n'
    (data.parent / "nightlamp.toml").write_text(pages, encoding="utf-8")
    (data.parent / "pages").mkdir()
    (data.parent / "pages" / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    os.link(data / "journal.db", data.parent / "linked.db")
    before = (data / "journal.db").read_bytes()
    done = nightlamp(data, *command, out)
    assert done.returncode == 2
    assert done.stderr == f"{out} is read by this command: write to another file.\n"
    assert (data / "journal.db").read_bytes() == before


async def test_what_was_backed_up_is_restored(data: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.tar.gz"
    made = nightlamp(data, "backup", str(target))
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith(f"Backed up to {target}, 0.0 MB: 1 file, ")
    async with open_journal(data / "journal.db") as journal:
        await asked(journal, "afterwards", ZOE, ROOM)
    done = nightlamp(data, "restore", str(target), "--json")
    assert json.loads(done.stdout)["files"].keys() == {"journal.db"}
    async with open_journal(data / "journal.db") as journal:
        assert await journal.exchange("mine")
        assert await journal.exchange("afterwards") is None


async def test_beside_a_running_bot_all_work_but_restoring(data: Path, tmp_path: Path) -> None:
    holder = DataFolder(data)
    await holder.hold(SystemClock())
    async with open_journal(data / "journal.db") as journal:
        await answered(journal, "open")
        target = tmp_path / "b.tar.gz"
        assert nightlamp(data, "backup", str(target)).returncode == 0
        assert "why?" in nightlamp(data, "export").stdout
        refused = nightlamp(data, "restore", str(target))
        assert (refused.returncode, "is in use by process" in refused.stderr) == (3, True)
        told = nightlamp(data, "forget", "slack", ZOE.user_id)
        assert told.stdout.startswith("Erased or made nameless: exchanges 2, messages 2")
        assert await journal.recent(ZOE, 9) == []
        assert await journal.recent(ANN, 9)
        files = all_bytes(data)
        assert [word for word in WORDS if word.encode() in files] == []
    holder.release()


def test_an_export_into_a_device_leaves_the_device(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "pipe"
    os.mkfifo(out)
    reader = subprocess.Popen(["cat", out], stdout=subprocess.PIPE, text=True)
    done = nightlamp(data, "export", "--out", str(out))
    said, _ = reader.communicate(timeout=PATIENT)
    assert (done.returncode, out.is_fifo()) == (0, True)
    assert json.loads(said.partition("\n")[0])["id"] == "mine"


async def test_an_export_goes_into_a_file_that_only_its_owner_reads(
    data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "export.csv"
    done = nightlamp(data, "export", "--format", "csv", "--out", str(out))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "3 exchanges.\n")
    assert out.read_text().startswith("id,asked_at,tenant,")
    assert out.stat().st_mode & 0o777 == 0o600
    assert names_in(tmp_path) == ["data", "export.csv"]


def test_what_is_not_there_is_one_sentence_and_wrong_use(tmp_path: Path) -> None:
    for command in (("export",), ("forget", "slack", "U1"), ("backup", "b.tar.gz")):
        done = nightlamp(tmp_path / "none", *command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("There is no")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_platform_is_wrong_use(data: Path) -> None:
    assert nightlamp(data, "forget", "myspace", "U1").returncode == 2


def test_who_never_came_has_nothing_to_forget(data: Path) -> None:
    done = nightlamp(data, "forget", "slack", "U0")
    assert done.stdout == "Nothing is kept of this person.\n"
