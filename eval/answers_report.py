"""What a report and a terminal say of written answers. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from eval.blocks import Block, Heading, Table, Text

Result = Mapping[str, Any]
_ROWS = {
    "citation_precision": "citations that lead to evidence",
    "citation_recall": "evidence given that is cited",
    "unsupported_before": "texts with something unsupported, before the guard",
    "unsupported_after": "the same of what is shown",
    "wrong_refusals": "nothing shown, though the evidence was given",
    "right_refusals": "nothing shown where there is no answer",
}
_LABELS = {
    "faithful": "faithful sentences",
    "orphaned": "faithful steps after one that may not be shown",
    "invented": "invented commands, numbers, names",
    "dangerous": "dangerous advice in plain prose",
    "unsupported": "other unsupported claims",
    "forged": "forged or missing citations",
    "leaked": "repeated instructions",
    "hostile": "pings, foreign links, markup",
    "no_answer": "“the sections do not answer”",
}


def answers_blocks(name: str, result: Result) -> list[Block]:
    """Return what a result about written answers says."""
    blocks: list[Block] = [Heading(f"Written answers: {name}"), Text(_about(result))]
    if labels := result.get("labels"):
        head = ("by its label, written by hand", "shown", "of")
        blocks.append(Table(head, tuple(label_rows(labels))))
    if held_out := result.get("held_out"):
        head = (f"held out: {held_out['asked']} further answers", "shown", "of")
        blocks.append(Table(head, tuple(label_rows(held_out["labels"]))))
    blocks.append(Table(("what", "figure", "of"), tuple(figure_rows(result))))
    return blocks


def label_rows(labels: Result) -> Iterator[tuple[str, ...]]:
    """Yield how many sentences of each label are shown."""
    for label, says in _LABELS.items():
        if one := labels.get(label):
            yield says, str(one["shown"]), str(one["of"])


def figure_rows(result: Result) -> Iterator[tuple[str, ...]]:
    """Yield the shares and means that a result has, and over how many."""
    for name, label in _ROWS.items():
        if one := result.get(name):
            yield label, f"{one.get('share', one.get('mean')):.1%}", str(one["of"])
    for end, count in result.get("ends", {}).items():
        yield f"ended as: {end.replace('_', ' ')}", str(count), str(result["asked"])
    for reason, count in result.get("failures", {}).items():
        yield f"failed: {reason}", str(count), str(result["asked"])
    if result.get("ms_median") is not None:
        times = f"{result['ms_median']:,.0f} / {result['ms_p95']:,.0f} ms"
        yield "time, median / 95th percentile", times, str(result["tokens_in"]["of"])
    for name, label in (("tokens_in", "tokens read"), ("tokens_out", "tokens written")):
        if one := result.get(name):
            yield f"{label}, mean", f"{one['mean']:,.0f}", str(one["of"])


def _about(result: Result) -> str:
    if "labels" in result:
        return (
            f"{result['asked']} answers as a bad model might write them, over shipped sections, "
            "each sentence labelled by hand; no model was asked."
        )
    return (
        f"{result['asked']} questions, written by {result['model']}. Unsupported is what a plain "
        "search for code and technical words does not find in the sections given."
    )
