"""The benchmark for a terminal of 80 columns, plain when piped."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from eval.comparison_tables import FAKE, ends
from eval.tables import counted, number, table

NAMES: Final = {
    "bm25": "plain BM25 over sections",
    "windows": "plain dense, windows of 500",
    "local": "qdrant-client's local mode",
}
STALLS: Final = {
    "embedding": "while all is embedded anew",
    "build": "while a new build takes over",
    "update": "while one page is brought in",
}
COST: Final = "chars5"
FIGURES: Final = {
    "mrr10": "MRR@10",
    "recall5": "Recall@5",
    "read2500": "read within 2,500",
    COST: "characters in the top five",
}
"""What plain tools are compared in, and its cost: no quality is read without that."""
_SHORT: Final = {**FIGURES, "read2500": "read 2,500", COST: "chars top 5"}


def print_bench(console: Console, result: Mapping[str, Any]) -> None:
    """Print speed and memory by size, the baselines as ratios, and what they find."""
    if result["fake"]:
        console.print(FAKE, "", sep="\n", highlight=False)
    if result["sizes"]:
        rate = result["embedding"]["per_second"]
        console.print(f"embedding: {rate:.0f} passages a second", "", sep="\n", highlight=False)
        console.print(_speed(result), "")
    if found := result.get("recall"):
        console.print(recall_line(found), "", sep="\n", highlight=False)
    if rows := serving_rows(result):
        console.print(_serving(rows), "")
    if any(name in size for size in result["sizes"] for name in NAMES):
        console.print(_ratios(result), "")
    if result["quality"]:
        console.print(_quality(result["quality"]))


def recall_line(found: Mapping[str, Any]) -> str:
    """Return what approximate search finds of an exact one, and both their times, as a sentence."""
    if not found["indexed"]:
        return f"approximate search: no graph is made for {found['points']:,} vectors; it is exact"
    ms = found["ms"]
    return (
        f"approximate search: recall@10 {found['recall10']:.3f} at {found['points']:,} vectors, "
        f"p50 {ms['approximate']['p50']:.2f} ms (exact {ms['exact']['p50']:.2f} ms)"
    )


def quality_head(quality: Mapping[str, Any]) -> str:
    """Return how many questions plain tools were asked too."""
    return counted(quality["questions"], "questions")


def figure_cell(means: Mapping[str, Any], name: str) -> str:
    """Return a mean of those that plain tools are compared in; a dash where nothing was shown."""
    return number(name, means[name]["mean"]) if shown(means, name) else "–"


def shown(means: Mapping[str, Any], name: str) -> bool:
    """Return whether a figure is there: what shows nothing to anybody has no characters."""
    return name != COST or name in means


def cold_per_second(result: Mapping[str, Any], size: Mapping[str, Any]) -> float:
    """Return passages a second of a cold index, embedding included: both take their time."""
    return float(
        1 / (1 / result["embedding"]["per_second"] + 1 / size["nightlamp"]["index_per_second"])
    )


def ratio(size: Mapping[str, Any], name: str) -> float | None:
    """Return how many times as long as our search a baseline's takes (median); None if skipped."""
    ms = size[name].get("ms")
    return ms["p50"] / size["nightlamp"]["ms"]["search"]["p50"] if ms else None


def speed_rows(result: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return speed and memory by size.

    Passages; passages a second of a cold index; what an unchanged run and one changed page take;
    search p50 and p95; p95 of a whole question; the peak in MB, without the unit.
    """
    rows: list[tuple[str, ...]] = []
    for size in result["sizes"]:
        ours = size["nightlamp"]
        search = ours["ms"]["search"]
        rows.append(
            (
                f"{ours['passages']:,}",
                f"{cold_per_second(result, size):.0f}",
                f"{ours['unchanged_seconds']:.2f} s",
                f"{ours['changed_seconds']:.2f} s",
                f"{search['p50']:.1f} ms",
                f"{search['p95']:.1f} ms",
                f"{ours['ms']['total']['p95']:.1f} ms",
                f"{ours['peak_mb']:.0f}",
            )
        )
    return rows


def serving_rows(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what a process that answers holds and how it waits; empty for an older result."""
    rows = []
    for ours in (size["nightlamp"] for size in result["sizes"]):
        if "serving_mb" in ours:
            rows.append((f"memory to answer {ours['passages']:,} passages", _memory(ours)))
    if serving := result.get("serving"):
        documents, p95 = serving["documents"], serving["ms"]["total"]["p95"]
        rows.append((f"memory to answer {documents:,} documents", _memory(serving)))
        rows.append((f"whole question p95, {documents:,} documents", f"{p95:.1f} ms"))
    if ask := result.get("ask"):
        median, slowest = ask["median_seconds"], ask["slowest_seconds"]
        rows.append(("nightlamp ask as a command", f"{median:.2f} s, slowest {slowest:.2f} s"))
    stall = result.get("stall") or {}
    for name, label in STALLS.items():
        if found := stall.get(name):
            p95 = found["ms"]["p95"]
            said = f"{found['gap_ms']:.0f} ms, question p95 {p95:.0f} ms"
            rows.append((f"longest stall {label}", said))
    if backends := result.get("backends"):
        fast, slow = (backends[name]["per_second"] for name in ("onnxruntime", "torch"))
        said = f"{fast:.0f} and {slow:.0f}, × {backends['ratio']:.2f}"
        rows.append(("passages/s by onnxruntime and torch", said))
    return rows


def _memory(found: Mapping[str, Any]) -> str:
    return f"{found['serving_mb']:.0f} MB {found['serving_memory']}"


def _serving(rows: Sequence[tuple[str, str]]) -> Table:
    made = table("answering", "measured")
    for row in rows:
        made.add_row(*row)
    return made


def _speed(result: Mapping[str, Any]) -> Table:
    made = table(
        "passages", "cold /s", "unchanged", "one page", "search p50", "p95", "whole p95", "peak MB"
    )
    for row in speed_rows(result):
        made.add_row(*row)
    return made


def _ratios(result: Mapping[str, Any]) -> Table:
    made = table("search, beside ours", *(f"{size['size']:,}" for size in result["sizes"]))
    for name, label in NAMES.items():
        cells = (ratio(size, name) for size in result["sizes"])
        made.add_row(label, *("–" if one is None else f"× {one:.3g}" for one in cells))
    return made


def _quality(quality: Mapping[str, Any]) -> Table:
    """Return a row for each figure: with its intervals, a column for each would be too wide."""
    ours, words, windows = (quality[name] for name in ("nightlamp", "bm25", "windows"))
    difference = "ours − theirs"
    made = table(
        quality_head(quality), "ours", "BM25", difference, "dense", difference,
        title=f"beside {NAMES['bm25']}; {NAMES['windows']}",
    )  # fmt: skip
    for name, label in _SHORT.items():
        cells = [figure_cell(ours, name)]
        for theirs in (words, windows):
            cells += [figure_cell(theirs, name), _ahead(theirs["ours_minus_theirs"], name)]
        made.add_row(label, *cells)
    return made


def _ahead(ahead: Mapping[str, Any], name: str) -> str:
    return ends(ahead[name], name) if shown(ahead, name) else "–"
