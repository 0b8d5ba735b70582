"""Markdown of runbooks, and plain text, for Discord's own dialect. Pure.

Discord knows one kind of code block: three backticks, an optional word, and everything up to the
next three backticks, wherever they stand. So every kind of code becomes one of these, its text byte
for byte as it was; one that holds three backticks itself cannot, and is shown as escaped text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bots.inline_code import code_spans
from bots.marked_lines import MarkedText, marked, without_indent
from core.models import Span
from corpus.markdown import Block, BlockKind, parse

FENCE = "```"
_CODE_INDENT = 4
_WHOLE = 1 << 40
_WORD = re.compile(r"[A-Za-z0-9_+\-.#]+")
_MARKS = re.compile(r"[\\`*_~|\[\]<>]")
_LINE_MARK = re.compile(r"(?m)^([ \t]*)(?=#{1,6} |-# |[-+] )")
_NUMBER_MARK = re.compile(r"(?m)^([ \t]*\d+)(?=\. )")
_QUOTE = re.compile(r"[ \t]*> ?")
_ITEM_MARK = re.compile(r"[-*+]|\d{1,9}[.)]")
_DEEP_QUOTE = re.compile(r"(?m)^([ \t]*)>>>(?= )")
_SMALL = re.compile(r"(?m)^([ \t]*)(?=-# )")
_LIVE = re.compile(r"(?<!\\)<(?=[@#/]|a?:|t:|id:)")
_BARS = re.compile(r"(?<!\\)\|(?=\|)")
_TICKS = re.compile(r"(\\.)|`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Markup:
    """A text in Discord's dialect, and where in it each piece of the source has come to stand.

    `starts` pairs offsets of the source with offsets of `text`, both rising.
    """

    text: str
    starts: tuple[tuple[int, int], ...]

    def place(self, span: Span | None) -> Span | None:
        """Return a span of the source as one of the text, at the borders of its pieces."""
        if span is None:
            return None
        start = max((there for here, there in self.starts if here <= span.start), default=0)
        ends = (there for here, there in self.starts if here >= span.end)
        return Span(start, max(start, min(ends, default=len(self.text))))


def escaped(text: str) -> str:
    """Return plain text so that Discord shows it as it stands, on one line."""
    return _shown_raw(" ".join(text.split()))


def discord_markup(text: str) -> Markup:
    """Return a runbook's Markdown for Discord: prose as it is, code byte for byte in its fences."""
    source = marked(text, _WHOLE)
    starts: list[tuple[int, int]] = []
    pieces: list[str] = []
    size = 0
    for at, piece in _inside(source, text, Span(0, len(text)), parse(text).blocks, 0):
        starts.append((at, size))
        pieces.append(piece)
        size += len(piece)
    return Markup("".join(pieces), tuple(starts))


def _inside(
    source: MarkedText, text: str, span: Span, blocks: Sequence[Block], quotes: int
) -> Iterator[tuple[int, str]]:
    """Yield each block with its offset, rendered, and what stands between them as it is."""
    at = span.start
    for block in blocks:
        yield at, text[at : block.span.start]
        if block.children:
            inner = quotes + (block.kind is BlockKind.QUOTE)
            yield from _inside(source, text, block.span, block.children, inner)
        else:
            margin = source.lines[source.line_at(block.span.start)].margin
            begins = block.span.start == span.start
            written = text[block.span.start : block.span.end]
            yield block.span.start, _leaf(block, written, quotes, margin, begins=begins)
        at = block.span.end
    yield at, text[at : span.end]


def _leaf(block: Block, written: str, quotes: int, margin: int, *, begins: bool) -> str:
    match block.kind:
        case BlockKind.FENCE:
            return _fence(written.split("\n"), block.mark, quotes)
        case BlockKind.CODE:
            return _indented(written.split("\n"), quotes, margin, begins=begins)
        case _:
            return _prose(written)


# --- code -----------------------------------------------------------------------------------------


def _fence(lines: list[str], mark: str, quotes: int) -> str:
    before, _, info = lines[0].partition(mark)
    lead = before.rstrip() if _ITEM_MARK.search(before) else ""
    columns = len(_unquoted(before, quotes).expandtabs(4))
    last = _unquoted(lines[-1], quotes).strip()
    if len(lines) > 1 and len(last) >= len(mark) and set(last) == {mark[0]}:
        lines = lines[:-1]
    content = [without_indent(_unquoted(line, quotes), columns) for line in lines[1:]]
    word = info.strip().partition(" ")[0]
    return _block(content, word if _WORD.fullmatch(word) else "", lead)


def _indented(lines: list[str], quotes: int, margin: int, *, begins: bool) -> str:
    """Render code that is marked by its indent; where it begins an item, the marker is indent."""
    first, lead = _unquoted(lines[0], quotes), ""
    found = _ITEM_MARK.search(first) if begins and margin < _CODE_INDENT else None
    if found and not first[: found.start()].strip() and found.start() < _CODE_INDENT:
        lead = first[: found.end()]
        first = " " * found.end() + first[found.end() :]
        margin = found.end() + 1
    rest = [_unquoted(line, quotes) for line in lines[1:]]
    content = [without_indent(line, margin + _CODE_INDENT) for line in (first, *rest)]
    return _block(content, "", lead)


def _block(content: Sequence[str], word: str, lead: str) -> str:
    text = "\n".join(content)
    above = f"{lead}\n" if lead else ""
    if FENCE in text:
        return above + _shown_raw(text)
    return f"{above}{FENCE}{word}\n{text}\n{FENCE}"


def _unquoted(line: str, quotes: int) -> str:
    for _ in range(quotes):
        line = _QUOTE.sub("", line, count=1) if _QUOTE.match(line) else line
    return line


# --- prose ----------------------------------------------------------------------------------------


def _prose(written: str) -> str:
    """Leave Markdown as it is, but for what only Discord would make something of."""
    out: list[str] = []
    at = 0
    for span in code_spans(written):
        out += (_neutral(written[at : span.start]), written[span.start : span.end])
        at = span.end
    out.append(_neutral(written[at:]))
    return _SMALL.sub(r"\1\\", _DEEP_QUOTE.sub(r"\1> > >", "".join(out)))


def _neutral(text: str) -> str:
    """Disarm spoilers, mentions and single backticks, each of which may reach over paragraphs."""
    text = _TICKS.sub(lambda found: found[1] or "\\`", text)
    return _LIVE.sub(r"\\<", _BARS.sub(r"|\\", text))


def _shown_raw(text: str) -> str:
    text = _MARKS.sub(r"\\\g<0>", text)
    return _NUMBER_MARK.sub(r"\1\\", _LINE_MARK.sub(r"\1\\", text))
