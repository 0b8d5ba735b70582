"""The comparison for a terminal of 80 columns, plain when piped."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from eval.tables import signed, table
from eval.ways import selected

FAKE = "A fake run: the hashing embedder stands in for the model, the figures mean nothing."


def print_comparison(console: Console, result: Mapping[str, Any]) -> None:
    """Print one table a model: quality beside cost, and the difference against the default."""
    rows = result["rows"]
    if result["fake"]:
        console.print(FAKE, "", sep="\n", highlight=False)
    for model in result["models"]:
        console.print(_table(result, model), "")
    console.print(
        f"the default: {way_name(rows[result['default']])}",
        rule_sentence(result),
        sep="\n",
        highlight=False,
        soft_wrap=True,
    )
    for row in rows:
        if late := row.get("late"):
            console.print(
                f"{way_name(row)}: in a chat {late} of {row['questions']} questions would keep the "
                "order of the search, for the reranker failed or took more than "
                "NIGHTLAMP_RETRIEVAL_RERANKER_SECONDS here",
                highlight=False,
                soft_wrap=True,
            )
    if narrowed := result["filter"]["all"]:
        console.print(
            f"narrowed to the right service ({narrowed['questions']} questions): MRR@10 "
            f"{narrowed['mrr10_off']:.3f} → {narrowed['mrr10_on']:.3f} "
            f"({ends(narrowed['difference'])})",
            highlight=False,
            soft_wrap=True,
        )


def way_name(row: Mapping[str, Any]) -> str:
    """Return the name of a row: what is shown, how it is embedded, what is searched."""
    bare = "" if row["breadcrumb"] else ", without breadcrumb"
    reranker = "" if row["reranker"] == "none" else f", reranked by {row['reranker']}"
    return f"{row['shown']}{bare}, {row['search']}{reranker}, {row['model']}"


def rule_sentence(result: Mapping[str, Any]) -> str:
    """Return what the rule of selection says of the rows, and what is selected by it."""
    rows = result["rows"]
    literal, best = rows[selected([row["means"] for row in rows])], rows[result["chosen"]]
    if literal is best:
        return f"The rule of selection selects {way_name(best)}."
    return (
        f"The rule of selection taken literally selects {way_name(literal)}; whole documents are "
        "no candidate, because a page that is shown whole is found with every question about it; "
        f"so it selects {way_name(best)}."
    )


def characters(mean: float | None) -> str:
    """Return a mean of characters, a dash where nothing was shown to any question."""
    return "–" if mean is None else f"{mean:,.0f}"


def ends(interval: Mapping[str, float], figure: str = "mrr10") -> str:
    """Return the interval of a figure's difference, signed."""
    return f"{signed(figure, interval['low'])} to {signed(figure, interval['high'])}"


def _table(result: Mapping[str, Any], model: str) -> Table:
    heads = ("MRR", "against default", "R@5", "2,500", "chars 5")
    made = table("shown, search", *heads, title=model)
    for row in result["rows"]:
        if row["model"] != model:
            continue
        means = row["means"]
        bare = "" if row["breadcrumb"] else " bare"
        reranker = "" if row["reranker"] == "none" else f" {row['reranker']}"
        made.add_row(
            f"{row['shown']}{bare} {row['search']}{reranker}",
            f"{means['mrr10']:.3f}",
            ends(row["against_default"]["mrr10"]),
            f"{means['recall5']:.3f}",
            f"{means['read2500']:.3f}",
            characters(means["chars5"]),
        )
    return made
