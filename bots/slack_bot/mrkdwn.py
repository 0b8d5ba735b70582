"""A section's Markdown as Slack shows it, block by block. Pure.

Code leaves here to the byte. What mrkdwn cannot say (three backticks inside code, a star that is
text) goes out as rich text, in which nothing is a mark and nothing has to be escaped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bots.slack_bot.encoding import escaped
from bots.slack_bot.inline import marked, mrkdwn, plain, rich, sayable
from bots.slack_bot.tables import aligned
from corpus.markdown_tree import Node, NodeKind, parse_tree

FENCE = "```"
RULE = "──────────"
_STEP = "    "


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, a line of a list or a block of code: mrkdwn, or one element of rich text.

    `close` pieces stand directly below the one before, others after a blank line.
    """

    text: str = ""
    rich: tuple[dict[str, Any], ...] = ()
    code: bool = False
    close: bool = False

    @property
    def size(self) -> int:
        """Return how many characters it adds to a message."""
        return len(self.text) + sum(
            len(part["text"]) for one in self.rich for part in one["elements"]
        )


def pieces(text: str) -> tuple[Piece, ...]:
    """Return a Markdown text in pieces; a heading that begins it is left out: it is the title."""
    nodes = parse_tree(text)
    if nodes and nodes[0].kind is NodeKind.HEADING:
        nodes = nodes[1:]
    return tuple(piece for piece in _blocks(nodes) if piece.text or piece.rich)


def joined(found: Sequence[Piece]) -> str:
    """Return mrkdwn pieces as one text."""
    first, *rest = found
    return "".join((first.text, *(("\n" if one.close else "\n\n") + one.text for one in rest)))


def code_piece(code: str, *, close: bool = False) -> Piece:
    """Return code in a fence, without the name of its language, which Slack would print."""
    if FENCE in code or not code.strip():
        return Piece(rich=_preformatted(code), code=True, close=close)
    return Piece(f"{FENCE}\n{escaped(code)}\n{FENCE}", code=True, close=close)


def _preformatted(code: str) -> tuple[dict[str, Any], ...]:
    if not code:
        return ()
    return ({"type": "rich_text_preformatted", "elements": [{"type": "text", "text": code}]},)


def _blocks(nodes: Sequence[Node], indent: str = "") -> Iterator[Piece]:
    for node in nodes:
        yield from _block(node, indent)


def _block(node: Node, indent: str) -> Iterator[Piece]:
    match node.kind:
        case NodeKind.HEADING:
            yield _heading(node, indent)
        case NodeKind.PARAGRAPH:
            yield _paragraph(node.children, indent, indent)
        case NodeKind.CODE:
            yield code_piece(node.text)
        case NodeKind.TABLE:
            yield code_piece(aligned(_cells(node)))
        case NodeKind.LIST:
            yield from _list(node, indent)
        case NodeKind.QUOTE:
            yield from (_quoted(piece) for piece in _blocks(node.children, indent))
        case NodeKind.RULE:
            yield Piece(RULE)
        case _:
            yield _paragraph((Node(NodeKind.TEXT, node.text.strip("\n")),), indent, indent)


def _heading(node: Node, indent: str) -> Piece:
    if not sayable(node.children):
        return _paragraph((Node(NodeKind.STRONG, children=node.children),), indent, indent)
    calm = tuple(_without_strong(node.children))
    return Piece(indent + marked(mrkdwn(calm), "*"))


def _without_strong(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.kind is NodeKind.STRONG:
            yield from _without_strong(node.children)
        else:
            yield node


def _paragraph(nodes: Sequence[Node], first: str, rest: str) -> Piece:
    """Return a paragraph, its first line and the rest behind what stands before them."""
    if sayable(nodes):
        text = mrkdwn(nodes)
        return Piece(escaped(first) + text.replace("\n", f"\n{rest}")) if text.strip() else Piece()
    elements = rich(nodes)
    if first:
        elements = [{"type": "text", "text": first}, *elements]
    return Piece(rich=({"type": "rich_text_section", "elements": elements},))


def _list(node: Node, indent: str) -> Iterator[Piece]:
    for at, item in enumerate(node.children):
        marker = "• " if node.number is None else f"{node.number + at}. "
        head, *rest = item.children or (Node(NodeKind.PARAGRAPH),)
        if head.kind is NodeKind.PARAGRAPH:
            first = _paragraph(head.children, indent + marker, indent + _STEP)
            yield (
                replace(first, close=at > 0)
                if head.children
                else Piece(indent + marker, close=at > 0)
            )
        else:
            yield Piece(indent + marker, close=at > 0)
            rest = [head, *rest]
        yield from (replace(piece, close=True) for piece in _blocks(rest, indent + _STEP))


def _quoted(piece: Piece) -> Piece:
    """Quote a text; code stays at the margin as it is, or the quote's signs would be in it."""
    if piece.code or piece.rich:
        return piece
    return replace(piece, text="\n".join(f"> {line}" for line in piece.text.split("\n")))


def _cells(table: Node) -> list[list[str]]:
    return [[plain(cell.children).strip() for cell in row.children] for row in table.children]
