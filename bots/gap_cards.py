"""What is said after somebody acted on a gap. Pure."""

from typing import assert_never

from bots.card import Card, Listing, Row, Tone
from feedback.models import GapRecord, GapStatus


def decided_card(record: GapRecord) -> Card:
    """Say how a gap stands now that somebody decided on it."""
    section = record.section
    rows = (Row(section.breadcrumb, f"{section.source}/{section.path}"),) if section else ()
    return Card(
        Tone.INFO,
        title=f"{record.id} {_stands(record)}",
        lead=_follows(record),
        listings=(Listing("Answered by", rows),) if rows else (),
    )


def drafted_card(record: GapRecord, *, found: bool) -> Card:
    """Say what to do with a draft; `found` where it begins with a line for a page there is."""
    if found:
        return Card(
            Tone.INFO,
            title=f"A line for {record.id}",
            lead="The answer is there already: add the line at the top of this file to its section "
            "and have it indexed. Those who asked are told.",
        )
    return Card(
        Tone.INFO,
        title=f"A page for {record.id}",
        lead="Finish it, put it among your runbooks and have them indexed: those who asked are "
        "told.",
    )


def _stands(record: GapRecord) -> str:
    match record.status:
        case GapStatus.OPEN:
            return "is open again"
        case GapStatus.OWNED:
            return "has an owner"
        case GapStatus.SNOOZED:
            until = f" until {record.snoozed_until:%Y-%m-%d}" if record.snoozed_until else ""
            return f"is snoozed{until}"
        case GapStatus.DISMISSED:
            return "is no gap"
        case GapStatus.DONE | GapStatus.CLOSED:
            return "is answered"
        case _:
            assert_never(record.status)


def _follows(record: GapRecord) -> str:
    match record.status:
        case GapStatus.OWNED:
            return (
                "The digest says so. Write the page; once it is indexed, those who asked are told."
            )
        case GapStatus.SNOOZED:
            return "No digest names it until then."
        case GapStatus.DISMISSED:
            return "No digest names it any more."
        case GapStatus.DONE:
            return "Those who asked are told."
        case GapStatus.OPEN | GapStatus.CLOSED:
            return ""
        case _:
            assert_never(record.status)
