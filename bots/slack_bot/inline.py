"""Inline marks of Markdown in Slack's two ways to write them. Pure.

mrkdwn is the usual one. It has no escape for its own marks: a paragraph in which stars, tildes,
underscores or backticks are text would lose them, so it goes out as rich text, which has none.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bots.slack_bot.encoding import escaped
from corpus.markdown_tree import Node, NodeKind

_MARKS = {NodeKind.STRONG: "*", NodeKind.EMPHASIS: "_", NodeKind.STRIKE: "~"}
_STYLES = {NodeKind.STRONG: "bold", NodeKind.EMPHASIS: "italic", NodeKind.STRIKE: "strike"}
_AT_BORDER = re.compile(r"(?<!\w)[*_~](?=\S)|(?<=\S)[*_~](?!\w)")
_ADDRESS = re.compile(r"https?://[^\s<>|]*[^\s<>|.,;:!?)'\"\]]")
_LINKED = re.compile(r"(?:https?://|mailto:)[^\s]+\Z", re.IGNORECASE)
LONGEST_LINK = 700


def sayable(nodes: Sequence[Node]) -> bool:
    """Return whether mrkdwn can say these inline nodes without losing a character."""
    literal = "".join(_literals(nodes))
    if "`" in literal or any("`" in code or not code.strip() for code in _codes(nodes)):
        return False
    marks = _AT_BORDER.findall(literal)
    used = {_MARKS[node.kind] for node in _all(nodes) if node.kind in _MARKS}
    return all(marks.count(mark) < 2 and mark not in used for mark in marks)


def mrkdwn(nodes: Sequence[Node]) -> str:
    """Return inline nodes as mrkdwn, escaped once."""
    shown = [_one(node) for node in nodes]
    marks = [_MARKS.get(node.kind, "") for node in nodes]
    for at, mark in enumerate(marks):
        if mark:
            before = shown[at - 1][-1:] if at else ""
            after = shown[at + 1][:1] if at + 1 < len(shown) else ""
            shown[at] = marked(shown[at], mark, before, after)
    return "".join(shown)


def marked(text: str, mark: str, before: str = "", after: str = "") -> str:
    """Put marks around a text, unless Slack would show them instead of obeying them."""
    inside = not text.strip() or text != text.strip() or mark in text or "\n" in text
    if inside or before.isalnum() or after.isalnum() or mark in {before, after}:
        return text
    return f"{mark}{text}{mark}"


def plain(nodes: Sequence[Node]) -> str:
    """Return the text of inline nodes without any mark, on one line."""
    texts = (
        " " if node.kind is NodeKind.BREAK else node.text or plain(node.children) for node in nodes
    )
    return "".join(texts)


def rich(nodes: Sequence[Node], style: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
    """Return inline nodes as elements of a rich text section; nothing in them is escaped."""
    elements: list[dict[str, Any]] = []
    for node in nodes:
        match node.kind:
            case NodeKind.TEXT:
                elements.append(_element(node.text, style))
            case NodeKind.BREAK:
                elements.append(_element("\n", style))
            case NodeKind.INLINE_CODE:
                elements.append(_element(node.text, style | {"code"}))
            case NodeKind.LINK | NodeKind.IMAGE if _followable(node.href):
                label = node.text or plain(node.children) or node.href
                elements.append({"type": "link", "url": node.href, "text": label})
            case NodeKind.IMAGE:
                elements.append(_element(node.text, style))
            case kind:
                more = {_STYLES[kind]} if kind in _STYLES else set()
                elements += rich(node.children, style | more)
    return [one for one in elements if one["text"]]


def link(url: str, label: str) -> str:
    """Return a link in mrkdwn, or the escaped label alone where the address cannot be followed.

    A label that cannot stand in a link, or that shows another address, has the address beside it.
    """
    if not _followable(url):
        return escaped(label)
    target = escaped(url.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C"))
    if not label.strip() or label == url:
        return f"<{target}>"
    if "|" in label or "\n" in label or ("://" in label or label.startswith("www.")):
        return f"{escaped(label)} (<{target}>)"
    return f"<{target}|{escaped(label)}>"


def _one(node: Node) -> str:
    match node.kind:
        case NodeKind.TEXT:
            return _with_addresses(node.text)
        case NodeKind.INLINE_CODE:
            return f"`{escaped(node.text)}`"
        case NodeKind.BREAK:
            return "\n"
        case NodeKind.LINK:
            return link(node.href, plain(node.children))
        case NodeKind.IMAGE:
            return link(node.href, node.text or "image")
        case _:
            return mrkdwn(node.children)


def _with_addresses(text: str) -> str:
    """Escape a text; addresses in it can be followed, which `verbatim` would otherwise prevent."""
    shown: list[str] = []
    at = 0
    for found in _ADDRESS.finditer(text):
        shown += [escaped(text[at : found.start()]), f"<{escaped(found.group())}>"]
        at = found.end()
    return "".join((*shown, escaped(text[at:])))


def _element(text: str, style: frozenset[str]) -> dict[str, Any]:
    element: dict[str, Any] = {"type": "text", "text": text}
    return element | {"style": dict.fromkeys(sorted(style), True)} if style else element


def _followable(url: str) -> bool:
    return len(url) <= LONGEST_LINK and _LINKED.match(url) is not None


def _all(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _all(node.children)


def _literals(nodes: Sequence[Node]) -> Iterator[str]:
    return (node.text if node.kind is NodeKind.TEXT else " " for node in _all(nodes))


def _codes(nodes: Sequence[Node]) -> Iterator[str]:
    return (node.text for node in _all(nodes) if node.kind is NodeKind.INLINE_CODE)
