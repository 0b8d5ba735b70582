"""What Slack refuses in Block Kit: its documented limits, and those that people have measured."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

TOTAL = 10_000
"""Characters of text over all blocks of a message: 9,597 were taken, 11,341 were refused."""
MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
_TEXTS = frozenset({"plain_text", "mrkdwn"})
_PLAIN = frozenset({"plain_text"})
_RICH = {"rich_text_section", "rich_text_preformatted", "rich_text_quote", "rich_text_list"}

Wrong = Iterator[tuple[str, str]]


def wrong_message(blocks: Any) -> list[tuple[str, str]]:
    """Return what is wrong with a message's blocks: where, as a JSON pointer, and what."""
    found = list(_blocks(blocks, "message"))
    if (total := characters(blocks)) > TOTAL:
        found.append(("/blocks", f"msg_blocks_too_long: {total} characters"))
    return found


def wrong_view(view: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is wrong with a modal or a home tab."""
    return list(_view(view))


def characters(value: Any) -> int:
    """Return how many characters of text a value holds."""
    if isinstance(value, dict):
        return sum(
            len(one) if key == "text" and isinstance(one, str) else characters(one)
            for key, one in value.items()
        )
    return sum(map(characters, value)) if isinstance(value, (list, tuple)) else 0


def _view(view: Mapping[str, Any]) -> Wrong:
    kind = view.get("type")
    if kind not in {"modal", "home"}:
        yield "/view/type", "must be modal or home"
        return
    if kind == "modal":
        yield from _text("/view/title", view.get("title"), 24, _PLAIN)
        for key in ("submit", "close"):
            if key in view:
                yield from _text(f"/view/{key}", view[key], 24, _PLAIN)
        inputs = any(block.get("type") == "input" for block in view.get("blocks", []))
        if inputs and "submit" not in view:
            yield "/view/submit", "required with input blocks"
    yield from _short("/view/private_metadata", view.get("private_metadata"), 3000)
    yield from _short("/view/callback_id", view.get("callback_id"), 255)
    yield from _blocks(view.get("blocks"), str(kind))


def _blocks(blocks: Any, surface: str) -> Wrong:
    if not isinstance(blocks, list):
        yield "/blocks", "must be an array"
        return
    if len(blocks) > MOST_BLOCKS[surface]:
        yield "/blocks", f"no more than {MOST_BLOCKS[surface]} items allowed"
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        yield "/blocks", "duplicate block_id"
    for at, block in enumerate(blocks):
        yield from _block(f"/blocks/{at}", block, surface)


def _block(where: str, block: Mapping[str, Any], surface: str) -> Wrong:
    yield from _short(f"{where}/block_id", block.get("block_id"), 255)
    kind = block.get("type")
    if kind not in _BLOCKS or (kind == "input" and surface == "message"):
        yield f"{where}/type", f"unsupported type: {kind}"
    else:
        yield from _BLOCKS[kind](where, block)


def _section(where: str, block: Mapping[str, Any]) -> Wrong:
    yield from _text(f"{where}/text", block.get("text"), 3000)
    if "accessory" in block:
        yield from _element(f"{where}/accessory", block["accessory"])


def _header(where: str, block: Mapping[str, Any]) -> Wrong:
    yield from _text(f"{where}/text", block.get("text"), 150, _PLAIN)


def _input(where: str, block: Mapping[str, Any]) -> Wrong:
    yield from _text(f"{where}/label", block.get("label"), 2000, _PLAIN)
    if "hint" in block:
        yield from _text(f"{where}/hint", block["hint"], 2000, _PLAIN)
    yield from _element(f"{where}/element", block.get("element", {}))


def _context(where: str, block: Mapping[str, Any]) -> Wrong:
    elements = block.get("elements", [])
    if not 1 <= len(elements) <= 10:
        yield f"{where}/elements", "1 to 10 items"
    for at, element in enumerate(elements):
        yield from _text(f"{where}/elements/{at}", element, 2000)


def _actions(where: str, block: Mapping[str, Any]) -> Wrong:
    elements = block.get("elements", [])
    if not 1 <= len(elements) <= 25:
        yield f"{where}/elements", "1 to 25 items"
    names = [element.get("action_id") for element in elements]
    if len(names) != len(set(names)):
        yield f"{where}/elements", "duplicate action_id"
    for at, element in enumerate(elements):
        yield from _element(f"{where}/elements/{at}", element)


def _rich(where: str, block: Mapping[str, Any]) -> Wrong:
    if not block.get("elements"):
        yield f"{where}/elements", "must not be empty"
    for at, element in enumerate(block.get("elements", [])):
        if element.get("type") not in _RICH:
            yield f"{where}/elements/{at}/type", "unsupported"
        for inner in element.get("elements", []):
            if inner.get("type") not in {"text", "link"} or not inner.get("text"):
                yield f"{where}/elements/{at}", "text or link with text wanted"


_BLOCKS: Mapping[Any, Callable[[str, Mapping[str, Any]], Wrong]] = {
    "section": _section,
    "header": _header,
    "input": _input,
    "context": _context,
    "actions": _actions,
    "rich_text": _rich,
}


def _element(where: str, element: Mapping[str, Any]) -> Wrong:
    yield from _short(f"{where}/action_id", element.get("action_id"), 255)
    match element.get("type"):
        case "button":
            yield from _button(where, element)
        case "static_select":
            yield from _select(where, element)
        case "overflow":
            yield from _overflow(where, element)
        case "plain_text_input":
            if not 0 < element.get("max_length", 3000) <= 3000:
                yield f"{where}/max_length", "1 to 3000"
        case kind:
            yield f"{where}/type", f"unsupported element {kind}"


def _button(where: str, element: Mapping[str, Any]) -> Wrong:
    yield from _text(f"{where}/text", element.get("text"), 75, _PLAIN)
    yield from _short(f"{where}/value", element.get("value"), 2000)
    if element.get("style", "primary") not in {"primary", "danger"}:
        yield f"{where}/style", "must be primary or danger"
    if "confirm" in element:
        yield from _confirm(f"{where}/confirm", element["confirm"])


def _select(where: str, element: Mapping[str, Any]) -> Wrong:
    yield from _text(f"{where}/placeholder", element.get("placeholder"), 150, _PLAIN)
    if not 1 <= len(element.get("options", [])) <= 100:
        yield f"{where}/options", "1 to 100 options"
    for at, option in enumerate(element.get("options", [])):
        yield from _option(f"{where}/options/{at}", option)


def _overflow(where: str, element: Mapping[str, Any]) -> Wrong:
    if not 1 <= len(element.get("options", [])) <= 5:
        yield f"{where}/options", "1 to 5 options"
    for at, option in enumerate(element.get("options", [])):
        yield from _text(f"{where}/options/{at}/text", option.get("text"), 75, _PLAIN)
        if not 1 <= len(option.get("value", "")) <= 150:
            yield f"{where}/options/{at}/value", "1 to 150 characters"


def _confirm(where: str, confirm: Mapping[str, Any]) -> Wrong:
    yield from _text(f"{where}/title", confirm.get("title"), 100, _PLAIN)
    yield from _text(f"{where}/text", confirm.get("text"), 300)
    yield from _text(f"{where}/confirm", confirm.get("confirm"), 30, _PLAIN)
    yield from _text(f"{where}/deny", confirm.get("deny"), 30, _PLAIN)


def _option(where: str, option: Mapping[str, Any]) -> Wrong:
    yield from _text(f"{where}/text", option.get("text"), 75)
    if "description" in option:
        yield from _text(f"{where}/description", option["description"], 75)
    if not 1 <= len(option.get("value", "")) <= 150:
        yield f"{where}/value", "1 to 150 characters"


def _text(where: str, value: Any, longest: int, kinds: frozenset[str] = _TEXTS) -> Wrong:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        yield where, "must be a text object"
        return
    if value.get("type") not in kinds:
        yield f"{where}/type", f"must be one of {sorted(kinds)}"
    if not value["text"].strip():
        yield f"{where}/text", "must be more than 0 characters"
    if len(value["text"]) > longest:
        yield f"{where}/text", f"must be less than {longest + 1} characters"
    if value["type"] == "mrkdwn" and "emoji" in value:
        yield f"{where}/emoji", "only valid for plain_text"
    if unknown := value.keys() - {"type", "text", "emoji", "verbatim"}:
        yield where, f"unknown property {min(unknown)}"


def _short(where: str, value: str | None, longest: int) -> Wrong:
    if value is not None and len(value) > longest:
        yield where, f"more than {longest} characters"
