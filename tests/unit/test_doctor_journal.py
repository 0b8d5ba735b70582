"""What the doctor says of the journal in each state that it can be in."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from bots.check import Check, Level
from bots.doctor import examine
from core.settings import Settings
from core.settings_groups import EmbeddingSettings
from feedback.journal import open_journal
from tests.people import ROOM, ZOE, asked


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    async with open_journal(folder / "journal.db") as journal:
        for number in range(40):
            await asked(journal, f"x{number}", ZOE, ROOM)
    return folder


async def said(data: Path) -> Check:
    found = await examine(Settings(embedding=EmbeddingSettings(model="hashing")), data)
    return next(check for check in found if check.name == "journal")


def spoil(path: Path, how: Callable[[bytes], bytes]) -> None:
    path.write_bytes(how(path.read_bytes()))


async def test_a_sound_journal_is_well(data: Path) -> None:
    assert await said(data) == Check("journal", Level.OK, "can be written, and is whole")


async def test_a_journal_that_was_never_asked_is_a_note(tmp_path: Path) -> None:
    assert (await said(tmp_path / "none")).level is Level.NOTE


@pytest.mark.parametrize(
    "how",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[: 4096 * 12] + b"\xff" * 4096 + data[4096 * 13 :],
        lambda data: b"\x00" * 100 + data[100:],
    ],
    ids=["cut", "a page", "no head"],
)
async def test_a_damaged_journal_is_a_problem_and_a_backup_its_remedy(
    data: Path, how: Callable[[bytes], bytes]
) -> None:
    spoil(data / "journal.db", how)
    check = await said(data)
    assert check.level is Level.PROBLEM
    assert check.says.endswith("damaged: stop Nightlamp and restore a backup of it.")


async def test_the_journal_of_a_newer_version_is_a_problem(data: Path) -> None:
    db = sqlite3.connect(data / "journal.db", isolation_level=None)
    db.execute("insert into _sqlite_migrations values (99, 'nightlamp', 'm999_later', '2030')")
    db.close()
    check = await said(data)
    assert check.level is Level.PROBLEM
    assert "was written by a newer Nightlamp" in check.says


async def test_a_restore_that_was_cut_off_is_a_problem(data: Path) -> None:
    (data / ".restore-1" / "old").mkdir(parents=True)
    check = await said(data)
    assert check.level is Level.PROBLEM
    assert "run nightlamp restore again" in check.says
