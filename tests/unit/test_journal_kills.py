"""What other processes do to a journal: kill its writer, fill its disk, spoil its file, race it."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import JournalUnavailable
from core.models import Vote
from feedback.journal import open_journal
from tests.journals import ANN, FIRST, NOON, PLAIN, answered
from tests.people import ROOM, ZOE, asked

ROOT = Path(__file__).parents[2]
WRITES = 10_000
LIVES = 8

WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from core.exchanges import Thumb
from core.models import Vote
from feedback.journal import open_journal
from tests.journals import ANN, FIRST, PLAIN, RECORDED, minutes

async def one(journal, number):
    id_ = str(number)
    match number % 4:
        case 0:
            await journal.receive(id_, replace(PLAIN, event_id=id_))
        case 1:
            await journal.record_outcome(str(number - 1), RECORDED)
        case 2:
            message = replace(FIRST, message_id=str(number - 2))
            await journal.record_message(str(number - 2), message, 0)
        case 3:
            message = replace(FIRST, message_id=str(number - 3))
            await journal.record_thumb(Thumb(ANN, Vote.UP, True, minutes(0), message))
    print(number, flush=True)

async def write(path, begin, end):
    async with open_journal(path) as journal:
        for start in range(begin, end, 40):
            # At once: the thread of the journal takes them one after another, in this order.
            await asyncio.gather(*(one(journal, start + step) for step in range(40)))

asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
"""

FILLER = """
import asyncio, resource, signal, sys
from dataclasses import replace
from pathlib import Path
from core.errors import JournalUnavailable
from feedback.journal import open_journal
from tests.journals import PLAIN

async def fill(path):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    async with open_journal(path) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
        for number in range(10_000):
            try:
                await journal.receive(str(number), replace(PLAIN, text="x" * 5000))
            except JournalUnavailable as error:
                print(error, flush=True)
                assert await journal.exchange("0")
                # What is small may find room in what the log has; in the end nothing does.
                while not await journal.health():
                    pass
                assert await journal.health() == str(error)
                return
            print(number, flush=True)

asyncio.run(fill(Path(sys.argv[1])))
"""

CLAIMER = """
import asyncio, sys
from pathlib import Path
from core.exchanges import Person
from core.models import Platform
from feedback.journal import open_journal
from tests.journals import NOON

async def claim(path):
    async with open_journal(path, busy_timeout=60) as journal:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(150):
            if await journal.claim_digest("acme", "weekly", str(number), NOON):
                print("digest", number, flush=True)
            person = Person(Platform.SLACK, f"U{number}")
            if await journal.claim_notice("G-7KQ2", person, "build-1", NOON):
                print("notice", number, flush=True)

asyncio.run(claim(Path(sys.argv[1])))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


async def child(code: str, path: Path, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        str(path),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


async def killed_after(writer: asyncio.subprocess.Process, lines: int) -> list[int]:
    """Kill a writer once it acknowledged so much; returns all that it did acknowledge."""
    assert writer.stdout
    acknowledged = []
    while len(acknowledged) < lines and (line := await writer.stdout.readline()):
        acknowledged.append(int(line))
    if writer.returncode is None:
        writer.send_signal(signal.SIGKILL)
    rest, _ = await writer.communicate()
    whole = [line for line in rest.splitlines(keepends=True) if line.endswith(b"\n")]
    return acknowledged + [int(line) for line in whole]


async def unsaved(path: Path, acknowledged: list[int]) -> list[int]:
    """Return which of the acknowledged writes are not in the journal."""
    missing = []
    async with open_journal(path) as journal:
        assert await journal.damage() == ""
        for number in acknowledged:
            exchange = await journal.exchange(str(number - number % 4))
            saved = (
                exchange is not None,
                exchange is not None and exchange.recorded is not None,
                exchange is not None and len(exchange.messages) == 1,
                number % 4 < 3 or await journal.votes(str(number - 3)) == {ANN: Vote.UP},
            )
            if not saved[number % 4]:
                missing.append(number)
    return missing


@pytest.mark.slow
async def test_of_ten_thousand_writes_none_that_was_acknowledged_is_lost_to_kills(
    path: Path,
) -> None:
    chance = random.Random(7)  # noqa: S311 - any points will do
    begin = 0
    for life in range(LIVES):
        share = WRITES // LIVES
        writer = await child(WRITER, path, str(begin), str(begin + 2 * share))
        acknowledged = await killed_after(writer, chance.randrange(share // 2, share * 3 // 2))
        assert await unsaved(path, acknowledged) == []
        begin = (max(acknowledged) // 40 + 2) * 40
        assert acknowledged, f"life {life}"
    assert begin >= WRITES // 2


@pytest.mark.slow
async def test_a_full_disk_loses_nothing_that_was_acknowledged(path: Path) -> None:
    filler = await child(FILLER, path)
    out, _ = await filler.communicate()
    *numbers, sentence = out.decode().splitlines()
    assert filler.returncode == 0
    assert "free" in sentence
    assert "space" in sentence
    async with open_journal(path) as journal:
        assert (await journal.counts())["exchanges"] == len(numbers) > 10
        assert await journal.exchange(numbers[-1])
        assert await journal.health() == ""
        await asked(journal, "with room again", ZOE, ROOM)


@pytest.mark.slow
async def test_of_two_processes_one_posts_a_digest_and_one_tells_a_person(path: Path) -> None:
    async with open_journal(path) as journal:
        await answered(journal)
        await journal.assign("acme", {"G-7KQ2": ["x1"]}, NOON)
    claimers = [await child(CLAIMER, path) for _ in range(2)]
    for claimer in claimers:
        assert claimer.stdout
        await claimer.stdout.readline()
    both = await asyncio.gather(*(claimer.communicate(b"go\n") for claimer in claimers))
    claims = [line for out, _ in both for line in out.decode().splitlines()]
    each = [f"{what} {number}" for what in ("digest", "notice") for number in range(150)]
    assert sorted(claims) == sorted(each)


# --- spoilt files -------------------------------------------------------------------------------


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2 + 100]


def overwritten(data: bytes) -> bytes:
    return data[:4096] + b"\xff" * (len(data) - 4096)


def emptied_inside(data: bytes) -> bytes:
    return data[: 4096 * 3] + b"\x00" * (len(data) - 4096 * 3)


def headless(data: bytes) -> bytes:
    return b"\x00" * 100 + data[100:]


def spoil(path: Path, how: Callable[[bytes], bytes]) -> None:
    path.write_bytes(how(path.read_bytes()))


@pytest.mark.parametrize("how", [truncated, overwritten, emptied_inside, headless])
async def test_a_spoilt_journal_is_told_of_and_never_breaks_the_caller(
    path: Path, how: Callable[[bytes], bytes]
) -> None:
    async with open_journal(path) as journal:
        for number in range(40):
            await asked(journal, f"x{number}", ZOE, ROOM)
    spoil(path, how)
    told = ""
    try:
        async with open_journal(path) as journal:
            told = await journal.damage()
            for number in range(40):
                await journal.exchange(f"x{number}")
                await journal.receive(f"y{number}", PLAIN)
    except JournalUnavailable as error:
        told = told or str(error)
    assert "restore a backup of it" in told


@pytest.mark.parametrize("seed", range(20))
async def test_flipped_bytes_never_raise_anything_else(path: Path, seed: int) -> None:
    async with open_journal(path) as journal:
        for number in range(20):
            await asked(journal, f"x{number}", ZOE, ROOM)
    chance = random.Random(seed)  # noqa: S311 - any bytes will do

    def flipped(data: bytes) -> bytes:
        spoilt = bytearray(data)
        for _ in range(40):
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
        return bytes(spoilt)

    spoil(path, flipped)
    try:
        async with open_journal(path) as journal:
            await journal.damage()
            await journal.counts()
            await asked(journal, "new", ZOE, ROOM)
    except JournalUnavailable:
        pass


async def test_a_sound_journal_has_no_damage(path: Path) -> None:
    async with open_journal(path) as journal:
        await answered(journal)
        assert await journal.damage() == ""
        assert await journal.exchange_of(FIRST)
