"""The processes that the benchmark measures in: what they report, how they end, what they leave."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import EmbedderUnavailable
from core.settings import Settings, read_settings, with_values
from corpus.library import HASHING
from eval.ask_command import variables
from eval.living import GROUPS, settings_for
from eval.measures import Measures
from eval.measuring import MeasurementFailed, scratch
from eval.memory import peak_mb, serving_memory
from eval.run import Plan
from eval.watching import watched
from tests.indexed import page
from tests.scripted_measurement import PID_FILE, command
from tests.waiting import until

LAG = page("lag.md", "# Consumer lag\n\nRestart the kafka consumer group.\n")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / LAG.path).write_text(LAG.text, encoding="utf-8")
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    hashing = with_values(settings, {"embedding.model": HASHING})
    return Plan(hashing, tmp_path / "data", (corpus,), ())


def measures(plan: Plan, method: str, does: str) -> Measures:
    started = command(method, does)
    return Measures(plan, (8,), (), (LAG,), ("kafka lag",), lambda *_: None, command=started)


def left(plan: Plan) -> list[str]:
    """Return the folders of measurements that are still there."""
    return [path.name for path in (plan.data / "eval").glob("bench-*")]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["asking", "nightlamp"])
async def test_a_process_that_dies_is_a_sentence_and_its_folder_goes(
    method: str, plan: Plan
) -> None:
    with pytest.raises(MeasurementFailed, match=f"measures {method} ended with code 9"):
        await measures(plan, method, "die").of_size(8)
    assert left(plan) == []


async def test_what_a_measurement_fails_of_is_raised_here_and_its_folder_goes(plan: Plan) -> None:
    with pytest.raises(EmbedderUnavailable, match="failed on a text"):
        await measures(plan, "recall", "fail").alone("recall", 8)
    assert left(plan) == []


async def test_the_home_of_the_documents_goes_when_a_measurement_in_it_dies(plan: Plan) -> None:
    with pytest.raises(MeasurementFailed, match="measures index ended with code 9"):
        await measures(plan, "index", "die").of_documents()
    assert left(plan) == []
    assert (plan.corpus[0] / LAG.path).read_text(encoding="utf-8") == LAG.text


async def test_a_measurement_that_is_cancelled_has_ended_its_process_and_its_folder_is_gone(
    plan: Plan,
) -> None:
    running = asyncio.create_task(measures(plan, "recall", "stay").alone("recall", 8))
    pid_file = plan.data / "eval" / PID_FILE
    await until(pid_file.exists)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert left(plan) == []


def test_a_scratch_folder_goes_with_all_that_is_in_it_but_not_with_what_it_links_to(
    tmp_path: Path,
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "model.onnx").write_bytes(b"weights")
    with scratch(tmp_path / "eval") as folder:
        (folder / "models").symlink_to(models, target_is_directory=True)
        (folder / "build").mkdir()
    assert list((tmp_path / "eval").iterdir()) == []
    assert (models / "model.onnx").exists()


# --- backends -----------------------------------------------------------------------------------


def by_model(plan: Plan, backend: str) -> Plan:
    embedding = {"embedding.model": "all-MiniLM-L6-v2", "embedding.backend": backend}
    return replace(plan, settings=with_values(plan.settings, embedding))


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "rate"), [("auto", 60.0), ("onnx", 60.0), ("torch", 40.0)])
async def test_both_backends_are_measured_and_the_settings_one_is_the_speed_of_embedding(
    backend: str, rate: float, plan: Plan
) -> None:
    ours, backends = await measures(by_model(plan, backend), "embedding", "embed").embedding()
    assert ours == {"passages": 256, "per_second": pytest.approx(rate), "peak_mb": 400.0}
    assert backends is not None
    assert backends.keys() == {"onnxruntime", "torch", "ratio"}
    assert backends["ratio"] == pytest.approx(1.5)


@pytest.mark.slow
async def test_a_model_that_torch_alone_runs_has_no_ratio(plan: Plan) -> None:
    started = measures(by_model(plan, "auto"), "embedding", "embed by torch alone")
    ours, backends = await started.embedding()
    assert (ours["per_second"], backends) == (pytest.approx(40.0), None)


@pytest.mark.slow
async def test_a_backend_that_is_named_and_fails_fails_the_benchmark(plan: Plan) -> None:
    started = measures(by_model(plan, "onnx"), "embedding", "embed by torch alone")
    with pytest.raises(EmbedderUnavailable, match="cannot be exported"):
        await started.embedding()


# --- memory -------------------------------------------------------------------------------------


def test_a_peak_is_of_the_process_itself_and_not_of_the_one_that_started_it() -> None:
    ballast = b"x" * 300_000_000
    program = "from eval.memory import peak_mb; print(peak_mb())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert float(done.stdout) < 150 < peak_mb()
    assert len(ballast) > 0


def test_what_a_serving_process_holds_is_said_with_what_it_is() -> None:
    found = serving_memory()
    assert 10 < found["serving_mb"] <= peak_mb() + 1
    assert found["serving_memory"] in {"resident", "peak"}


# --- stalls -------------------------------------------------------------------------------------


async def nothing(text: str) -> None:
    """Answer at once."""


async def test_a_stall_of_the_first_step_is_noticed() -> None:
    async def work() -> None:
        time.sleep(0.05)  # noqa: ASYNC251 - the stall

    found = await watched(work, nothing, ("disk",))
    assert found.gap_ms > 40
    assert found.seconds >= 0.05


async def test_at_least_one_question_is_asked_however_short_the_work() -> None:
    asked: list[str] = []

    async def ask(text: str) -> None:
        asked.append(text)

    async def work() -> None:
        """Be done at once."""

    found = await watched(work, ask, ("disk", "lag"))
    assert (asked, len(found.ms)) == (["disk"], 1)


async def test_questions_are_asked_in_turn_for_as_long_as_the_work_lasts() -> None:
    asked: list[str] = []
    third = asyncio.Event()

    async def ask(text: str) -> None:
        asked.append(text)
        if len(asked) == 3:
            third.set()

    async def work() -> None:
        await third.wait()

    found = await watched(work, ask, ("disk", "lag"))
    assert asked == ["disk", "lag", "disk"]
    assert len(found.ms) == 3


async def test_a_question_that_fails_fails_the_measurement() -> None:
    async def ask(text: str) -> None:
        raise EmbedderUnavailable("The model failed on a text.")

    async def work() -> None:
        """Be done at once."""

    with pytest.raises(EmbedderUnavailable):
        await watched(work, ask, ("disk",))


async def test_work_that_fails_is_raised_once_nobody_asks_any_more() -> None:
    async def work() -> None:
        raise EmbedderUnavailable("The model failed on a text.")

    with pytest.raises(EmbedderUnavailable):
        await watched(work, nothing, ("disk",))
    assert asyncio.all_tasks() == {asyncio.current_task()}


# --- the settings of a home ---------------------------------------------------------------------


def test_a_command_reads_from_its_environment_the_settings_that_were_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = tmp_path / "words.txt"
    values = {
        "embedding.model": "text-embedding-3-small",
        "embedding.base_url": "http://127.0.0.1:9/v1",
        "embedding.api_key": "sk-secret",
        "embedding.query_prefix": "query: ",
        "embedding.cache": False,
        "splitter.size": 700,
        "retrieval.vocabulary": (words,),
        "retrieval.fusion": "rrf",
        "limits.lost_places": 0.25,
    }
    settings = settings_for(with_values(Settings(_env_file=None), values))  # type: ignore[call-arg,arg-type]
    for name, value in variables(settings).items():
        monkeypatch.setenv(name, value)
    read = read_settings(dotenv=None, config=_empty(tmp_path))
    assert [getattr(read, one) for one in GROUPS] == [getattr(settings, one) for one in GROUPS]


def test_a_home_has_no_tenants_no_language_model_and_no_server() -> None:
    around = {
        "qdrant": {"url": "http://127.0.0.1:9"},
        "llm": {"base_url": "http://127.0.0.1:9/v1", "model": "writer"},
        "tenants": [{"name": "acme"}],
        "sources": [{"name": "runbooks", "path": "runbooks"}],
    }
    found = settings_for(Settings(_env_file=None, **around))  # type: ignore[arg-type]
    assert (found.qdrant.url, found.llm.base_url, found.tenants, found.sources) == (
        None,
        None,
        (),
        (),
    )


def _empty(folder: Path) -> Path:
    path = folder / "nightlamp.toml"
    path.touch()
    return path
