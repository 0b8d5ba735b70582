"""The exported model against torch itself, and an export that goes wrong."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import onnx as onnx_files
import pytest

from core.engines.model_folder import ModelFolder
from core.engines.onnx import OnnxEmbedder
from core.engines.onnx_folder import OnnxFolder
from core.engines.onnx_session import MODEL_FILE, TOLERANCE
from core.engines.sentence import SentenceEmbedder, find_sentence_model
from core.models import Vector
from tests.fakes import ScriptedEmbedder
from tests.waiting import PATIENT, until

PAGES = sorted((Path(__file__).parents[2] / "corpus" / "runbooks").glob("*.md"))[:12]
TEXTS = ["", "\x00", "🔥" * 50, "עברית", "x" * 5000, "日本語のログ", "disk full"] + [
    page.read_text(encoding="utf-8")[start : start + length]
    for page in PAGES
    for start, length in ((0, 60), (300, 900), (0, 4000))
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model() -> ModelFolder:
    return find_sentence_model("all-MiniLM-L6-v2")


@pytest.fixture
async def onnx(model: ModelFolder, exports: Path) -> AsyncIterator[OnnxEmbedder]:
    embedder = OnnxEmbedder(model, OnnxFolder(exports, model), bulk_threads=2)
    yield embedder
    await embedder.aclose()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def steps_of(folder: Path) -> list[str]:
    """Return the steps of the model that was exported."""
    [file] = folder.glob(f"*/{MODEL_FILE}")
    return [node.op_type for node in onnx_files.load(str(file)).graph.node]


def furthest(ones: list[Vector], others: list[Vector]) -> float:
    return max(
        abs(a - b)
        for one, other in zip(ones, others, strict=True)
        for a, b in zip(one, other, strict=True)
    )


async def test_vectors_are_those_of_torch(onnx: OnnxEmbedder, model: ModelFolder) -> None:
    torch = SentenceEmbedder(model, threads=2)
    passages = await onnx.embed_passages(TEXTS)
    assert furthest(passages, await torch.embed_passages(TEXTS)) <= TOLERANCE
    await torch.aclose()


async def test_a_question_alone_has_the_vector_of_torch(
    onnx: OnnxEmbedder, model: ModelFolder
) -> None:
    torch = SentenceEmbedder(model)
    question = await onnx.embed_question("pod stuck in CrashLoopBackOff")
    expected = await torch.embed_question("pod stuck in CrashLoopBackOff")
    assert furthest([question], [expected]) <= TOLERANCE
    await torch.aclose()


async def test_attention_is_one_step_of_each_layer(onnx: OnnxEmbedder, exports: Path) -> None:
    await onnx.embed_question("disk full")
    steps = steps_of(exports)
    assert (steps.count("Attention"), steps.count("Softmax")) == (6, 0)


async def test_states_are_added_and_normalised_in_two_steps(
    onnx: OnnxEmbedder, exports: Path
) -> None:
    await onnx.embed_question("disk full")
    steps = steps_of(exports)
    assert (steps.count("LayerNormalization"), steps.count("SkipLayerNormalization")) == (12, 0)


def test_the_fingerprint_differs_from_torchs_by_the_backend_alone(
    onnx: OnnxEmbedder, model: ModelFolder
) -> None:
    assert onnx.fingerprint == "all-MiniLM-L6-v2:onnx:fp32:53aa51172d142c89:256:'':''"
    assert SentenceEmbedder(model).fingerprint == onnx.fingerprint.replace("onnx", "torch")


async def test_an_export_is_a_whole_folder_under_its_name(
    onnx: OnnxEmbedder, exports: Path
) -> None:
    await onnx.embed_question("disk full")
    name = "all-MiniLM-L6-v2-onnx-fp32-53aa51172d142c89-256-v3"
    assert (names(exports), names(exports / name)) == (
        [name],
        ["model.onnx", "tokenizer.json", "vectors.json"],
    )


async def test_a_model_that_cannot_be_exported_is_left_to_the_other_embedder(
    tmp_path: Path, model: ModelFolder
) -> None:
    nowhere = replace(model, path=tmp_path)
    folder, other = OnnxFolder(tmp_path / "models", nowhere), ScriptedEmbedder()
    for left in (".making-killed", f"{folder.path.name[:-1]}1"):
        (tmp_path / "models" / left).mkdir(parents=True)
    embedder = OnnxEmbedder(nowhere, folder, otherwise=other)
    assert await embedder.embed_question("disk") == await other.embed_question("disk")
    assert folder.obstacle().startswith("The export failed: ")
    assert [Path(name).suffix for name in names(tmp_path / "models")] == [".refused"]


async def test_an_export_that_is_given_up_leaves_nothing(
    tmp_path: Path, model: ModelFolder
) -> None:
    embedder = OnnxEmbedder(model, OnnxFolder(tmp_path, model))
    asking = asyncio.create_task(embedder.embed_question("disk"))
    await until(lambda: list(tmp_path.glob("*/*")), 5 * PATIENT)  # torch is loaded first
    asking.cancel()
    await embedder.aclose()
    assert names(tmp_path) == []
