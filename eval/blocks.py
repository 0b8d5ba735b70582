"""A report as blocks, written as Markdown or as one HTML page with all in it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, assert_never


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the report's own."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; the first column is words, the others are figures."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing, for pages that can show one."""

    svg: str
    caption: str


Block = Heading | Text | Table | Plot


def markdown(blocks: Sequence[Block]) -> str:
    """Return the blocks as Markdown, plots left out."""
    written = [text for block in blocks if (text := _markdown(block))]
    return "\n\n".join(written) + "\n" if written else ""


def html(title: str, blocks: Sequence[Block]) -> str:
    """Return the blocks as a page with its style and plots inside."""
    body = "\n".join(map(_html, blocks))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Text(text):
            return text
        case Table(head, rows):
            rule = ["---", *["---:"] * (len(head) - 1)]
            lines = [head, tuple(rule), *rows]
            return "\n".join(
                f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines
            )
        case Plot():
            return ""
        case _:
            assert_never(block)


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text):
            return f"<p>{escape(text)}</p>"
        case Table(head, rows):
            top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
            lines = "\n".join(
                f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
            )
            return (
                f'<div class="wide"><table>\n<thead><tr>{top}</tr></thead>\n'
                f"<tbody>\n{lines}\n</tbody>\n</table></div>"
            )
        case Plot(svg, caption):
            return f"<figure>\n{svg}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"
        case _:
            assert_never(block)


STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2127; --paper: #fff; --faint: #d7dce1;
  --s1: #1f6fb4; --s2: #c2551b; --s3: #2c8a4b; --s4: #8a4fb0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7eb; --paper: #14181c;
  --faint: #3a424a; --s1: #6cb2f0; --s2: #f0935c; --s3: #6cc98a; --s4: #c79be6; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
h3 { font-size: 1.05rem; margin-top: 1.6rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; }
th, td { padding: .25rem .5rem; text-align: right; border-bottom: 1px solid var(--faint);
  white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 8rem; }
figure { margin: 1.2rem 0; } figcaption { font-size: .85rem; }
svg { width: 100%; max-width: 34rem; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--faint); stroke-width: 1; } .line { fill: none; stroke-width: 2; }
.ring { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.dot.s1 { fill: var(--s1); } .dot.s2 { fill: var(--s2); } .dot.s3 { fill: var(--s3); }
.dot.s4 { fill: var(--s4); } .line.s1 { stroke: var(--s1); }
.line.s2 { stroke: var(--s2); stroke-dasharray: 6 3; }
.line.s3 { stroke: var(--s3); stroke-dasharray: 2 3; }
.line.s4 { stroke: var(--s4); stroke-dasharray: 8 3 2 3; }
"""
