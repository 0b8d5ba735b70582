"""What the bot says where a question is narrowed to a name that no document has. Pure."""

from bots.card import Card, Listing, Row, Tone
from core.outcomes import UnknownName


def unknown_card(unknown: UnknownName) -> Card:
    """Say that the name is the reason why nothing was found, and which there are."""
    rows = tuple(Row(name) for name in unknown.nearest)
    return Card(
        Tone.INFO,
        title=f"No document names the {unknown.kind} {unknown.name}",
        lead=f"Nothing was found for it, and it is no gap. Ask again with another {unknown.kind}, "
        "or without one; if you named none, the settings of this channel do.",
        listings=(Listing("The nearest that there are", rows),) if rows else (),
    )


def unknown_sentence(unknown: UnknownName) -> str:
    """Say it in one sentence."""
    nearest = ", ".join(unknown.nearest)
    there = f"the nearest: {nearest}" if nearest else f"none names any {unknown.kind}"
    return f"No document names the {unknown.kind} {unknown.name}; {there}."
