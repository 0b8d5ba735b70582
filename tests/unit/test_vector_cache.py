"""A passage is embedded once, and a broken cache is no failure."""

import logging
import sqlite3
import subprocess
import sys
from array import array
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.engines.vector_cache import CHUNK, CachedEmbedder
from core.engines.vector_rows import MOST_BYTES, UNUSED_DAYS, VectorRows
from core.errors import EmbedderUnavailable
from tests.fakes import ScriptedEmbedder

TEXTS = ["disk full", "login failed", "disk full", "nothing known"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "vectors.db"


@pytest.fixture
async def cached(file: Path) -> AsyncIterator[CachedEmbedder]:
    embedder = CachedEmbedder(ScriptedEmbedder(), file)
    yield embedder
    await embedder.aclose()


def spoil(file: Path, rubbish: bytes) -> None:
    file.write_bytes(rubbish)


async def fill(file: Path, texts: list[str] = TEXTS) -> None:
    embedder = CachedEmbedder(ScriptedEmbedder(), file)
    await embedder.embed_passages(texts)
    await embedder.aclose()


async def asked_by_a_second(file: Path, texts: list[str] = TEXTS, name: str = "scripted") -> int:
    inner = ScriptedEmbedder(name=name)
    embedder = CachedEmbedder(inner, file)
    await embedder.embed_passages(texts)
    await embedder.aclose()
    return inner.asked


async def test_the_same_text_is_embedded_once(file: Path) -> None:
    assert await asked_by_a_second(file) == 3


async def test_a_second_process_embeds_nothing_again(file: Path) -> None:
    await fill(file)
    assert await asked_by_a_second(file, [*TEXTS, "queue lag"]) == 1


async def test_remembered_vectors_are_the_very_same(file: Path, cached: CachedEmbedder) -> None:
    first = await cached.embed_passages(TEXTS)
    second = await cached.embed_passages(TEXTS)
    assert first == second
    assert first[0] == array("f", await cached.embed_question("disk full"))


async def test_another_model_shares_nothing(file: Path) -> None:
    await fill(file)
    assert await asked_by_a_second(file, name="another") == 3


async def test_both_backends_of_a_model_share_their_vectors(file: Path) -> None:
    await asked_by_a_second(file, name="m:torch:fp32")
    assert await asked_by_a_second(file, name="m:onnx:fp32") == 0


async def test_questions_are_not_remembered(file: Path, cached: CachedEmbedder) -> None:
    await cached.embed_question("disk full")
    assert await asked_by_a_second(file, ["disk full"]) == 1


async def test_progress_counts_what_was_remembered_first(file: Path) -> None:
    await fill(file, ["disk full", "login failed"])
    embedder = CachedEmbedder(ScriptedEmbedder(), file)
    told: list[int] = []
    await embedder.embed_passages([*TEXTS, "queue lag"], told.append)
    await embedder.aclose()
    assert told == [3, 4, 5]


async def test_an_interrupted_run_keeps_what_it_had(file: Path) -> None:
    inner = ScriptedEmbedder()
    embedder = CachedEmbedder(inner, file)
    texts = [f"text {number:04}" for number in range(CHUNK + 20)]

    def fail_late(done: int) -> None:
        inner.failing = done > CHUNK

    with pytest.raises(EmbedderUnavailable):
        await embedder.embed_passages(texts, fail_late)
    await embedder.aclose()
    assert await asked_by_a_second(file, texts) == 20


@pytest.mark.parametrize(
    "rubbish", [b"this is no database" * 400, b"SQLite format 3\0" + b"x" * 9000]
)
async def test_a_broken_file_is_begun_anew(
    file: Path, rubbish: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(file, rubbish)
    with caplog.at_level(logging.WARNING):
        assert await asked_by_a_second(file) == 3
    assert await asked_by_a_second(file) == 0
    assert "The vector cache was broken and is begun anew" in caplog.text


async def test_a_locked_file_is_done_without(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    await fill(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("begin exclusive")
        with caplog.at_level(logging.WARNING):
            assert await asked_by_a_second(file, ["queue lag"]) == 1
    assert "The vector cache is not used from here on: database is locked." in caplog.text


async def test_a_folder_in_its_place_is_done_without(tmp_path: Path) -> None:
    assert await asked_by_a_second(tmp_path) == 3


async def test_a_vector_of_another_length_is_not_believed(file: Path) -> None:
    await fill(file)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("update vectors set vector = x'00000000'")
    assert await asked_by_a_second(file) == 3


# --- what is let go -------------------------------------------------------------------------------

DAY = 739_000


def rows(file: Path, day: int = DAY, *, most_bytes: int = MOST_BYTES) -> VectorRows:
    return VectorRows(file, 4, lambda: day, most_bytes)


def vectors(*names: str) -> "dict[bytes, array[float]]":
    return {name.encode(): array("f", [1.0]) for name in names}


def put(file: Path, *names: str) -> None:
    some = rows(file)
    some.write(vectors(*names))
    some.close()


def kept(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as database:
        return {row[0].decode() for row in database.execute("select key from vectors")}


def test_what_no_build_has_used_for_ninety_days_is_let_go(file: Path) -> None:
    put(file, "live", "changed")
    later = rows(file, DAY + UNUSED_DAYS + 1)
    assert later.read([b"live"]).keys() == {b"live"}
    assert later.forget_unused() == 1
    later.close()
    assert kept(file) == {"live"}


def test_what_is_in_use_stays_though_its_use_could_not_be_taken_down(file: Path) -> None:
    put(file, "live")
    later = rows(file, DAY + UNUSED_DAYS + 1)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("begin immediate")
        assert later.read([b"live"]).keys() == {b"live"}
    later.close()
    after = rows(file, DAY + UNUSED_DAYS + 1)
    assert after.forget_unused() == 0
    after.close()


def test_what_was_used_within_ninety_days_stays_for_another_build(file: Path) -> None:
    put(file, "live", "of another model")
    later = rows(file, DAY + UNUSED_DAYS)
    assert later.forget_unused() == 0
    later.close()
    assert kept(file) == {"live", "of another model"}


def test_a_cache_of_an_older_version_counts_as_used_today(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("create table vectors (key blob primary key, vector blob not null)")
        database.execute("insert into vectors values (?, ?)", (b"old", b"\0\0\x80?"))
    found = rows(file)
    assert found.read([b"old"]) == vectors("old")
    assert found.forget_unused() == 0
    found.close()
    later = rows(file, DAY + UNUSED_DAYS + 1)
    assert later.forget_unused() == 1
    later.close()


def test_the_file_shrinks_when_most_of_it_was_let_go(file: Path) -> None:
    names = [f"{number:05}" for number in range(5_000)]
    first = rows(file)
    first.write(vectors(*names))
    first.close()
    before = file.stat().st_size
    later = rows(file, DAY + UNUSED_DAYS + 1)
    later.read([b"00000"])
    assert later.forget_unused() == 4_999
    later.close()
    assert file.stat().st_size < before / 10


def test_beyond_its_most_bytes_those_go_that_were_used_longest_ago(file: Path) -> None:
    for day in range(4):
        some = rows(file, DAY + day, most_bytes=200_000)
        some.write(vectors(*(f"{day}-{number:04}" for number in range(2_000))))
        some.close()
    left = kept(file)
    assert {name for name in left if name.startswith("3-")} == {f"3-{n:04}" for n in range(2_000)}
    assert len([name for name in left if name.startswith("0-")]) < 2_000


def test_one_that_ends_in_the_midst_of_letting_go_leaves_a_whole_file(file: Path) -> None:
    put(file, *(f"{number:04}" for number in range(2_500)))
    code = (
        "import os, sys, sqlite3\n"
        "from pathlib import Path\n"
        "from core.engines import vector_rows\n"
        "class Cut(sqlite3.Connection):\n"
        "    deletes = 0\n"
        "    def execute(self, sql, *more):\n"
        "        done = super().execute(sql, *more)\n"
        "        if sql.startswith('delete'):\n"
        "            Cut.deletes += 1\n"
        "            if Cut.deletes == 2:\n"
        "                os._exit(7)\n"
        "        return done\n"
        "connect = sqlite3.connect\n"
        "sqlite3.connect = lambda *a, **k: connect(*a, factory=Cut, **k)\n"
        f"vector_rows.VectorRows(Path(sys.argv[1]), 4, lambda: {DAY + 100}).forget_unused()\n"
    )
    root = Path(__file__).parents[2]
    ended = subprocess.run([sys.executable, "-c", code, str(file)], cwd=root, check=False)
    assert ended.returncode == 7
    assert len(kept(file)) == 1_500
    again = rows(file, DAY + 100)
    assert again.forget_unused() == 1_500
    again.close()


def test_a_reader_that_may_not_write_reads_all_the_same(file: Path) -> None:
    put(file, "live")
    reader = rows(file, DAY + 1)
    assert reader.read([]) == {}
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("begin immediate")
        assert reader.read([b"live"]) == vectors("live")
    reader.close()


async def test_the_cache_lets_go_by_the_day_that_it_is(file: Path) -> None:
    await fill(file)
    today = datetime.now(UTC).date().toordinal()
    later = CachedEmbedder(ScriptedEmbedder(), file, today=lambda: today + UNUSED_DAYS + 2)
    await later.embed_passages(["disk full"])
    assert await later.forget_unused() == 2
    await later.aclose()
    assert await asked_by_a_second(file) == 2


async def test_what_the_inner_embedder_says_of_itself_is_passed_on(cached: CachedEmbedder) -> None:
    inner = ScriptedEmbedder()
    assert (cached.fingerprint, cached.dimension, cached.window, cached.trusted) == (
        inner.fingerprint,
        inner.dimension,
        inner.window,
        inner.trusted,
    )
    assert cached.count_tokens("disk full") == inner.count_tokens("disk full")
