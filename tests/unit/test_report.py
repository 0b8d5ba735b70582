import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from core.errors import UsageError
from eval.blocks import Heading, Plot, Table, Text, html, markdown
from eval.dataset import Kind
from eval.metrics import FIGURES, Score
from eval.report import differing, figures, report_blocks, write_report
from eval.results import ResultError, read_results, write_result
from eval.runfile import RunLine
from eval.scored import scored
from eval.summary import summarize
from eval.ways import Row, Way, filter_json, row_json

README = "# It\n\n<!-- figures:begin -->\nold\n<!-- figures:end -->\n\nThe end.\n"


def score(number: int, kind: Kind, rank: int | None) -> Score:
    answerable = kind is Kind.ANSWERABLE
    return Score(
        id=f"q{number}",
        category="lookup" if answerable else "near",
        kind=kind,
        outcome="answer" if answerable else "refusal",
        confidence=0.75 if answerable else 0.25,
        ms=5.0,
        rank=rank,
        figures=dict.fromkeys(FIGURES, 1.0) if answerable else {},
    )


SCORES = (score(1, Kind.ANSWERABLE, 1), score(2, Kind.NEAR, None))
LINES = (
    RunLine("q1", "answer", 0.33333, 0.75, 5.0, ()),
    RunLine("q2", "refusal", None, 0.25, 5.0, ()),
)
EACH = scored(SCORES, LINES)
RUN: dict[str, Any] = json.loads(
    json.dumps(
        {
            "kind": "run",
            "questions": ["q.jsonl"],
            "fingerprint": "model | splitter",
            "calibration": "some questions",
            "documents": 3,
            "sections": 9,
            "passages": 12,
            "set": {},
            "scored": EACH,
            **summarize(SCORES).as_json(),
        }
    )
)
ROW = Row(Way("model", "page cards", True, "mix", "none"), 12, SCORES[:1])
CHUNKING: dict[str, Any] = {
    "kind": "chunking",
    "fake": False,
    "documents": 3,
    "models": ["model"],
    "default": 0,
    "chosen": 0,
    "rows": [row_json(ROW, ROW)],
    "filter": filter_json(ROW, ROW, ["pay"]),
}
MS = {"p50": 2.0, "p95": 4.0}
ONE = asdict(summarize(SCORES).figures["mrr10"])
MEANS = dict.fromkeys(("mrr10", "recall5", "read2500", "chars5"), ONE)
BENCH: dict[str, Any] = {
    "kind": "bench",
    "fake": False,
    "machine": {"cores": 2, "system": "Linux", "processor": "x86_64", "python": "3.11.7"},
    "questions": 2,
    "embedding": {"passages": 256, "per_second": 100.0},
    "sizes": [
        {
            "size": 1000,
            "nightlamp": {
                "passages": 990,
                "index_per_second": 100.0,
                "unchanged_seconds": 0.5,
                "changed_seconds": 1.0,
                "ms": {"embed": MS, "search": MS, "total": MS},
                "peak_mb": 300.0,
            },
            "bm25": {"rows": 900, "ms": {"p50": 1.0, "p95": 1.0}},
            "windows": {"rows": 900, "ms": {"p50": 1.0, "p95": 1.0}},
            "local": {"rows": 30_000, "skipped": "too many"},
        }
    ],
    "quality": {
        "questions": 1,
        "nightlamp": MEANS,
        "bm25": {**MEANS, "ours_minus_theirs": MEANS},
        "windows": {**MEANS, "ours_minus_theirs": MEANS},
    },
}
NEWER: dict[str, Any] = {
    **BENCH,
    "sizes": [
        {
            "size": 1000,
            "nightlamp": {
                **BENCH["sizes"][0]["nightlamp"],
                "serving_mb": 240.4,
                "serving_memory": "resident",
            },
        }
    ],
    "serving": {
        "documents": 455,
        "ms": {"embed": MS, "search": MS, "total": MS},
        "serving_mb": 301.2,
        "serving_memory": "peak",
    },
    "ask": {"commands": 5, "median_seconds": 1.5, "slowest_seconds": 1.75},
    "stall": {
        name: {"runs": 1, "seconds": 3.0, "gap_ms": 60.0, "questions": 9, "ms": MS}
        for name in ("embedding", "build", "update")
    },
    "backends": {
        "onnxruntime": {"passages": 256, "per_second": 60.0},
        "torch": {"passages": 256, "per_second": 40.0},
        "ratio": 1.5,
    },
}
RESULTS = {"bench.json": BENCH, "chunking.json": CHUNKING, "starter.summary.json": RUN}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text(README, encoding="utf-8")
    for name, result in RESULTS.items():
        write_result(tmp_path / "eval" / "results" / name, result)
    return tmp_path


def test_a_runs_questions_are_kept_without_their_text() -> None:
    assert EACH[0] == {
        "id": "q1",
        "category": "lookup",
        "kind": "answerable",
        "outcome": "answer",
        "rank": 1,
        "confidence": 0.75,
        "distance": 0.3333,
    }


def test_blocks_become_markdown_without_plots() -> None:
    blocks = [Heading("A", 1), Text("B"), Table(("c", "d"), (("e|f", "1"),)), Plot("<svg/>", "g")]
    assert markdown(blocks) == "# A\n\nB\n\n| c | d |\n| --- | ---: |\n| e/f | 1 |\n"


def test_blocks_become_a_page_that_needs_nothing_beside_it() -> None:
    page = html("A & B", [Heading("<x>"), Plot("<svg/>", "a < b")])
    assert "<title>A &amp; B</title>" in page
    assert "<h2>&lt;x&gt;</h2>\n<figure>\n<svg/>\n<figcaption>a &lt; b</figcaption>" in page
    assert "http" not in page


def test_the_report_has_every_result_and_every_plot() -> None:
    blocks = report_blocks(RESULTS)
    titles = [one.text for one in blocks if isinstance(one, Heading) and one.level == 2]
    assert titles == ["Run: starter", "Speed and memory: bench", "Comparison: chunking"]
    assert sum(isinstance(one, Plot) for one in blocks) == 5


def test_readme_gets_the_runs_figures_and_what_plain_tools_find() -> None:
    said = figures(RESULTS)
    assert "| MRR@10 | 1.000 [1.000, 1.000] |" in said
    assert "| answerable questions refused | 0.0% |" in said
    assert "Time and memory, on 2 cores (Linux x86_64, Python 3.11.7):\n" in said
    assert "| 990 | 50 | 0.50 s | 1.00 s | 2.0 ms | 4.0 ms | 4.0 ms | 300 MB |" in said


def test_readme_gets_what_a_process_that_answers_holds_and_how_it_waits() -> None:
    _, _, told = figures({"bench.json": NEWER}).partition("| answering | measured |\n")
    assert told.splitlines()[1:11] == [
        "| memory to answer 990 passages | 240 MB resident |",
        "| memory to answer 455 documents | 301 MB peak |",
        "| whole question p95, 455 documents | 4.0 ms |",
        "| nightlamp ask as a command | 1.50 s, slowest 1.75 s |",
        "| longest stall while all is embedded anew | 60 ms, question p95 4 ms |",
        "| longest stall while a new build takes over | 60 ms, question p95 4 ms |",
        "| longest stall while one page is brought in | 60 ms, question p95 4 ms |",
        "| passages/s by onnxruntime and torch | 60 and 40, × 1.50 |",
        "",
        "All of it, with intervals, categories and plots: [docs/report.md](docs/report.md) and "
        "docs/report.html.",
    ]


def test_a_benchmark_from_before_answering_was_measured_has_its_tables_still() -> None:
    assert "answering" not in figures({"bench.json": BENCH})
    assert "answering" not in markdown(report_blocks({"bench.json": BENCH}))


def test_a_fake_benchmark_does_not_come_into_the_readme() -> None:
    assert figures({"bench.json": {**BENCH, "fake": True}}) == ""


def test_what_is_written_is_what_the_check_expects(root: Path) -> None:
    names = [path.relative_to(root).as_posix() for path in differing(root)]
    assert names == ["README.md", "docs/report.md", "docs/report.html"]
    assert len(write_report(root)) == 3
    assert differing(root) == []
    assert write_report(root) == []


def test_only_the_place_of_the_figures_changes(root: Path) -> None:
    write_report(root)
    text = (root / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# It\n\n<!-- figures:begin -->\n| what | starter |\n")
    assert text.endswith("<!-- figures:end -->\n\nThe end.\n")
    assert "\nold\n" not in text


def test_without_results_there_are_no_figures(tmp_path: Path) -> None:
    empty = "<!-- figures:begin -->\n<!-- figures:end -->\n"
    (tmp_path / "README.md").write_text(empty, encoding="utf-8")
    assert differing(tmp_path) == []


def test_a_readme_without_a_place_for_figures_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no place for the figures"):
        differing(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_file_that_is_no_result_is_told(content: str, tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(content, encoding="utf-8")
    with pytest.raises(ResultError, match=r"odd\.json is no result file"):
        read_results(tmp_path)


@pytest.mark.parametrize(
    ("result", "reason"),
    [({"kind": "poem"}, "is no run"), ({"kind": "run"}, "is of another form")],
)
def test_a_result_of_another_form_is_told(result: dict[str, Any], reason: str) -> None:
    with pytest.raises(ResultError, match=reason):
        report_blocks({"odd.json": result})


def test_the_committed_report_says_what_the_committed_results_say() -> None:
    assert differing(Path(__file__).parent.parent.parent) == []
