"""Forms and the app's home tab, in Block Kit. Pure."""

from collections.abc import Sequence
from typing import Any

from bots.card import Card
from bots.harmless_card import harmless_around
from bots.slack_bot.body import bodies, body_blocks
from bots.slack_bot.render import cut
from core.exchanges import ReasonKind

WHY, RESOLVE, GAP_DONE = "nightlamp.why", "nightlamp.resolve_form", "nightlamp.gap_done_form"
KIND, TEXT, NOTE = "kind", "text", "note"
_LONGEST = 2000
_MOST_BLOCKS = 100
_KINDS = {
    ReasonKind.WRONG_SECTION: "It is the wrong section",
    ReasonKind.OUTDATED: "It is outdated",
    ReasonKind.INCOMPLETE: "Something is missing",
    ReasonKind.OTHER: "Something else",
}

View = dict[str, Any]


def why_form(about: str) -> View:
    """Return the form that asks why somebody voted as they did."""
    kinds = [{"text": _plain(label), "value": kind.value} for kind, label in _KINDS.items()]
    select = {
        "type": "static_select",
        "action_id": KIND,
        "placeholder": _plain("Choose"),
        "options": kinds,
    }
    return _form(
        WHY,
        about,
        "Tell us why",
        [_field(KIND, "What is wrong?", select), _words(TEXT, "In words")],
    )


def resolve_form(about: str) -> View:
    """Return the form that asks how something was resolved."""
    return _form(RESOLVE, about, "Resolved", [_words(NOTE, "How was it resolved?")])


def done_form(about: str, gap_id: str) -> View:
    """Return the form that asks which section answers a gap."""
    written = {"type": "plain_text_input", "action_id": NOTE, "max_length": _LONGEST}
    asked = _field(NOTE, "Which section answers it?", written)
    asked["hint"] = _plain("Its link, or path#anchor")
    return _form(GAP_DONE, about, cut(f"{gap_id} is answered", 24), [asked])


def home(cards: Sequence[Card]) -> View:
    """Return the home tab: cards below one another."""
    blocks: list[dict[str, Any]] = []
    for card in map(harmless_around, cards):
        title = {"type": "plain_text", "text": cut(card.title, 150), "emoji": False}
        blocks.append({"type": "header", "text": title})
        if card.lead:
            blocks.append({"type": "section", "text": _plain(cut(card.lead, 1000))})
        for body in bodies(card):
            blocks += body_blocks(body)
    return {"type": "home", "blocks": blocks[:_MOST_BLOCKS]}


def _form(name: str, about: str, title: str, blocks: list[dict[str, Any]]) -> View:
    return {
        "type": "modal",
        "callback_id": name,
        "private_metadata": about,
        "title": _plain(title),
        "submit": _plain("Send"),
        "close": _plain("Cancel"),
        "blocks": blocks,
    }


def _words(name: str, label: str) -> dict[str, Any]:
    written = {
        "type": "plain_text_input",
        "action_id": name,
        "multiline": True,
        "max_length": _LONGEST,
    }
    return _field(name, label, written) | {"optional": True}


def _field(name: str, label: str, element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "input", "block_id": name, "label": _plain(label), "element": element}


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}
