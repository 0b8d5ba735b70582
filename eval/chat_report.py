"""How long people wait in the chats, as blocks of the report."""

from collections.abc import Mapping
from typing import Any

from eval.blocks import Block, Heading, Table, Text

Result = Mapping[str, Any]
_PLACES = {
    "discord": "Discord",
    "slack": "Slack",
    "slack_while_a_build_runs": "Slack, while all is indexed anew",
}


def chat_blocks(name: str, result: Result) -> list[Block]:
    """Return the figures of `tests/bench_chat.py`; `name` is the result's."""
    blocks: list[Block] = [
        Heading(f"In the chats: {name}"),
        Text(
            f"{result['questions']} questions over {result['documents']:,} documents "
            f"({result['passages']:,} passages), warm, through the real clients over fakes on "
            f"loopback, {result['machine']['cores']} cores. Times as the platform sees them."
        ),
        chat_table(result),
    ]
    if ratio := written_ratio(result):
        blocks.append(
            Text(
                f"With a model for written answers configured, the card stands after × {ratio:.2f} "
                "of the median time without one, in the same run."
            )
        )
    return blocks


def chat_table(result: Result) -> Table:
    """Return the waits by platform."""
    head = ("median (p95) in ms", "acknowledged", "answered", "50 at once, answered")
    rows = []
    for key, label in _PLACES.items():
        one = result[key]
        crowd = one.get("at_once")
        together = f"{crowd['answered']} in {crowd['seconds']:.1f} s" if crowd else "–"
        rows.append((label, _wait(one["acknowledged_ms"]), _wait(one["answered_ms"]), together))
    return Table(head, tuple(rows))


def written_ratio(result: Result) -> float | None:
    """Return how much longer a card takes where a model is configured; None if not measured."""
    pair = result.get("written")
    return pair["with_ms"]["p50"] / pair["without_ms"]["p50"] if pair else None


def _wait(spread: Mapping[str, float]) -> str:
    return f"{spread['p50']:.0f} ({spread['p95']:.0f})"
