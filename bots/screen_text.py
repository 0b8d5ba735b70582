"""A section's Markdown on a screen: prose wrapped and coloured, code as it is. Pure."""

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from bots.ink import Ink
from bots.inline_code import code_spans
from bots.wrapping import wrapped
from core.models import Span
from corpus.markdown import Block, BlockKind, parse

_AROUND = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*(?:\[[ xX]\] )?")
_NOT_QUOTE = re.compile(r"[^>\s]")
_HARD_BREAK = re.compile(r"(?: {2,}|\\)\n")
_ALERT = re.compile(r"\A(\[!\w+\])\n")
_LINE_START = re.compile(r"\n[ \t>]*")
_STRONG = re.compile(r"\*\*(?=\S)(?:.+?)(?<=\S)\*\*|__(?=\S)(?:.+?)(?<=\S)__")
_PIPE = re.compile(r"(?<!\\)\|")


def on_screen(text: str, width: int, ink: Ink) -> str:
    """Return Markdown for a screen of `width` columns.

    Lines of code and tables that fit are never wrapped, indented or changed, so that they can be
    copied; a table that is too wide is shown row by row. A heading that begins the text is left
    out: it stands above as the title.
    """
    blocks = parse(text).blocks
    start = 0
    if blocks and blocks[0].kind is BlockKind.HEADING and not text[: blocks[0].span.start].strip():
        start, blocks = blocks[0].span.end, blocks[1:]
    whole = Span(start, len(text))
    return "".join(_inside(text, whole, blocks, width, ink, nested=False)).strip("\n")


def _inside(
    text: str, span: Span, blocks: Sequence[Block], width: int, ink: Ink, *, nested: bool
) -> Iterator[str]:
    """Yield a stretch of text, its blocks rendered, what stands between them as it is."""
    at = span.start
    for block in blocks:
        yield text[at : block.span.start]
        if block.children:
            yield from _inside(text, block.span, block.children, width, ink, nested=True)
        else:
            source = text[block.span.start : block.span.end]
            yield _leaf(source, block.kind, width, ink, nested=nested)
        at = block.span.end
    yield text[at : span.end]


def _leaf(source: str, kind: BlockKind, width: int, ink: Ink, *, nested: bool) -> str:
    match kind:
        case BlockKind.PARAGRAPH:
            return _prose(source, width, ink, nested=nested)
        case BlockKind.FENCE:
            return _fence(source, ink)
        case BlockKind.CODE:
            return _lines(source, "cyan", ink)
        case BlockKind.HEADING:
            return _lines(source, "bold", ink)
        case BlockKind.TABLE:
            return _table(source, width, ink)
        case BlockKind.RULE:
            return ink(source, "dim")
        case _:
            return source


def _lines(source: str, style: str, ink: Ink) -> str:
    """Colour line by line, so that no colour runs over a line end."""
    return "\n".join(ink(line, style) if line else "" for line in source.split("\n"))


def _fence(source: str, ink: Ink) -> str:
    first, *body = source.split("\n")
    last = body.pop() if body and set(body[-1].strip(" \t>")) <= {"`", "~"} else None
    shown = [ink(first, "dim"), *(ink(line, "cyan") if line else "" for line in body)]
    if last is not None:
        shown.append(ink(last, "dim"))
    return "\n".join(shown)


def _prose(source: str, width: int, ink: Ink, *, nested: bool) -> str:
    """Wrap a paragraph; in a list or quote its lines begin under its first word."""
    around = _AROUND.match(source) if nested else None
    first = source[: around.end()] if around else ""
    rest = _NOT_QUOTE.sub(" ", first)
    body = _LINE_START.sub("\n", source[len(first) :]) if nested else source
    shown: list[str] = []
    for line in _HARD_BREAK.split(_ALERT.sub(r"\1  \n", body)):
        shown.append(wrapped(line, width, first=rest if shown else first, rest=rest))
    return "\n".join(_inline(line, ink) for line in "\n".join(shown).split("\n"))


def _inline(line: str, ink: Ink) -> str:
    """Colour inline code, and make strong what stands between stars; the marks stay."""
    shown: list[str] = []
    at = 0
    for span in code_spans(line):
        shown.append(_strong(line[at : span.start], ink))
        shown.append(ink(line[span.start : span.end], "cyan"))
        at = span.end
    return "".join((*shown, _strong(line[at:], ink)))


def _strong(text: str, ink: Ink) -> str:
    return _STRONG.sub(lambda found: ink(found.group(), "bold"), text)


def _table(source: str, width: int, ink: Ink) -> str:
    """Show a table as it is written, or where that is too wide, each row's cells by their names."""
    lines = source.split("\n")
    if all(cell_len(line) <= width for line in lines):
        head, *rows = lines
        return "\n".join((ink(head, "bold"), *(_inline(row, ink) for row in rows)))
    names = _cells(lines[0])
    return "\n\n".join(_record(names, _cells(line), width, ink) for line in lines[2:])


def _record(names: Sequence[str], cells: Sequence[str], width: int, ink: Ink) -> str:
    """Show one row; its first cell stands for it."""
    shown = [ink(f"{names[0]}: {cells[0]}" if names[0] else cells[0], "bold")]
    for name, cell in zip(names[1:], cells[1:], strict=False):
        if cell:
            text = wrapped(f"{name}: {cell}" if name else cell, width, first="  ", rest="    ")
            shown.extend(_inline(line, ink) for line in text.split("\n"))
    return "\n".join(shown)


def _cells(row: str) -> list[str]:
    inner = row.strip().lstrip("> ")
    inner = inner.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _PIPE.split(inner)]
