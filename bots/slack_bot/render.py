"""A Card as Slack messages in Block Kit. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bots.card import Button, ButtonKind, Card, Pick
from bots.cards import GOES_ON
from bots.harmless import harmless
from bots.harmless_card import harmless_around
from bots.slack_bot.body import BODY, MOST, bodies, body_blocks, section
from bots.slack_bot.encoding import escaped_within
from bots.slack_bot.inline import link

CHOOSE, GAP = "nightlamp.choose", "nightlamp.gap"
_TITLE, _OPTION, _CONTEXT, _FALLBACK, _ASKED, _LEAD, _WARNING = 150, 75, 1000, 300, 300, 1000, 500
_LINK = 1100
"""Characters of a link in a gap's lines: two of them, and the rest, fit one section."""
_MOST_GAPS = 20
_STYLES = {ButtonKind.DELETE: "danger", ButtonKind.ASK_HUMAN: "primary"}

Block = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message: what a notification says, and its blocks."""

    text: str
    blocks: tuple[Block, ...]

    @property
    def payload(self) -> dict[str, Any]:
        """Return the arguments that every call takes which sends or changes it."""
        return {
            "text": self.text,
            "blocks": list(self.blocks),
            "unfurl_links": False,
            "unfurl_media": False,
        }


def action_id(kind: ButtonKind) -> str:
    """Return the name by which Slack tells that a button was pressed."""
    return f"nightlamp.{kind}"


def messages(
    card: Card, *, exchange_id: str = "", asked: str = "", mention: str = ""
) -> list[Message]:
    """Return a card as one message or, where it is long, up to three.

    `exchange_id` is carried by what can be picked, `asked` is a question that others could not see
    being typed, `mention` whom to call (a user or user group, in Slack's own form).
    """
    card, asked = harmless_around(card), harmless(asked)
    first, *rest = _bodies(card)
    total = 1 + len(rest)
    shown = [Message(_fallback(card), tuple(_first(card, first, exchange_id, asked, mention)))]
    for number, body in enumerate(rest, 2):
        footer = f"part {number} of {total} · {card.footer}".removesuffix(" · ")
        blocks = (*body, _context([escaped_within(footer, 200)]))
        shown.append(Message(f"{_fallback(card)} ({number}/{total})", blocks))
    return shown[:MOST]


def only_adds(card: Card, longer: Card) -> bool:
    """Return whether the longer card has the same messages, with something below in the last."""
    before, after = bodies(card), bodies(longer)
    if not before or len(before) != len(after) or before[:-1] != after[:-1]:
        return False
    old, new = before[-1], after[-1]
    added = new[len(old) :]
    return new[: len(old)] == old and bool(added) and not any(GOES_ON in one.text for one in added)


def _first(
    card: Card, body: Sequence[Block], exchange_id: str, asked: str, mention: str
) -> Iterator[Block]:
    yield {
        "type": "header",
        "block_id": card.tone.value,
        "text": {
            "type": "plain_text",
            "text": cut(card.title, _TITLE) or "…",
            "emoji": False,
        },
    }
    if asked.strip():
        yield _context([f"Asked: {escaped_within(asked, _ASKED)}"])
    lead = escaped_within(card.lead, _LEAD)
    if spoken := " ".join(filter(None, (mention, lead))):
        yield section(spoken)
    yield from body
    if card.warning:
        yield section(f"⚠️ {escaped_within(card.warning, _WARNING)}")
    if said := list(_said(card)):
        yield _context(said)
    if card.picks:
        yield {"type": "actions", "elements": [_select(card, exchange_id)]}
    if card.buttons:
        yield {"type": "actions", "elements": [_button(button) for button in card.buttons]}


def _bodies(card: Card) -> list[list[Block]]:
    """Return what stands between a card's lead and its small print, in one to three messages."""
    shown: list[list[Block]] = [[*body_blocks(body)] for body in bodies(card)]
    if not card.gaps:
        return shown or [[]]
    packed: list[list[Block]] = [[]]
    for block in _gaps(card):
        if len(packed[-1]) >= _MOST_GAPS or _size([*packed[-1], block]) > BODY:
            packed.append([])
        packed[-1].append(block)
    for blocks in shown:
        if _size([*packed[-1], *blocks]) > BODY:
            packed.append([])
        packed[-1] += blocks
    if len(packed) > MOST:
        packed = [*packed[: MOST - 1], [*packed[MOST - 1][:-1], section("… and more.")]]
    return packed


def _size(blocks: Sequence[Block]) -> int:
    """Return about how many characters blocks have: menus are short."""
    return sum(len(str(block.get("text") or block.get("elements"))) for block in blocks)


def _gaps(card: Card) -> Iterator[Block]:
    """Yield each gap with a menu of what can be decided on it."""
    if card.gaps_heading.strip():
        yield section(f"*{escaped_within(card.gaps_heading, 200)}*")
    for gap in card.gaps:
        lines = [f"*{gap.gap_id}* {escaped_within(gap.label, 400)}"]
        lines.append(escaped_within(gap.detail, 300))
        if gap.place:
            lines.append(_linked("" if gap.near else gap.link, gap.place))
        if gap.near:
            lines.append(_linked(gap.link, gap.near))
        shown = section("\n".join(filter(None, lines)))
        if gap.buttons:
            shown["accessory"] = {
                "type": "overflow",
                "action_id": GAP,
                "options": [
                    {"text": _plain(one.label), "value": f"{one.action}:{one.gap_id}"}
                    for one in gap.buttons
                ],
            }
        yield shown


def _linked(url: str, label: str) -> str:
    """Return a link that leaves room for the rest of its section; the label alone if it is long."""
    whole = link(url, cut(label, 300))
    return whole if len(whole) <= _LINK else escaped_within(label, 300)


def _said(card: Card) -> Iterator[str]:
    """Yield where the section is from, whose it is, how old, how near."""
    place, *rest = card.meta or ("",)
    if place:
        yield link(card.link, cut(place, 200))
    stale = "⏳ " if card.stale else ""
    for at, item in enumerate(rest):
        yield (stale if at == len(rest) - 1 else "") + escaped_within(item, 100)
    if card.footer:
        yield escaped_within(card.footer, 200)


def _select(card: Card, exchange_id: str) -> Block:
    return {
        "type": "static_select",
        "action_id": CHOOSE,
        "placeholder": _plain(card.picks_heading or "Other results"),
        "options": [_option(pick, exchange_id) for pick in card.picks],
    }


def _option(pick: Pick, exchange_id: str) -> Block:
    return {
        "text": _plain(pick.label),
        "description": _plain(f"{pick.distance} · {pick.place}"),
        "value": f"{exchange_id}:{pick.index}",
    }


def _button(button: Button) -> Block:
    shown: dict[str, Any] = {
        "type": "button",
        "action_id": action_id(button.kind),
        "text": {"type": "plain_text", "text": button.label, "emoji": True},
        "value": button.exchange_id,
    }
    if style := _STYLES.get(button.kind):
        shown["style"] = style
    if button.kind is ButtonKind.DELETE:
        shown["confirm"] = {
            "title": _plain("Delete this answer?"),
            "text": _plain("It goes away for everybody."),
            "confirm": _plain("Delete"),
            "deny": _plain("Keep"),
        }
    return shown


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": cut(text, _OPTION), "emoji": False}


def _context(said: Sequence[str]) -> Block:
    """Return the small print: as many of the things said as there is room for."""
    text = said[0]
    for one in said[1:]:
        if len(text) + len(one) + 3 <= _CONTEXT:
            text += f" · {one}"
    mrkdwn = {"type": "mrkdwn", "text": text, "verbatim": True}
    return {"type": "context", "elements": [mrkdwn]}


def _fallback(card: Card) -> str:
    said = f"{card.title}: {card.lead}" if card.lead and not card.parts else card.title
    return escaped_within(said, _FALLBACK)


def cut(text: str, limit: int) -> str:
    """Return a text on one line, cut to a limit."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"
