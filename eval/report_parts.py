"""What a report says of each kind of result file, as blocks. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval import plots
from eval.bench_tables import (
    FIGURES,
    NAMES,
    figure_cell,
    quality_head,
    ratio,
    recall_line,
    serving_rows,
    shown,
    speed_rows,
)
from eval.blocks import Block, Heading, Plot, Table, Text
from eval.comparison_tables import FAKE, characters, ends, rule_sentence, way_name
from eval.summary import OUTCOMES
from eval.tables import LABELS, bounds, counted, number, of_some, outcome_cells, signed
from eval.ways import SEARCHES

Result = Mapping[str, Any]

ANSWERED: Final = ("answerable", "mined")
OUTCOME_ROWS: Final = {
    "strong": "answerable questions answered",
    "strong_hit1": "Hit@1 of strong answers",
    "refused": "answerable questions refused",
    "refused_top3": "refused, with the answer in the top 3",
    "strong_near": "near misses answered",
    "strong_unrelated": "unrelated questions answered",
}


def run_blocks(name: str, run: Result) -> list[Block]:
    """Return what a run says: means, categories, outcomes, and its plots."""
    blocks: list[Block] = [Heading(f"Run: {name}"), Text(_measured(run))]
    if run["figures"]:
        blocks += [_means(run), *_rank_plot(run), Heading("By category", 3), _categories(run)]
        rows = {category: _three(means["mrr10"]) for category, means in run["categories"].items()}
        caption = "MRR@10 by category, with 95 % bootstrap intervals."
        blocks.append(Plot(plots.interval_rows(rows, "MRR@10"), caption))
    return [*blocks, Heading("Outcomes", 3), _outcomes(run), *_outcome_plots(run), Text(_last(run))]


def machine_line(bench: Result) -> str:
    """Return what a benchmark was run on, in words."""
    machine = bench["machine"]
    kind = f"{machine['system']} {machine['processor']}, Python {machine['python']}"
    return f"{machine['cores']} cores ({kind})"


def bench_blocks(name: str, bench: Result) -> list[Block]:
    """Return speed and memory, and what plain tools take and find; that alone without sizes."""
    if not bench["sizes"]:
        heading = Heading(f"Beside plain tools: {name}")
        return [heading, *_fake(bench), quality_table(name, bench["quality"])]
    about = (
        f"Measured on {machine_line(bench)}. Vectors are those of the real passages with noise on "
        f"them; cold is with embedding ({bench['embedding']['per_second']:.0f} passages a second). "
        "Absolute times are this machine's; the ratios are from the same run."
    )
    blocks: list[Block] = [Heading(f"Speed and memory: {name}"), *_fake(bench), Text(about)]
    blocks += speed_tables(bench)
    if found := bench.get("recall"):
        line = recall_line(found)
        blocks.append(Text(f"{line[:1].upper()}{line[1:]}."))
    if any(method in size for size in bench["sizes"] for method in NAMES):
        blocks += [Heading("Beside plain tools: time", 3), _ratios(bench)]
    if bench["quality"]:
        found = quality_table(name, bench["quality"])
        blocks += [Heading("Beside plain tools: what is found", 3), found]
    return blocks


def comparison_blocks(name: str, result: Result) -> list[Block]:
    """Return the comparison of splitters and searches, with what the rule selects."""
    rows = result["rows"]
    default = rows[result["default"]]
    about = (
        f"{counted(default['questions'], 'answerable questions')} over {result['documents']} "
        f"documents. The default is {way_name(default)}. {rule_sentence(result)} The rule is the "
        "highest MRR@10; within 0.02 of it the higher Recall@5, then the fewer characters. "
        "Differences are row − default, paired, with 95 % intervals."
    )
    blocks: list[Block] = [Heading(f"Comparison: {name}"), *_fake(result), Text(about)]
    blocks.append(Plot(_cost_plot(result), "Quality against what a reader must read."))
    head = ("shown, search", "MRR@10", "− default", "Recall@5", "read 2,500", "chars top 5")
    for model in result["models"]:
        table = Table(head, tuple(_compared(row) for row in rows if row["model"] == model))
        blocks += [Heading(model, 3), table]
    return [*blocks, *_filter_blocks(result["filter"])]


def speed_tables(bench: Result) -> list[Block]:
    """Return speed and memory by size and, where they were measured, those of answering."""
    rows = tuple(serving_rows(bench))
    answering: list[Block] = [Table(("answering", "measured"), rows)] if rows else []
    return [_speed_table(bench), *answering]


def _speed_table(bench: Result) -> Table:
    """Return speed and memory by size."""
    head = ("passages", "cold, passages/s", "unchanged run", "one changed page", "search p50",
            "search p95", "whole question p95", "peak memory")  # fmt: skip
    return Table(head, tuple((*row, f"{peak} MB") for *row, peak in speed_rows(bench)))


def quality_table(set_: str, quality: Result) -> Table:
    """Return what plain tools find of the same questions, with the paired difference.

    `set_` is the name of the questions' set.
    """
    rows = [("Nightlamp", *(figure_cell(quality["nightlamp"], name) for name in FIGURES))]
    for method in ("bm25", "windows"):
        found, ahead = quality[method], quality[method]["ours_minus_theirs"]
        rows.append((NAMES[method], *(figure_cell(found, name) for name in FIGURES)))
        rows.append(("Nightlamp − that", *(_ahead(ahead, name) for name in FIGURES)))
    return Table((f"{set_}: {quality_head(quality)}", *FIGURES.values()), tuple(rows))


def _ahead(ahead: Result, name: str) -> str:
    return _difference(ahead[name], name) if shown(ahead, name) else "–"


def _measured(run: Result) -> str:
    changed = ", ".join(f"{key}={value}" for key, value in run["set"].items())
    return (
        f"{run['questions']} questions over {run['documents']} documents ({run['sections']} "
        f"sections, {run['passages']} passages). Index: {run['fingerprint']}. Calibration: "
        f"{run['calibration']}." + (f" Set for this run: {changed}." if changed else "")
    )


def _means(run: Result) -> Table:
    n = next(iter(run["figures"].values()))["n"]
    rows = tuple(
        (
            of_some(LABELS[name], one["n"], n),
            number(name, one["mean"]),
            bounds(name, one["low"], one["high"]),
        )
        for name, one in run["figures"].items()
    )
    return Table((counted(n, "answerable questions"), "mean", "95 % interval"), rows)


def _categories(run: Result) -> Table:
    names = ("mrr10", "hit1", "recall5", "read2500")
    rows = tuple(
        (category, str(means["mrr10"]["n"]), *(f"{means[name]['mean']:.3f}" for name in names))
        for category, means in run["categories"].items()
    )
    return Table(("category", "n", "MRR@10", "Hit@1", "Recall@5", "read 2,500"), rows)


def _outcomes(run: Result) -> Table:
    rows = tuple((kind, *outcome_cells(counts)) for kind, counts in run["outcomes"].items())
    return Table(("questions", "n", *OUTCOMES), rows)


def _last(run: Result) -> str:
    parts = [
        f"AUROC of the confidence, answerable against {kind}: {value:.3f}."
        for kind, value in run["auroc"].items()
    ]
    if run["ms"]:
        parts.append(f"A question takes {run['ms']['p50']:.0f} ms (p95 {run['ms']['p95']:.0f}).")
    return " ".join(parts)


def _rank_plot(run: Result) -> list[Block]:
    ranks = [one["rank"] for one in run.get("scored", ()) if one["kind"] in ANSWERED]
    caption = "Rank of the first result that holds the answer; none: not among the ten."
    return [Plot(plots.rank_histogram(ranks), caption)] if ranks else []


def _outcome_plots(run: Result) -> list[Block]:
    """Return the outcome curves over the cut-off, and how distances are spread."""
    scored = run.get("scored", ())
    kinds = sorted({one["kind"] for one in scored})
    confidence = {k: [one["confidence"] for one in scored if one["kind"] == k] for k in kinds}
    distance = {
        k: [one["distance"] for one in scored if one["kind"] == k and one["distance"] is not None]
        for k in kinds
    }
    blocks: list[Block] = []
    if any(confidence.values()):
        curve = plots.share_curves(confidence, "cut-off on the confidence")
        blocks.append(Plot(curve, "Share of each kind that a cut-off would let through."))
    if any(distance.values()):
        spread = plots.distributions(distance, "distance of the nearest passage")
        blocks.append(
            Plot(spread, "How near the nearest passage is: the share of each kind in bins of 0.05.")
        )
    return blocks


def _cost_plot(result: Result) -> str:
    rows = result["rows"]
    best, default = rows[result["chosen"]], rows[result["default"]]
    points = {
        search: [_cost(row) for row in rows if row["search"] == search and _shown(row)]
        for search in SEARCHES
    }
    marked = {"default": default} | ({"selected": best} if best is not default else {})
    return plots.quality_and_cost(
        points, {name: _cost(row) for name, row in marked.items() if _shown(row)}
    )


def _shown(row: Result) -> bool:
    """Return whether any question was shown something: else a row has no characters."""
    return bool(row["means"]["chars5"])


def _cost(row: Result) -> tuple[float, float]:
    return row["means"]["chars5"], row["means"]["mrr10"]


def _compared(row: Result) -> tuple[str, ...]:
    means = row["means"]
    bare = "" if row["breadcrumb"] else ", no breadcrumb"
    reranker = "" if row["reranker"] == "none" else f", {row['reranker']}"
    return (
        f"{row['shown']}{bare}, {row['search']}{reranker}",
        f"{means['mrr10']:.3f}",
        _difference(row["against_default"]["mrr10"]),
        f"{means['recall5']:.3f}",
        f"{means['read2500']:.3f}",
        characters(means["chars5"]),
    )


def _filter_blocks(narrowed: Result) -> list[Block]:
    if not narrowed["all"]:
        return []
    rows = []
    for name, one in (("all", narrowed["all"]), *narrowed["services"].items()):
        figures = (f"{one['mrr10_off']:.3f}", f"{one['mrr10_on']:.3f}")
        rows.append((name, str(one["questions"]), *figures, _difference(one["difference"])))
    head = ("service", "n", "MRR@10, all pages", "narrowed", "difference")
    return [Heading("Narrowed to the right service", 3), Table(head, tuple(rows))]


def _ratios(bench: Result) -> Table:
    head = ("search time, ours = 1", *(f"{size['size']:,} passages" for size in bench["sizes"]))
    rows = []
    for name, label in NAMES.items():
        found = [ratio(size, name) for size in bench["sizes"]]
        rows.append((label, *("not measured" if one is None else f"× {one:.3g}" for one in found)))
    return Table(head, tuple(rows))


def _fake(result: Result) -> list[Block]:
    return [Text(FAKE)] if result["fake"] else []


def _three(interval: Result) -> tuple[float, float, float]:
    return interval["mean"], interval["low"], interval["high"]


def _difference(interval: Result, figure: str = "mrr10") -> str:
    return f"{signed(figure, interval['mean'])} [{ends(interval, figure)}]"


def outcome_rows(run: Result) -> Sequence[tuple[str, str]]:
    """Return the shares of outcomes that a reader asks for first, by their names."""
    shares = run["shares"]
    return [
        (label, f"{shares[name]['mean']:.1%}")
        for name, label in OUTCOME_ROWS.items()
        if name in shares
    ]
