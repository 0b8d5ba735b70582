"""A model by onnxruntime: what it gives, and what happens where there can be no such model."""

import asyncio
import logging
import os
import threading
from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.engines import onnx
from core.engines.model_folder import ModelFolder
from core.engines.onnx import OnnxEmbedder
from core.engines.onnx_folder import OnnxFolder
from core.engines.onnx_session import MODEL_FILE, TOKENIZER_FILE, OnnxSession, grouped
from core.errors import EmbedderMissing, EmbedderUnavailable
from core.models import Vector
from tests.fakes import ScriptedEmbedder
from tests.tiny_onnx import ROWS, tiny_model, vector, write_export

TEXTS = ["disk", "login login login disk", "unknown", "", "login"] * 60
REASON = "The export failed: no such layer"


class TinyFolder(OnnxFolder):
    """Exports at once and without a child, as often as it is told to; then it fails."""

    def __init__(self, models: Path, model: ModelFolder, *, works: bool = True) -> None:
        super().__init__(models, model)
        self.works = works
        self.made = 0
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def make(self) -> None:
        self.begun.set()
        await self.may_end.wait()
        self.made += 1
        if not self.works:
            raise EmbedderMissing(REASON)
        write_export(self.path)


@pytest.fixture
def model(tmp_path: Path) -> ModelFolder:
    return tiny_model(tmp_path / "model")


@pytest.fixture
def folder(tmp_path: Path, model: ModelFolder) -> TinyFolder:
    (tmp_path / "models").mkdir()
    return TinyFolder(tmp_path / "models", model)


@pytest.fixture(params=[1, 2])
async def embedder(
    model: ModelFolder, folder: TinyFolder, request: pytest.FixtureRequest
) -> AsyncIterator[OnnxEmbedder]:
    made = OnnxEmbedder(model, folder, threads=request.param, bulk_threads=2, batch_size=8)
    yield made
    await made.aclose()


async def test_many_texts_get_the_vectors_of_the_model_in_their_order(
    embedder: OnnxEmbedder,
) -> None:
    vectors = await embedder.embed_passages(TEXTS)
    assert [list(one) for one in vectors] == [pytest.approx(vector(text)) for text in TEXTS]


async def test_texts_of_all_lengths_get_the_vectors_that_they_have_alone(
    embedder: OnnxEmbedder,
) -> None:
    texts = ["login " * (at * 7 % 61) + "disk " * (at % 3) for at in range(90)]
    vectors = await embedder.embed_passages(texts)
    assert [list(one) for one in vectors] == [pytest.approx(vector(text)) for text in texts]


@pytest.mark.parametrize(
    ("lengths", "groups"),
    [
        ([], []),
        ([9], [[0]]),
        ([3, 2, 3], [[0, 2, 1]]),
        ([2, 20, 4, 5, 2], [[1], [3, 2], [0, 4]]),
    ],
)
def test_texts_are_run_together_up_to_so_many_tokens(
    lengths: list[int], groups: list[list[int]]
) -> None:
    assert list(grouped(lengths, 10)) == groups


async def test_a_core_does_not_wait_for_the_batch_of_another(
    monkeypatch: pytest.MonkeyPatch, embedder: OnnxEmbedder
) -> None:
    await embedder.embed_question("disk")
    first, others = threading.Lock(), threading.Semaphore(0)
    passed: list[bool] = []

    def embed(session: OnnxSession, texts: list[str]) -> list[Vector]:
        if first.acquire(blocking=False):
            passed.extend(others.acquire(timeout=60) for _ in range(5))
        else:
            others.release()
        return [array("f", vector(text)) for text in texts]

    monkeypatch.setattr(OnnxSession, "embed", embed)
    await embedder.embed_passages(TEXTS)
    assert passed == [True] * 5


async def test_a_batch_that_fails_ends_the_others(
    monkeypatch: pytest.MonkeyPatch, embedder: OnnxEmbedder
) -> None:
    await embedder.embed_question("disk")
    batches: list[int] = []

    def failing(session: OnnxSession, texts: list[str]) -> list[Vector]:
        batches.append(len(texts))
        raise ValueError("no such layer")

    monkeypatch.setattr(OnnxSession, "embed", failing)
    with pytest.raises(EmbedderUnavailable, match="failed on a text"):
        await embedder.embed_passages(TEXTS)
    assert len(batches) <= 4


async def test_progress_counts_texts_up_to_the_last(embedder: OnnxEmbedder) -> None:
    told: list[int] = []
    await embedder.embed_passages(TEXTS, told.append)
    assert (told, len(told), told[-1]) == (sorted(told), 38, 300)


async def test_a_few_texts_are_embedded_batch_by_batch(embedder: OnnxEmbedder) -> None:
    told: list[int] = []
    vectors = await embedder.embed_passages(TEXTS[:20], told.append)
    assert [list(one) for one in vectors] == [pytest.approx(vector(text)) for text in TEXTS[:20]]
    assert told == [8, 16, 20]


async def test_prompts_stand_before_questions_and_passages(tmp_path: Path) -> None:
    model = tiny_model(tmp_path / "model", query="login ", passage="disk ")
    embedder = OnnxEmbedder(model, TinyFolder(tmp_path / "models", model))
    question = await embedder.embed_question("disk")
    [passage] = await embedder.embed_passages(["disk"])
    await embedder.aclose()
    assert (list(question), list(passage), embedder.count_tokens("disk")) == (
        pytest.approx(vector("login disk")),
        pytest.approx(vector("disk disk")),
        3,
    )


async def test_the_model_is_exported_once(
    model: ModelFolder, folder: TinyFolder, embedder: OnnxEmbedder
) -> None:
    await asyncio.gather(*(embedder.embed_question("disk") for _ in range(3)))
    second = OnnxEmbedder(model, folder)
    await second.embed_question("disk")
    await second.aclose()
    assert folder.made == 1


async def test_nothing_is_exported_for_nothing(folder: TinyFolder, embedder: OnnxEmbedder) -> None:
    assert (await embedder.embed_passages([]), folder.made) == ([], 0)


@pytest.mark.parametrize("broken", [MODEL_FILE, TOKENIZER_FILE])
async def test_a_broken_file_is_exported_anew(
    folder: TinyFolder, embedder: OnnxEmbedder, broken: str
) -> None:
    write_export(folder.path)
    (folder.path / broken).write_bytes(b"rubbish")
    question = await embedder.embed_question("disk")
    assert (list(question), folder.made) == (pytest.approx(vector("disk")), 1)


async def test_an_export_with_other_vectors_than_torchs_is_exported_anew(
    folder: TinyFolder, embedder: OnnxEmbedder
) -> None:
    write_export(folder.path, rows=ROWS + 0.001)
    await embedder.embed_question("disk")
    assert folder.made == 1


async def test_the_fingerprint_names_the_backend(embedder: OnnxEmbedder) -> None:
    assert embedder.fingerprint == "tiny:onnx:fp32:abababababababab:64:'':''"


# --- where there can be no export ---------------------------------------------------------------


async def test_where_the_export_fails_the_other_embedder_is_asked(
    model: ModelFolder, folder: TinyFolder
) -> None:
    folder.works = False
    other = ScriptedEmbedder()
    embedder = OnnxEmbedder(model, folder, otherwise=other)
    question = await embedder.embed_question("disk")
    [passage] = await embedder.embed_passages(["login"])
    assert (question, passage, embedder.fingerprint, folder.made) == (
        await other.embed_question("disk"),
        (await other.embed_passages(["login"]))[0],
        "scripted:10",
        1,
    )


async def test_the_reason_is_one_line_of_the_log(
    model: ModelFolder, folder: TinyFolder, caplog: pytest.LogCaptureFixture
) -> None:
    folder.works = False
    with caplog.at_level(logging.WARNING):
        await OnnxEmbedder(model, folder, otherwise=ScriptedEmbedder()).embed_question("disk")
    assert caplog.messages == [
        f"The model team/tiny is run by torch, more slowly than by onnxruntime: {REASON}"
    ]


async def test_an_export_that_failed_is_not_tried_again_today(
    model: ModelFolder, folder: TinyFolder
) -> None:
    folder.works = False
    for _ in range(2):
        embedder = OnnxEmbedder(model, folder, otherwise=ScriptedEmbedder())
        await embedder.embed_question("disk")
    assert (folder.made, folder.obstacle()) == (1, REASON)


async def test_an_export_that_failed_is_tried_again_tomorrow(
    tmp_path: Path, model: ModelFolder, folder: TinyFolder
) -> None:
    folder.refuse(REASON)
    [marker] = (tmp_path / "models").glob("*.refused")
    os.utime(marker, (0, 0))
    embedder = OnnxEmbedder(model, folder, otherwise=ScriptedEmbedder())
    await embedder.embed_question("disk")
    await embedder.aclose()
    assert (embedder.fingerprint.split(":")[1], folder.made) == ("onnx", 1)


async def test_without_another_embedder_the_reason_is_the_error(
    folder: TinyFolder, embedder: OnnxEmbedder
) -> None:
    folder.works = False
    with pytest.raises(EmbedderMissing) as caught:
        await embedder.embed_question("disk")
    assert str(caught.value) == (
        "The model team/tiny cannot be run by onnxruntime: see to it, or set "
        f"NIGHTLAMP_EMBEDDING_BACKEND to auto or torch. {REASON}"
    )


# --- coming and going ---------------------------------------------------------------------------


async def test_who_leaves_does_not_end_the_export_for_others(
    folder: TinyFolder, embedder: OnnxEmbedder
) -> None:
    folder.may_end.clear()
    leaving = asyncio.create_task(embedder.embed_question("disk"))
    staying = asyncio.create_task(embedder.embed_question("login"))
    await folder.begun.wait()
    leaving.cancel()
    folder.may_end.set()
    assert (list(await staying), folder.made) == (pytest.approx(vector("login")), 1)


async def test_closing_ends_an_export(model: ModelFolder, folder: TinyFolder) -> None:
    folder.may_end.clear()
    embedder = OnnxEmbedder(model, folder)
    asking = asyncio.create_task(embedder.embed_question("disk"))
    await folder.begun.wait()
    await embedder.aclose()
    with pytest.raises(EmbedderUnavailable):
        await asking
    assert folder.made == 0


async def test_a_closed_model_says_so(model: ModelFolder, folder: TinyFolder) -> None:
    embedder = OnnxEmbedder(model, folder)
    await embedder.embed_question("disk")
    await embedder.aclose()
    with pytest.raises(EmbedderUnavailable) as caught:
        await embedder.embed_question("disk")
    assert str(caught.value) == "The model team/tiny was closed."


class Sessions:
    """Opens sessions when it may, and knows how many."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened = 0
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.may_end.set()
        self._open = onnx._open_session
        monkeypatch.setattr(onnx, "_open_session", self)

    def __call__(self, folder: Path, threads: int) -> OnnxSession:
        self.begun.set()
        self.may_end.wait()
        self.opened += 1
        return self._open(folder, threads)


async def test_two_indexing_runs_at_once_share_the_second_session(
    monkeypatch: pytest.MonkeyPatch, model: ModelFolder, folder: TinyFolder
) -> None:
    sessions = Sessions(monkeypatch)
    embedder = OnnxEmbedder(model, folder, threads=2, bulk_threads=2)
    await asyncio.gather(*(embedder.embed_passages(TEXTS) for _ in range(2)))
    await embedder.aclose()
    assert sessions.opened == 2


async def test_a_model_that_is_closed_while_an_indexing_run_opens_it_says_so(
    monkeypatch: pytest.MonkeyPatch, model: ModelFolder, folder: TinyFolder
) -> None:
    sessions = Sessions(monkeypatch)
    embedder = OnnxEmbedder(model, folder, threads=2, bulk_threads=2)
    await embedder.embed_question("disk")
    sessions.begun.clear()
    sessions.may_end.clear()
    running = asyncio.create_task(embedder.embed_passages(TEXTS))
    await asyncio.to_thread(sessions.begun.wait)
    late = asyncio.create_task(embedder.embed_passages(TEXTS))
    await asyncio.sleep(0)
    await embedder.aclose()
    sessions.may_end.set()
    for one in (running, late):
        with pytest.raises(EmbedderUnavailable, match="was closed"):
            await one
    assert sessions.opened == 2
    assert embedder._for_bulk is None


async def test_a_model_that_is_closed_while_batches_wait_for_their_turn_says_so(
    monkeypatch: pytest.MonkeyPatch, model: ModelFolder, folder: TinyFolder
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def slow(session: OnnxSession, texts: list[str]) -> list[Vector]:
        begun.set()
        may_end.wait()
        return [array("f", vector(text)) for text in texts]

    monkeypatch.setattr(OnnxSession, "embed", slow)
    embedder = OnnxEmbedder(model, folder)
    runs = [asyncio.create_task(embedder.embed_passages(["disk"] * 40)) for _ in range(3)]
    await asyncio.to_thread(begun.wait)
    await asyncio.sleep(0)
    await embedder.aclose()
    may_end.set()
    for one in runs:
        with pytest.raises(EmbedderUnavailable, match="was closed"):
            await one


class ScriptedFolder(OnnxFolder):
    """Exports without a child: each process would have one of these over the same folder."""

    def __init__(self, models: Path, model: ModelFolder) -> None:
        super().__init__(models, model)
        self.runs = 0
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()

    async def _run(self, aside: Path) -> None:
        self.runs += 1
        self.begun.set()
        await self.may_end.wait()
        write_export(aside)


async def test_of_two_processes_that_export_at_once_the_second_takes_what_the_first_made(
    tmp_path: Path, model: ModelFolder
) -> None:
    first, second = (ScriptedFolder(tmp_path / "models", model) for _ in range(2))
    making = asyncio.create_task(first.make())
    await first.begun.wait()
    waiting = asyncio.create_task(second.make())
    await asyncio.sleep(0)
    first.may_end.set()
    await asyncio.gather(making, waiting)
    assert (first.runs, second.runs, first.there) == (1, 0, True)


async def test_an_export_that_the_first_process_gave_up_is_made_by_the_second(
    tmp_path: Path, model: ModelFolder
) -> None:
    first, second = (ScriptedFolder(tmp_path / "models", model) for _ in range(2))
    second.may_end.set()
    making = asyncio.create_task(first.make())
    await first.begun.wait()
    waiting = asyncio.create_task(second.make())
    making.cancel()
    await asyncio.gather(making, waiting, return_exceptions=True)
    assert (second.runs, second.there) == (1, True)


async def test_an_export_that_cannot_be_used_is_made_anew(
    tmp_path: Path, model: ModelFolder
) -> None:
    folder = ScriptedFolder(tmp_path / "models", model)
    folder.may_end.set()
    await folder.make()
    await folder.make()
    assert folder.runs == 2
