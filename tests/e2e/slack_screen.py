"""What a person sees of Slack messages: texts unescaped, links, buttons, whom they ping."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bots.card import ButtonKind, Tone
from bots.slack_bot.encoding import unescaped
from tests.e2e.chat import Shown

_LINK = re.compile(r"<((?:https?|mailto):[^|>]+)(?:\|([^>]*))?>")
_PING = re.compile(r"<([!@][^>]+)>")
_EXCHANGE = re.compile(r"\b[0-9a-f]{12}\b")

Message = Mapping[str, Any]


def seen(messages: Sequence[Message], *, only_for: str = "", handle: object = None) -> Shown:
    """Return one reply, the first of its messages with its title."""
    first = messages[0]
    header = first["blocks"][0]
    blocks = [block for message in messages for block in message["blocks"]][1:]
    written = list(_written(blocks))
    raw = "\n".join(json.dumps(message["blocks"], ensure_ascii=False) for message in messages)
    small = [text for block in blocks if block["type"] == "context" for text in _written([block])]
    found = [_EXCHANGE.search(text) for text in small]
    return Shown(
        tone=Tone(header["block_id"]),
        title=header["text"]["text"],
        text="\n".join(_readable(text) for text in written),
        raw=raw,
        exchange_id=next((one.group() for one in found if one), ""),
        links=tuple(dict.fromkeys(_links(blocks, written))),
        buttons=tuple(
            ButtonKind(one["action_id"].removeprefix("nightlamp."))
            for one in _elements(blocks, "button")
        ),
        picks=tuple(
            option["text"]["text"]
            for one in _elements(blocks, "static_select")
            for option in one["options"]
        ),
        gaps=tuple(_gaps(blocks)),
        parts=len(messages),
        only_for=only_for,
        pings=tuple(ping for text in (*written, first["text"]) for ping in _PING.findall(text)),
        handle=handle,
    )


def button(messages: Sequence[Message], kind: ButtonKind) -> Mapping[str, Any]:
    """Return a button of a reply as Slack would hand it back."""
    return next(
        one
        for message in messages
        for one in _elements(message["blocks"], "button")
        if one["action_id"] == f"nightlamp.{kind}"
    )


def choice(messages: Sequence[Message], index: int) -> Mapping[str, Any]:
    """Return a choice of a reply's select as Slack would hand it back."""
    select = next(iter(_elements(messages[0]["blocks"], "static_select")))
    return {**select, "selected_option": select["options"][index]}


def decision(messages: Sequence[Message], gap_id: str, action: str) -> Mapping[str, Any]:
    """Return a choice of the menu at a gap as Slack would hand it back."""
    return next(
        {**menu, "selected_option": option}
        for message in messages
        for menu in _menus(message["blocks"])
        for option in menu["options"]
        if option["value"] == f"{action}:{gap_id}"
    )


def begins(message: Message) -> bool:
    """Return whether a message begins a reply."""
    return bool(message["blocks"]) and message["blocks"][0]["type"] == "header"


def _readable(text: str) -> str:
    return unescaped(_LINK.sub(lambda found: found[2] or found[1], text))


def _written(blocks: Sequence[Message]) -> Iterator[str]:
    """Yield the mrkdwn of blocks, and what rich text says as if it had been escaped."""
    for block in blocks:
        match block["type"]:
            case "section":
                yield block["text"]["text"]
            case "context":
                yield from (element["text"] for element in block["elements"])
            case "rich_text":
                for element in block["elements"]:
                    yield "".join(_rich(inner) for inner in element["elements"])


def _rich(inner: Message) -> str:
    text = inner["text"].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"`{text}`" if inner.get("style", {}).get("code") else text


def _links(blocks: Sequence[Message], written: Sequence[str]) -> Iterator[str]:
    for text in written:
        yield from (unescaped(found[1]) for found in _LINK.finditer(text))
    for block in blocks:
        if block["type"] == "rich_text":
            for element in block["elements"]:
                yield from (one["url"] for one in element["elements"] if one["type"] == "link")


def _gaps(blocks: Sequence[Message]) -> Iterator[str]:
    for menu in _menus(blocks):
        yield menu["options"][0]["value"].partition(":")[2]


def _menus(blocks: Sequence[Message]) -> Iterator[Mapping[str, Any]]:
    yield from (one["accessory"] for one in blocks if "accessory" in one)


def _elements(blocks: Sequence[Message], kind: str) -> Iterator[Mapping[str, Any]]:
    for block in blocks:
        if block["type"] == "actions":
            yield from (one for one in block["elements"] if one["type"] == kind)
