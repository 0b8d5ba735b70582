from pathlib import Path

import pytest

from core.errors import UsageError
from eval.blocks import Heading, Plot, Table, Text, html, markdown
from eval.report import differing, figures, report_blocks, write_report
from eval.results import write_result
from tests.report_results import ALONE, BENCH, CHUNKING, EACH, MEANS, NEWER, README, RUN

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


def test_readme_never_says_what_is_found_without_the_characters_that_it_costs() -> None:
    said = figures({"bench-public.json": BENCH})
    head, _, ours, *_ = said.splitlines()
    assert head.split(" | ") == [
        "| public: 1 question",
        "MRR@10",
        "Recall@5",
        "read within 2,500",
        "characters in the top five |",
    ]
    assert ours == "| Nightlamp | 1.000 | 1.000 | 1.000 | 7,204 |"
    assert "| +1.000 [+1.000 to +1.000] | +7,204 [+7,100 to +7,300] |" in said


def test_a_comparison_alone_has_its_table_and_no_empty_ones() -> None:
    assert figures({"bench-starter.json": ALONE}).splitlines()[0].startswith("| starter: 1 quest")
    assert "Time and memory" not in figures({"bench-starter.json": ALONE})
    blocks = report_blocks({"bench-starter.json": ALONE})
    assert [one.text for one in blocks if isinstance(one, Heading) and one.level > 1] == [
        "Beside plain tools: starter"
    ]
    assert sum(isinstance(one, Table) for one in blocks) == 1


def test_a_plain_tool_that_shows_nothing_has_no_characters() -> None:
    found = {name: one for name, one in MEANS.items() if name != "chars5"}
    quality = {**BENCH["quality"], "bm25": {**found, "ours_minus_theirs": found}}
    said = figures({"bench.json": {**ALONE, "quality": quality}})
    assert "| plain BM25 over sections | 1.000 | 1.000 | 1.000 | – |" in said


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


def test_the_committed_report_says_what_the_committed_results_say() -> None:
    assert differing(Path(__file__).parent.parent.parent) == []
