"""The sections and lists of a card, cut into messages. Pure."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from bots.card import Card, Listing, Part, Pick, Row, Tone
from bots.cards import GOES_ON, OPENS_LATER
from bots.slack_bot.encoding import escaped, escaped_within
from bots.slack_bot.inline import link, marked
from bots.slack_bot.mrkdwn import Piece, joined, pieces
from bots.text import SHORTEST, parts

SECTION = 3000
"""Characters that Slack takes in one section."""
BODY = 4300
"""Characters of a message's body. With all that stands around it a message has 9,000 at most: Slack
documents no limit, and refuses somewhere between 9,600 and 11,300."""
MOST = 3
"""Messages that one card takes."""
_LIMITS = (3900, 2600, 1800, 1000, 500)
"""Characters of Markdown a message, tried in turn: escapes and aligned tables make it longer."""
_SMALL = 2700
_CODE_APART = 15


def bodies(card: Card) -> list[list[Piece]]:
    """Return what a card shows, in the pieces of one to three messages; none where it is bare."""
    for limit in _LIMITS:
        chunks = [
            chunk for at, part in enumerate(card.parts) for chunk in _part(card, part, at, limit)
        ]
        chunks += [[piece] for piece in _lists(card)]
        packed = _packed(chunks)
        if len(packed) <= MOST and all(_size(body) <= BODY for body in packed):
            return packed
    return [*packed[: MOST - 1], [*packed[MOST - 1][:-1], Piece("… and more.")]]


def body_blocks(body: Sequence[Piece]) -> list[dict[str, Any]]:
    """Return pieces as blocks: mrkdwn together in sections, rich text by itself."""
    blocks: list[dict[str, Any]] = []
    for is_rich, run in groupby(body, key=lambda piece: bool(piece.rich)):
        if is_rich:
            elements = [element for piece in run for element in piece.rich]
            blocks.append({"type": "rich_text", "elements": elements})
        else:
            blocks += [section(joined(group)) for group in _sections(list(run))]
    return blocks


def section(text: str) -> dict[str, Any]:
    """Return a section that Slack neither folds up nor looks for names and addresses in."""
    mrkdwn = {"type": "mrkdwn", "text": text, "verbatim": True}
    return {"type": "section", "text": mrkdwn, "expand": True}


def _part(card: Card, part: Part, at: int, limit: int) -> Iterator[list[Piece]]:
    most = MOST if at == 0 else 1
    cut = parts(
        part.text, limit, most=most, open_at=part.matched, opening=OPENS_LATER, ending=GOES_ON
    )
    for number, text in enumerate(cut):
        head = [_part_heading(part)] if number == 0 and part.heading != card.title else []
        found = [piece for small in parts(text, _SMALL) for piece in _fitting(small)]
        if head or found:
            yield [*head, *found]


def _part_heading(part: Part) -> Piece:
    return Piece(marked(link(part.link, part.heading), "*"))


def _fitting(text: str) -> tuple[Piece, ...]:
    """Return a text's pieces, cut smaller until each fits into a section."""
    found = pieces(text)
    if len(text) <= SHORTEST or all(piece.size <= SECTION for piece in found):
        return found
    halves = parts(text, max(SHORTEST, len(text) // 2))
    return tuple(piece for half in halves for piece in _fitting(half))


def _lists(card: Card) -> Iterator[Piece]:
    for listing in card.listings:
        if listing.rows or listing.more:
            yield from _listing(listing)
    if card.tone is Tone.REFUSAL and card.picks:
        rows = tuple(_pick_row(pick) for pick in card.picks)
        yield from _listing(Listing(card.picks_heading, rows))


def _pick_row(pick: Pick) -> Row:
    return Row(pick.label, f"{pick.distance} · {pick.place}", pick.link)


def _listing(listing: Listing) -> Iterator[Piece]:
    lines = [marked(escaped_within(listing.heading, 300), "*"), *map(_row, listing.rows)]
    if listing.more:
        lines.append(f"… and {listing.more} more")
    while lines:
        fitting = _how_many(lines)
        yield Piece("\n".join(lines[:fitting]))
        lines = lines[fitting:]


def _how_many(lines: Sequence[str]) -> int:
    size = 0
    for at, line in enumerate(lines):
        size += len(line) + 1
        if size > SECTION and at:
            return at
    return len(lines)


def _row(row: Row) -> str:
    label = link(row.link, row.label)
    line = f"• {label} · {escaped(row.detail)}" if row.detail else f"• {label}"
    return line if len(line) <= SECTION else f"• {escaped_within(row.label, 400)}"


def _packed(chunks: Sequence[list[Piece]]) -> list[list[Piece]]:
    packed: list[list[Piece]] = []
    for chunk in chunks:
        if packed and _size(packed[-1]) + _size(chunk) <= BODY:
            packed[-1] = packed[-1] + chunk
        else:
            packed.append(chunk)
    return packed


def _size(body: Sequence[Piece]) -> int:
    return sum(piece.size + 2 for piece in body)


def _sections(run: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield what goes into one section each: code by itself, unless that would be too many."""
    apart = sum(piece.code for piece in run) <= _CODE_APART
    group: list[Piece] = []
    for piece in run:
        alone = apart and group and (piece.code or group[-1].code)
        if alone or (group and _size(group) + piece.size > SECTION):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group
