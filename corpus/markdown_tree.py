"""A Markdown text as a tree down to its inline marks, for writing it in another markup. Pure.

The same CommonMark with tables and strikethrough as `corpus/markdown.py`; here nothing has offsets,
and what stands around code (list markers, quote signs, indents) is off it already.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_NESTING = 100


class NodeKind(StrEnum):
    """What a node is; those from TEXT on are inline."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    CODE = "code"
    LIST = "list"
    ITEM = "item"
    QUOTE = "quote"
    TABLE = "table"
    ROW = "row"
    CELL = "cell"
    HTML = "html"
    RULE = "rule"
    TEXT = "text"
    INLINE_CODE = "inline_code"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    STRIKE = "strike"
    LINK = "link"
    IMAGE = "image"
    BREAK = "break"


@dataclass(frozen=True, slots=True)
class Node:
    """A block or an inline mark.

    `text` is that of leaves (code without its fence, HTML as written, an image's description),
    `href` a link's or image's target, `number` the first of an ordered list (None: bullets).
    """

    kind: NodeKind
    text: str = ""
    href: str = ""
    number: int | None = None
    children: tuple["Node", ...] = ()


def parse_tree(text: str) -> tuple[Node, ...]:
    """Return the blocks of a text with LF line ends."""
    return _nodes(SyntaxTreeNode(_parser().parse(text)).children)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable(["table", "strikethrough"])


_KINDS = {
    "heading": NodeKind.HEADING,
    "paragraph": NodeKind.PARAGRAPH,
    "bullet_list": NodeKind.LIST,
    "ordered_list": NodeKind.LIST,
    "list_item": NodeKind.ITEM,
    "blockquote": NodeKind.QUOTE,
    "table": NodeKind.TABLE,
    "tr": NodeKind.ROW,
    "th": NodeKind.CELL,
    "td": NodeKind.CELL,
    "strong": NodeKind.STRONG,
    "em": NodeKind.EMPHASIS,
    "s": NodeKind.STRIKE,
}
_TEXTS = {
    "text": NodeKind.TEXT,
    "text_special": NodeKind.TEXT,
    "html_inline": NodeKind.TEXT,
    "code_inline": NodeKind.INLINE_CODE,
    "html_block": NodeKind.HTML,
}
_LEAVES = {
    "hr": Node(NodeKind.RULE),
    "hardbreak": Node(NodeKind.BREAK),
    "softbreak": Node(NodeKind.TEXT, " "),
}
_SEE_THROUGH = {"inline", "thead", "tbody"}
_BREAKS = {"<br>", "<br/>", "<br />"}


def _nodes(found: list[SyntaxTreeNode]) -> tuple[Node, ...]:
    nodes: list[Node] = []
    for one in found:
        if one.type in _SEE_THROUGH:
            nodes.extend(_nodes(one.children))
        else:
            nodes.append(_LEAVES.get(one.type) or _node(one))
    return tuple(nodes)


def _node(one: SyntaxTreeNode) -> Node:
    if one.type in _TEXTS:
        broken = one.type == "html_inline" and one.content.lower() in _BREAKS
        return Node(NodeKind.BREAK) if broken else Node(_TEXTS[one.type], one.content)
    match one.type:
        case "fence" | "code_block":
            return Node(NodeKind.CODE, one.content.removesuffix("\n"))
        case "link":
            return Node(NodeKind.LINK, href=str(one.attrGet("href")), children=_nodes(one.children))
        case "image":
            return Node(NodeKind.IMAGE, one.content, str(one.attrGet("src")))
        case "ordered_list":
            start = one.attrGet("start")
            number = 1 if start is None else int(start)
            return Node(NodeKind.LIST, number=number, children=_nodes(one.children))
        case kind:
            return Node(_KINDS[kind], children=_nodes(one.children))
