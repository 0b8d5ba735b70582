"""The structure of a Markdown text: headings and blocks, with exact offsets. Pure.

CommonMark with tables and strikethrough, by markdown-it-py. For an outline only headings are parsed
down to their inline marks, so that a text costs about as much as reading its lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType

from core.models import Span
from corpus.html_headings import html_headings

_NESTING = 100
_CUSTOM_ID = re.compile(r"\s*\{(?::?\s*#[^{}\s]+(?:\s[^{}]*)?|/\*\s*#\S+\s*\*/)\}\s*$")
_INLINE_HEADING = re.compile(r"<h[1-6]\b", re.IGNORECASE)


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    FENCE = "fence"
    CODE = "code"
    TABLE = "table"
    LIST = "list"
    ITEM = "item"
    QUOTE = "quote"
    HTML = "html"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Block:
    """A block of whole lines, from the start of its first to the end of its last written line.

    The text's slice by `span` has no line end at its end. `children` are an item's or a quote's
    blocks and a list's items, in order, inside `span`; other kinds have none. `mark` is a fence's
    own run of backticks or tildes, else empty.
    """

    kind: BlockKind
    span: Span
    children: tuple["Block", ...] = ()
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6, wherever it stands: in a list, in a quote, or as raw HTML.

    `text` is the rendered text as GitHub's anchors are made from it, line ends within it kept, and
    `described` the same with its images' descriptions and the blanks that tags leave at its ends.
    `masked` is `text` with a NUL for each character that even Python-Markdown takes for no mark:
    those in code, entities, escaped ones but `<`, which it knows no escape of. `span` covers what
    writes it: whole lines, or for raw HTML the element. `written` is its content with all marks,
    None for raw HTML.
    """

    text: str
    level: int
    span: Span
    written: str | None = None
    described: str = ""
    masked: str = ""

    @property
    def label(self) -> str:
        """Return the text as a reader sees it: on one line, without a `{#custom-id}`."""
        return " ".join(_CUSTOM_ID.sub("", self.text).split())


@dataclass(frozen=True, slots=True)
class Outline:
    """A text's headings and its outermost blocks, both in order."""

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link's rendered text on one line, without images, and its target, percent-encoded."""

    text: str
    target: str


def parse(text: str) -> Outline:
    """Return the structure of a text with LF line ends; offsets are in characters."""
    lines = _Lines(text)
    env: EnvType = {}
    tokens = _parser().parse(text, env)
    found = _headings(tokens, lines, env)
    headings = tuple(sorted(found, key=lambda heading: heading.span.start))
    return Outline(headings, tuple(_blocks(iter(tokens), lines)))


def links(text: str) -> Iterator[Link]:
    """Yield the links of a text with LF line ends, in order; code and raw HTML have none."""
    env: EnvType = {}
    for token in _parser().parse(text, env):
        if token.type == "inline":
            yield from _links(_inline(token.content, env))


def opening(text: str, span: Span) -> Iterator[str]:
    """Yield the rendered paragraphs, each on one line, that a stretch of a text opens with.

    Headings, raw HTML, rules and what shows nothing are passed over; any other block ends it.
    """
    env: EnvType = {}
    lines = _Lines(text)
    tokens = _parser().parse(text, env)
    for at, token in enumerate(tokens):
        if token.level or token.map is None or lines.start(token.map[0]) < span.start:
            continue
        if lines.start(token.map[0]) >= span.end or token.type not in _PASSED | {"paragraph_open"}:
            return
        if token.type == "paragraph_open" and (
            read := _one_line(_inline(tokens[at + 1].content, env))
        ):
            yield read


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable(["table", "strikethrough"])
    return parser.disable(["inline", "text_join"])


class _Lines:
    """Where each line of a text starts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        self._starts.extend(found.end() for found in re.finditer("\n", text))

    def start(self, line: int) -> int:
        """Return the offset at which a line starts; the text's end where there is none."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def span(self, first: int, end: int) -> Span:
        """Return the span of lines `first` to before `end`, without blank lines at its end."""
        start, stop = self.start(first), self.start(end)
        while stop > start and self.text[stop - 1] in " \t\n":
            stop -= 1
        return Span(start, stop)


def _headings(tokens: Sequence[Token], lines: _Lines, env: EnvType) -> Iterator[Heading]:
    for at, token in enumerate(tokens):
        if token.map is None:
            continue
        if token.type == "heading_open":
            written = tokens[at + 1].content
            inline = _inline(written, env)
            yield Heading(
                text=_text(inline),
                level=int(token.tag[1]),
                span=lines.span(*token.map),
                written=written,
                described=_rendered(inline, images=True),
                masked=_masked(inline),
            )
        elif token.type == "html_block" or (
            token.type == "paragraph_open" and _INLINE_HEADING.search(tokens[at + 1].content)
        ):
            yield from _html(lines.text, lines.span(*token.map))


def _html(text: str, span: Span) -> Iterator[Heading]:
    for found in html_headings(text[span.start : span.end]):
        place = Span(span.start + found.start, span.start + found.end)
        yield Heading(found.text, found.level, place, described=found.text)


def _inline(source: str, env: EnvType) -> list[Token]:
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(source, parser, env, tokens)
    return tokens


def _links(tokens: Sequence[Token]) -> Iterator[Link]:
    begun = 0
    for at, token in enumerate(tokens):
        if token.type == "link_open":
            begun = at
        elif token.type == "link_close":
            yield Link(_one_line(tokens[begun:at]), str(tokens[begun].attrGet("href") or ""))


def _one_line(tokens: Sequence[Token]) -> str:
    return " ".join(_text(tokens).split())


def _text(tokens: Sequence[Token]) -> str:
    return _rendered(tokens).strip()


def _rendered(tokens: Sequence[Token], *, images: bool = False) -> str:
    """Return what is read of inline tokens: no marks, link targets or tags.

    An image is nothing, or its description.
    """
    return "".join(_read(token, images=images) for token in tokens)


def _masked(tokens: Sequence[Token]) -> str:
    """Return `_text`, with a NUL for each character that stands for itself."""
    text = _rendered(tokens)
    masked = "".join(
        "\0" * len(token.content)
        if token.type in _LITERAL and token.markup != r"\<"
        else _read(token, images=False)
        for token in tokens
    )
    return masked[len(text) - len(text.lstrip()) : len(text.rstrip())]


def _read(token: Token, *, images: bool) -> str:
    match token.type:
        case "text" | "code_inline" | "text_special":
            return token.content
        case "softbreak" | "hardbreak":
            return "\n"
        case "image" if images:
            return "".join(_read(child, images=True) for child in token.children or ())
        case _:
            return ""


_OPENING = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "table_open": BlockKind.TABLE,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "list_item_open": BlockKind.ITEM,
    "blockquote_open": BlockKind.QUOTE,
}
_ALONE = {
    "fence": BlockKind.FENCE,
    "code_block": BlockKind.CODE,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.RULE,
}
_LITERAL = {"code_inline", "text_special"}
_PASSED = {"heading_open", "html_block", "hr"}
_CONTAINERS = {BlockKind.LIST, BlockKind.ITEM, BlockKind.QUOTE}


def _blocks(tokens: Iterator[Token], lines: _Lines) -> Iterator[Block]:
    """Yield the blocks up to the end of the tokens or of the block that they are inside of."""
    for token in tokens:
        if token.nesting == -1:
            return
        kind = _OPENING.get(token.type) or _ALONE.get(token.type)
        inside = tuple(_blocks(tokens, lines)) if token.nesting == 1 else ()
        if kind is None or token.map is None:
            continue
        span = lines.span(*token.map)
        mark = token.markup if kind is BlockKind.FENCE else ""
        yield Block(kind, span, inside if kind in _CONTAINERS else (), mark)
