"""What every embedder promises: the hashing one, the scripted one, a server, and the real model."""

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engines.hashing import HashingEmbedder
from core.engines.onnx import OnnxEmbedder
from core.engines.onnx_folder import OnnxFolder
from core.engines.openai_embed import OpenAIEmbedder, Patience
from core.engines.sentence import SentenceEmbedder, find_sentence_model
from core.engines.vector_cache import CachedEmbedder
from core.models import Vector
from core.ports import Embedder
from core.settings_groups import EmbeddingSettings
from tests.fakes import ScriptedEmbedder
from tests.scripted_embeddings import ScriptedEmbeddings
from tests.waiting import PATIENT

KINDS = [
    "hashing",
    "scripted",
    "cached",
    "openai",
    pytest.param("sentence", marks=pytest.mark.slow),
    pytest.param("onnx", marks=pytest.mark.slow),
]
DISK = "The disk of the database is full"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embedder")


@pytest.fixture(params=KINDS, scope="module")
def embedder(request: pytest.FixtureRequest, folder: Path, exports: Path) -> Iterator[Embedder]:
    if request.param == "openai":
        with ScriptedEmbeddings().running() as server:
            settings = EmbeddingSettings(
                model="any", base_url=server.base_url, dimensions=server.dimension
            )
            yield OpenAIEmbedder(settings, Patience(question=PATIENT))
    else:
        made = made_here(request.param, folder, exports)
        yield made
        asyncio.run(made.aclose())


def made_here(kind: str, folder: Path, exports: Path) -> Embedder:
    made: dict[str, Embedder] = {
        "hashing": HashingEmbedder(),
        "scripted": ScriptedEmbedder(),
        "cached": CachedEmbedder(HashingEmbedder(), folder / "vectors.db"),
    }
    if kind in made:
        return made[kind]
    model = find_sentence_model("all-MiniLM-L6-v2")
    if kind == "onnx":
        return OnnxEmbedder(model, OnnxFolder(exports, model), bulk_threads=2)
    return SentenceEmbedder(model)


def cosine(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


async def test_vectors_have_the_promised_length_and_a_norm_of_one(embedder: Embedder) -> None:
    vectors = [await embedder.embed_question(DISK), *await embedder.embed_passages([DISK, "a"])]
    assert [len(vector) for vector in vectors] == [embedder.dimension] * 3
    assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * 3, abs=1e-5)


async def test_vectors_come_in_the_order_of_their_texts(embedder: Embedder) -> None:
    texts = [DISK, "payment " * 30, "login", "queue lag " * 5, DISK]
    together = await embedder.embed_passages(texts)
    alone = [(await embedder.embed_passages([text]))[0] for text in texts]
    assert [round(cosine(a, b), 4) for a, b in zip(together, alone, strict=True)] == [1.0] * 5


async def test_the_same_text_gives_the_same_vector(embedder: Embedder) -> None:
    first, second = await embedder.embed_question(DISK), await embedder.embed_question(DISK)
    assert list(first) == list(second)


async def test_a_text_is_nearer_to_its_own_subject(embedder: Embedder) -> None:
    question = await embedder.embed_question("disk full")
    near, far = await embedder.embed_passages([DISK, "Refund a payment that was charged twice"])
    assert cosine(question, near) > cosine(question, far)


async def test_progress_tells_how_many_are_done(embedder: Embedder) -> None:
    told: list[int] = []
    await embedder.embed_passages([f"text {number}" for number in range(40)], told.append)
    assert told == sorted(told)
    assert told[-1] == 40


async def test_nothing_to_embed_gives_nothing(embedder: Embedder) -> None:
    assert await embedder.embed_passages([]) == []


@pytest.mark.parametrize("text", ["", "\x00", "🔥" * 50, "עברית", "x" * 5000, "日本語のログ"])
async def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    [vector] = await embedder.embed_passages([text])
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)


def test_tokens_are_counted_with_the_special_ones(embedder: Embedder) -> None:
    assert embedder.count_tokens("") >= 1
    assert embedder.count_tokens("disk full") > embedder.count_tokens("disk")


@pytest.mark.slow
def test_the_shipped_model_is_known_by_its_fingerprint() -> None:
    embedder = SentenceEmbedder(find_sentence_model("all-MiniLM-L6-v2"))
    assert (embedder.fingerprint, embedder.dimension, embedder.window) == (
        "all-MiniLM-L6-v2:torch:fp32:53aa51172d142c89:256:'':''",
        384,
        256,
    )


@pytest.mark.slow
async def test_the_shipped_model_gives_the_vectors_that_it_is_known_for() -> None:
    embedder = SentenceEmbedder(find_sentence_model("all-MiniLM-L6-v2"))
    question = await embedder.embed_question("How do I restart a pod?")
    [passage] = await embedder.embed_passages(["kubectl rollout restart deployment/web"])
    await embedder.aclose()
    assert cosine(question, passage) == pytest.approx(0.4526, abs=0.001)
