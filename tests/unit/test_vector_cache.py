"""A passage is embedded once, and a broken cache is no failure."""

import logging
import sqlite3
from array import array
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from core.engines.vector_cache import CHUNK, CachedEmbedder
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


async def test_what_the_inner_embedder_says_of_itself_is_passed_on(cached: CachedEmbedder) -> None:
    inner = ScriptedEmbedder()
    assert (cached.fingerprint, cached.dimension, cached.window, cached.trusted) == (
        inner.fingerprint,
        inner.dimension,
        inner.window,
        inner.trusted,
    )
    assert cached.count_tokens("disk full") == inner.count_tokens("disk full")
