"""Cards to Discord messages within its limits. Pure.

A message has up to 6,000 characters over all of its embeds, a title 256, a description 4,096, a
footer 2,048; a menu 25 options of 100 characters (Discord's API documentation, "Embed limits").
"""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import discord

from bots.card import Button, Card, GapLine, Listing, Pick, Row, Tone
from bots.cards import GOES_ON, OPENS_LATER
from bots.discord_bot.markup import discord_markup, escaped
from bots.harmless_card import harmless_around
from bots.text import parts
from core.models import Span
from corpus.markdown import BlockKind, parse

COLOURS = {
    Tone.ANSWER: 0x2E9E5B,
    Tone.WEAK: 0xE0A100,
    Tone.REFUSAL: 0xC2543C,
    Tone.INFO: 0x5C6BC0,
    Tone.ERROR: 0xB00020,
}
MOST_PARTS = 3
_TITLE, _FOOTER, _URL, _OPTION, _OPTIONS = 256, 200, 1000, 100, 25
_LISTED = 5
"""Near misses in the text of a card; the menu has them all."""
_NOT_IN_LINK = "!#$%&'*+,/:;=?@~-._"
_AND_MORE = "(There is more.)"


@dataclass(frozen=True, slots=True)
class Post:
    """One message: its embeds, and the menus and buttons below; only the last one has these."""

    embeds: tuple[discord.Embed, ...]
    picks: tuple[Pick, ...] = ()
    buttons: tuple[Button, ...] = ()
    gaps: tuple[GapLine, ...] = ()


@dataclass(frozen=True, slots=True)
class _Room:
    """How much a description holds, and what may stand in it above and below the section."""

    description: int
    above: int
    below: int


_PUBLIC = _Room(description=4000, above=900, below=2000)
_PRIVATE = _Room(description=2600, above=500, below=1200)


def posts(card: Card, *, private: bool = False) -> list[Post]:
    """Return a card as up to three messages, or as one with up to two embeds if it is private.

    What only one person sees can be edited later in one message alone.
    """
    card = harmless_around(card)
    room, most = (_PRIVATE, 2) if private else (_PUBLIC, MOST_PARTS)
    texts = _section_texts(card, room, most) if card.parts else _list_texts(card, room, most)
    embeds = [_embed(card, text, at, len(texts)) for at, text in enumerate(texts)]
    groups = [tuple(embeds)] if private else [(embed,) for embed in embeds]
    plain = [Post(group) for group in groups[:-1]]
    return [*plain, Post(groups[-1], card.picks[:_OPTIONS], card.buttons, card.gaps)]


def option_texts(pick: Pick) -> tuple[str, str]:
    """Return a menu option's label and description."""
    return _cut(pick.label, _OPTION) or "…", _cut(f"{pick.distance} · {pick.place}", _OPTION)


def safe_url(url: str) -> str:
    """Return a URL that Discord takes, or nothing: one that it refuses loses the whole message."""
    try:
        split = urlsplit(url)
        host = split.hostname or ""
        _ = split.port
    except ValueError:
        return ""
    encoded = quote(url, safe=_NOT_IN_LINK)
    if split.scheme not in {"http", "https"} or not _named(host) or len(encoded) > _URL:
        return ""
    return encoded


def _named(host: str) -> bool:
    """Return whether a host is an address, or a name with a dot inside."""
    try:
        return ipaddress.ip_address(host).version == 4
    except ValueError:
        labels = host.split(".")
        return len(labels) > 1 and all(
            label and label.isascii() and label.replace("-", "").replace("_", "").isalnum()
            for label in labels
        )


# --- embeds ---------------------------------------------------------------------------------------


def _embed(card: Card, text: str, at: int, count: int) -> discord.Embed:
    """Return one embed; those after the first have no title, each says which of how many it is."""
    embed = discord.Embed(description=text or None, colour=COLOURS[card.tone])
    if at == 0:
        embed.title = _cut_escaped(card.title, _TITLE) or "Nightlamp"
        embed.url = safe_url(card.link) or None
    which = f"part {at + 1} of {count}" if count > 1 else ""
    if footer := " · ".join(filter(None, (card.footer, which))):
        embed.set_footer(text=_cut(footer, _FOOTER))
    return embed


def _section_texts(card: Card, room: _Room, most: int) -> list[str]:
    """Return the sections in parts, opening at what matched if they are too long for them all."""
    above = _fitting(_above(card), room.above)
    below = _fitting(_below(card), room.below)
    left = room.description - len(above) - len(below) - 4
    text, matched = _sections(card)
    cut = parts(text, left, most=most, open_at=matched, opening=OPENS_LATER, ending=GOES_ON)
    cut = cut or [""]
    cut[0] = _joined(above, cut[0])
    cut[-1] = _joined(cut[-1], below)
    return cut


def _sections(card: Card) -> tuple[str, Span | None]:
    """Return all sections as one text, and where in it the first one's match stands.

    The heading of each is left out: it stands above as a title.
    """
    texts: list[str] = []
    matched: Span | None = None
    for at, part in enumerate(card.parts):
        start = _body(part.text)
        markup = discord_markup(part.text[start:])
        if at == 0:
            matched = markup.place(_within(part.matched, start))
            texts.append(markup.text.rstrip())
        else:
            texts.append(f"**{_linked(part.heading, part.link)}**\n{markup.text.rstrip()}")
    return "\n\n".join(texts), matched


def _body(text: str) -> int:
    """Return where a section's text begins, behind the heading if it has one."""
    blocks = parse(text).blocks
    headed = blocks and blocks[0].kind is BlockKind.HEADING
    start = blocks[0].span.end if headed and not text[: blocks[0].span.start].strip() else 0
    return start + len(text[start:]) - len(text[start:].lstrip("\n"))


def _within(span: Span | None, start: int) -> Span | None:
    return span and Span(max(span.start - start, 0), max(span.end - start, 0))


def _list_texts(card: Card, room: _Room, most: int) -> list[str]:
    whole = "\n\n".join((*_above(card), *_below(card)))
    cut = parts(whole, room.description, most=most, ending=_AND_MORE)
    return cut or [""]


def _above(card: Card) -> Iterator[str]:
    if card.lead:
        yield escaped(card.lead) if card.parts else _paragraphs(card.lead)
    if card.meta:
        mark = "⏳ " if card.stale else ""
        yield f"{mark}*{' · '.join(escaped(text) for text in card.meta)}*"


def _below(card: Card) -> Iterator[str]:
    if card.warning:
        yield f"⚠️ **{escaped(card.warning)}**"
    if card.gaps:
        heading = (f"**{escaped(card.gaps_heading)}**",) if card.gaps_heading else ()
        yield "\n\n".join((*heading, *map(_gap, card.gaps)))
    for listing in card.listings:
        if listing.rows or listing.more:
            yield _listing(listing)
    if card.picks and card.tone is not Tone.ANSWER:
        shown = card.picks[:_LISTED]
        rows = tuple(Row(pick.label, pick.distance, pick.link) for pick in shown)
        yield _listing(Listing(card.picks_heading, rows, more=len(card.picks) - len(shown)))


def _fitting(blocks: Iterator[str], limit: int) -> str:
    """Return as many whole lines of the blocks as fit."""
    lines = "\n\n".join(blocks).split("\n")
    while sum(len(line) + 1 for line in lines) > limit:
        lines.pop()
    return "\n".join(lines).strip("\n")


def _listing(listing: Listing) -> str:
    rows = [_row(row) for row in listing.rows]
    if listing.more:
        rows.append(f"- … and {listing.more} more")
    return "\n".join((f"**{escaped(listing.heading)}**", *rows))


def _gap(gap: GapLine) -> str:
    said = [f"**{gap.gap_id}** {escaped(_cut(gap.label, 300))}", escaped(_cut(gap.detail, 300))]
    if gap.place:
        said.append(_linked(_cut(gap.place, 300), "" if gap.near else gap.link))
    if gap.near:
        said.append(_linked(_cut(gap.near, 300), gap.link))
    return "\n".join(said)


def _row(row: Row) -> str:
    detail = f" · {escaped(_cut(row.detail, 300))}" if row.detail else ""
    return f"- {_linked(_cut(row.label, 200), row.link)}{detail}"


def _linked(label: str, link: str) -> str:
    url = safe_url(link)
    return f"[{escaped(label)}]({url})" if url else escaped(label)


def _paragraphs(text: str) -> str:
    return "\n\n".join(escaped(_cut(one, 1500)) for one in text.split("\n\n"))


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


def _cut(text: str, limit: int) -> str:
    """Return text on one line of up to `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _cut_escaped(text: str, limit: int) -> str:
    """Return text escaped within a limit, no escape cut in two."""
    longest = limit
    while len(shown := escaped(_cut(text, longest))) > limit:
        longest -= len(shown) - limit
    return shown
