import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from core.engines.hashing import HashingEmbedder
from core.errors import DocumentError, UsageError
from core.models import Span
from core.settings import Settings, with_values
from core.settings_groups import SplitterSettings
from corpus.library import HASHING
from corpus.splitters import split
from eval.bench import SIZES, Bench, compare_plain, run_bench, sizes_from
from eval.bench_tables import print_bench, serving_rows
from eval.cli import main
from eval.copies import CopiesSource, PerturbedEmbedder
from eval.dataset import Record, load_questions
from eval.measure import METHODS
from eval.measure_serving import METHODS as ANSWERING
from eval.measuring import Job
from eval.plain import PlainKeywords, PlainVectors, asked_text, plain_line, sections_of
from eval.remembering import RememberingEmbedder
from eval.run import Plan, documents_of
from eval.runfile import Shown
from tests.fakes import ScriptedEmbedder
from tests.indexed import page

DISK = page("disk.md", "# Disk full\n\n" + "".join(f"Delete log {n}.\n" for n in range(30)))
ANSWERING_ROWS = (
    "memory to answer 2 documents",
    "nightlamp ask as a command",
    "longest stall while all is embedded anew",
    "longest stall while a new build takes over",
    "longest stall while one page is brought in",
)
LAG = page("lag.md", "# Consumer lag\n\nRestart the kafka consumer group.\n")


@pytest.mark.parametrize(
    ("typed", "sizes"), [("", SIZES), ("1k, 10K", (1000, 10_000)), ("500,", (500,)), (" None", ())]
)
def test_sizes_are_read_as_typed(typed: str, sizes: tuple[int, ...]) -> None:
    assert sizes_from(typed) == sizes


@pytest.mark.parametrize("typed", ["many", "0", "-1", "1.5k"])
def test_a_size_that_is_no_number_is_wrong_use(typed: str) -> None:
    with pytest.raises(UsageError, match="--sizes wants numbers of passages"):
        sizes_from(typed)


# --- copies -------------------------------------------------------------------------------------


def test_the_first_copies_are_the_documents_and_later_ones_lack_lines() -> None:
    source = CopiesSource((DISK, LAG), 4)
    first, _, second, _ = (source.read(path) for path in source.listing().files)
    assert source.listing().files == (
        "000000/disk.md",
        "000001/lag.md",
        "000002/disk.md",
        "000003/lag.md",
    )
    assert first.decode() == DISK.text
    assert 15 < second.decode().count("\n") < 32


def test_a_changed_copy_has_a_line_more() -> None:
    source = CopiesSource((LAG,), 1)
    source.changed.add("000000/lag.md")
    assert source.read("000000/lag.md").decode() == f"{LAG.text}\nOne line more.\n"


def test_there_are_no_more_copies_than_asked_for() -> None:
    with pytest.raises(DocumentError):
        CopiesSource((LAG,), 1).read("000001/lag.md")


async def test_perturbed_vectors_are_near_the_real_ones_and_never_the_same() -> None:
    embedder = PerturbedEmbedder(HashingEmbedder(), [[1.0] + [0.0] * 255])
    first, second = await embedder.embed_passages(["a", "a"])
    assert np.linalg.norm(first) == pytest.approx(1)
    assert 0.8 < first[0] < 1
    assert first != second


async def test_a_question_is_embedded_once() -> None:
    inner = ScriptedEmbedder()
    embedder = RememberingEmbedder(inner)
    assert await embedder.embed_question("disk") == await embedder.embed_question("disk")
    assert inner.asked == 1


# --- plain tools --------------------------------------------------------------------------------


def test_plain_keywords_find_stemmed_words_and_nothing_without_any() -> None:
    plain = PlainKeywords(["restart the consumers", "a disk is full"])
    assert plain.find("full disks") == [1]
    assert plain.find("zebra") == []


def test_plain_vectors_come_nearest_first() -> None:
    plain = PlainVectors([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    assert plain.find([0.0, 1.0], limit=2) == [1, 2]
    assert plain.find([0.0, 1.0]) == [1, 2, 0]


def test_a_plain_tool_is_asked_a_follow_up_with_what_it_follows() -> None:
    assert asked_text(Record("q", "follow-up", "and on mac?", follows="disk full")) == (
        "disk full and on mac?"
    )
    assert asked_text(Record("q", "lookup", "disk full")) == "disk full"


def test_a_plain_line_shows_whole_sections() -> None:
    sections = sections_of([split(LAG, SplitterSettings(), lambda _: True)])
    assert plain_line(Record("q", "lookup", "lag"), sections).results == (
        Shown("runbooks", "lag.md", "consumer-lag", (Span(0, len(LAG.text)),), len(LAG.text)),
    )


# --- the whole way ------------------------------------------------------------------------------


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for document in (DISK, LAG):
        (corpus / document.path).write_text(document.text, encoding="utf-8")
    questions = tmp_path / "questions.jsonl"
    relevant = [{"doc": "lag.md", "evidence": "Restart the kafka consumer group."}]
    record = {"id": "q", "category": "lookup", "question": "kafka lag", "relevant": relevant}
    questions.write_text(json.dumps(record), encoding="utf-8")
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    hashing = with_values(settings, {"embedding.model": HASHING})
    return Plan(hashing, tmp_path / "data", (corpus,), (questions,))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "rows"), [("bm25", 8), ("windows", 8), ("local", 16)])
async def test_a_plain_tool_is_measured_over_about_as_much_as_asked(
    method: str, rows: int, plan: Plan, tmp_path: Path
) -> None:
    job = Job(method, 8, plan.settings, tmp_path, tmp_path / "own", (DISK, LAG), ("kafka lag",))
    job.folder.mkdir()
    found = await METHODS[method](job)
    assert abs(found["rows"] - rows) <= rows / 2
    assert found["ms"]["p50"] > 0


@pytest.mark.slow
async def test_what_one_process_has_indexed_another_asks_without_the_documents(
    plan: Plan, tmp_path: Path
) -> None:
    job = Job("nightlamp", 8, plan.settings, tmp_path, tmp_path / "own", (DISK, LAG), ("lag",))
    job.folder.mkdir()
    made = await METHODS["nightlamp"](job)
    asked = await ANSWERING["asking"](replace(job, documents=()))
    assert abs(made["passages"] - 8) <= 4
    assert asked["ms"]["search"]["p50"] > 0
    assert asked["serving_mb"] > 20


@pytest.mark.slow
async def test_a_small_benchmark_measures_all_that_is_told_and_leaves_no_folder(plan: Plan) -> None:
    told: list[tuple[int, int]] = []
    before = {path: path.read_bytes() for path in plan.corpus[0].iterdir()}
    found = await run_bench(
        Bench(plan, (8,), baseline=False), lambda phase, done, total: told.append((done, total))
    )
    [size] = found["sizes"]
    assert size.keys() == {"size", "nightlamp"}
    ours = size["nightlamp"]
    assert ours["peak_mb"] > 20
    assert ours["serving_mb"] > 20
    assert ours["ms"].keys() == {"embed", "search", "total"}
    assert found["serving"]["documents"] == 2
    assert found["serving"]["serving_mb"] > 20
    assert found["ask"]["commands"] == 5
    assert 0 < found["ask"]["median_seconds"] <= found["ask"]["slowest_seconds"]
    stall = found["stall"]
    assert [stall[one]["runs"] for one in ("embedding", "build", "update")] == [1, 1, 2]
    assert min(stall[one]["questions"] for one in ("embedding", "build", "update")) > 0
    assert found["embedding"]["per_second"] > 0
    assert (found["backends"], found["quality"], found["fake"]) == (None, None, True)
    assert told[-1] == (len(told) - 1, len(told) - 1)
    assert list((plan.data / "eval").glob("bench-*")) == []
    assert {path: path.read_bytes() for path in plan.corpus[0].iterdir()} == before
    assert all(label in dict(serving_rows(found)) for label in ANSWERING_ROWS)


async def test_plain_tools_are_compared_question_by_question(plan: Plan) -> None:
    documents = await documents_of(plan)
    records = load_questions(plan.questions, documents)
    found = await compare_plain(plan, documents, records, lambda phase, done, total: None)
    assert found["nightlamp"]["mrr10"]["mean"] == 1.0
    assert found["bm25"]["mrr10"]["mean"] == 1.0
    assert found["bm25"]["ours_minus_theirs"]["mrr10"]["mean"] == 0.0


async def test_without_sizes_what_is_found_is_compared_and_nothing_is_timed(plan: Plan) -> None:
    found = await run_bench(Bench(plan, (), baseline=True), lambda phase, done, total: None)
    quality = found.pop("quality")
    assert found == {"kind": "bench", "fake": True, "sizes": []}
    assert quality["questions"] == 1
    assert quality["nightlamp"]["chars5"]["mean"] == len(LAG.text)


def test_no_sizes_and_no_plain_tools_would_measure_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "--fake", "--sizes", "none"])
    assert left.value.code == 2
    assert capsys.readouterr().err == "--sizes none wants --baseline: else nothing is measured.\n"


def test_a_comparison_alone_never_takes_the_place_of_a_whole_benchmark(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["--questions", str(plan.questions[0]), "--fake", "--baseline", "--sizes", "none"]
    main_with(["--corpus", "corpus", "bench", *asked])
    written = [path.name for path in (tmp_path / "data" / "eval").glob("*.json")]
    assert written == ["bench-baseline-fake.json"]


def main_with(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 0


# --- printed ------------------------------------------------------------------------------------


def printed(result: Mapping[str, Any]) -> list[str]:
    console = Console(file=io.StringIO(), width=80, force_terminal=False)
    print_bench(console, result)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def interval(low: float, high: float) -> dict[str, float]:
    return {"mean": (low + high) / 2, "low": low, "high": high, "n": 120}


def test_what_is_found_is_printed_with_the_characters_that_it_costs() -> None:
    ours = dict.fromkeys(("mrr10", "recall5", "read2500"), interval(0.8, 0.9))
    theirs = dict.fromkeys(("mrr10", "recall5", "read2500"), interval(0.6, 0.7))
    ahead = dict.fromkeys(("mrr10", "recall5", "read2500"), interval(-0.1, 0.3))
    ours["chars5"] = interval(7000, 8630)
    theirs["chars5"] = interval(4000, 4184)
    ahead["chars5"] = interval(-2000.4, 13_000)
    plain = {**theirs, "ours_minus_theirs": ahead}
    quality = {"questions": 120, "nightlamp": ours, "bm25": plain, "windows": plain}
    alone = {"kind": "bench", "fake": False, "sizes": [], "quality": quality}
    assert printed(alone) == [
        "beside plain BM25 over sections; plain dense, windows of 500",
        "120 questions   ours   BM25      ours − theirs  dense      ours − theirs",
        "MRR@10         0.850  0.650   -0.100 to +0.300  0.650   -0.100 to +0.300",
        "Recall@5       0.850  0.650   -0.100 to +0.300  0.650   -0.100 to +0.300",
        "read 2,500     0.850  0.650   -0.100 to +0.300  0.650   -0.100 to +0.300",
        "chars top 5    7,815  4,092  -2,000 to +13,000  4,092  -2,000 to +13,000",
    ]
