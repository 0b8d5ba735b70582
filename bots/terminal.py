"""A card on a terminal, or plain in a pipe.

On a screen prose is wrapped and coloured; code is printed as it stands in the runbook, unwrapped
and at the margin, so that what is copied is what was written. In a pipe nothing is wrapped,
coloured or left out.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from rich.cells import cell_len
from rich.console import Console

from bots.card import Card, Listing, Part, Pick, Row, Tone
from bots.harmless_card import harmless_card
from bots.ink import Ink, coloured, colourless
from bots.output import say
from bots.screen_text import on_screen
from bots.wrapping import wrapped

WIDEST = 100
"""Columns beyond which prose is hard to read."""
_TITLES = {
    Tone.ANSWER: "bold green",
    Tone.WEAK: "bold yellow",
    Tone.REFUSAL: "bold red",
    Tone.INFO: "bold",
    Tone.ERROR: "bold red",
}
_LEADS = {Tone.WEAK: "yellow"}


@dataclass(frozen=True, slots=True)
class Look:
    """How to print: `width` in columns, or None where nothing is to be wrapped."""

    width: int | None = None
    ink: Ink = colourless


def look_of(stream: TextIO) -> Look:
    """Return the look for a stream: plain unless it is a terminal; `NO_COLOR` is honoured."""
    console = Console(file=stream)
    if not console.is_terminal or console.is_dumb_terminal:
        return Look()
    return Look(min(console.width, WIDEST), colourless if console.no_color else coloured)


def show(card: Card) -> None:
    """Print a card on standard output."""
    say(card_text(card, look_of(sys.stdout), here=Path.cwd()))


def card_text(card: Card, look: Look, *, here: Path | None = None) -> str:
    """Return a card as text with a line end; places inside of the folder `here` are short."""
    shown = harmless_card(card)
    blocks = (block for block in _blocks(shown, look, here) if block)
    return "\n\n".join(blocks) + "\n"


def _blocks(card: Card, look: Look, here: Path | None) -> Iterator[str]:
    if card.parts:
        yield _prose(card.lead, look, _LEADS.get(card.tone, ""))
        yield "\n".join(_heading(card, look, here))
        for part in card.parts:
            if part.heading != card.title:
                yield "\n".join(_part_heading(part, look, here))
            yield (
                on_screen(part.text, look.width, look.ink) if look.width else part.text.strip("\n")
            )
    else:
        yield _prose(card.title, look, _TITLES[card.tone])
        yield _prose(card.lead, look)
    yield _prose(card.warning, look, "bold yellow")
    if card.gaps:
        yield "\n".join((look.ink(f"{card.gaps_heading}:", "bold"), *_gaps(card, look)))
    yield from (_listing(listing, look) for listing in card.listings)
    if card.picks:
        yield "\n".join((look.ink(f"{card.picks_heading}:", "bold"), *_picks(card, look, here)))
    yield look.ink(card.footer, "dim")


def _heading(card: Card, look: Look, here: Path | None) -> Iterator[str]:
    yield _prose(card.title, look, _TITLES[card.tone])
    local = _local(card.link, card.parts[0].place, here)
    said = (local, *card.meta[1:]) if local else card.meta
    yield _meta(said, look, "yellow" if card.stale else "dim")
    if card.link and not local:
        yield look.ink(card.link, "dim")


def _meta(said: Sequence[str], look: Look, style: str) -> str:
    """Return what is said of a page, in lines that break between things, not within."""
    lines = list(said[:1])
    for item in said[1:]:
        longer = f"{lines[-1]} · {item}"
        if look.width and cell_len(longer) > look.width:
            lines.append(item)
        else:
            lines[-1] = longer
    return "\n".join(look.ink(line, style) for line in lines)


def _part_heading(part: Part, look: Look, here: Path | None) -> Iterator[str]:
    yield _prose(part.heading, look, "bold")
    yield look.ink(_local(part.link, part.place, here) or part.link or part.place, "dim")


def _picks(card: Card, look: Look, here: Path | None) -> Iterator[str]:
    number = len(str(max(pick.index for pick in card.picks) + 1))
    for pick in card.picks:
        before = f"  {pick.index + 1:>{number}}. "
        yield _prose(pick.label, look, first=before)
        yield look.ink(f"{' ' * len(before)}{_pick_place(pick, here)}", "dim")


def _pick_place(pick: Pick, here: Path | None) -> str:
    where = _local(pick.link, pick.place, here) or pick.link or pick.place
    return f"{pick.distance} · {where}"


def _gaps(card: Card, look: Look) -> Iterator[str]:
    for gap in card.gaps:
        yield _prose(gap.label, look, first=f"  {gap.gap_id}  ")
        for said in (gap.detail, gap.place, gap.near, gap.link):
            if said:
                yield _prose(said, look, "dim", first=" " * (len(gap.gap_id) + 4))


def _listing(listing: Listing, look: Look) -> str:
    widest = max((cell_len(row.label) for row in listing.rows if row.detail), default=0)
    rows = [_row(row, widest, look) for row in listing.rows]
    if listing.more:
        rows.append(look.ink(f"  … and {listing.more} more", "dim"))
    return "\n".join((look.ink(f"{listing.heading}:", "bold"), *rows))


def _row(row: Row, widest: int, look: Look) -> str:
    if not row.detail:
        return f"  {row.label}"
    before = f"  {row.label}{' ' * (widest - cell_len(row.label))}  "
    if look.width and cell_len(before) > look.width * 3 // 5:
        return f"  {row.label}\n{_prose(row.detail, look, 'dim', first='    ')}"
    return _prose(row.detail, look, first=before)


def _prose(text: str, look: Look, style: str = "", *, first: str = "") -> str:
    if not text:
        return ""
    rest = " " * cell_len(first)
    lines = wrapped(text, look.width, first=first, rest=rest) if look.width else first + text
    return "\n".join(look.ink(line, style) if style else line for line in lines.split("\n"))


def _local(link: str, place: str, here: Path | None) -> str:
    """Return a local file as `path:line`, which terminals and editors open; else nothing."""
    if not link.startswith("file://"):
        return ""
    path = Path(url2pathname(urlsplit(link).path))
    if here is not None and path.is_relative_to(here):
        path = path.relative_to(here)
    return f"{path}:{place.rpartition(':')[2]}"
