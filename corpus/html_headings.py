"""Headings that are written as HTML inside Markdown. Pure, and linear in the text's length."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<raw>script|style|textarea)\b.*?(?:</(?P=raw)|\Z)"
    r"|(?<!`)(?P<code>`+)(?!`).{1,300}?(?<!`)(?P=code)(?!`)"
    r"|<(?P<close>/?)h(?P<level>[1-6])(?=[\s/>])[^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class HtmlHeading:
    """A heading element: its text, its level, and where it starts and ends."""

    text: str
    level: int
    start: int
    end: int


def html_headings(text: str) -> Iterator[HtmlHeading]:
    """Yield the heading elements of a stretch of HTML, or of a paragraph with HTML in it.

    Comments, scripts and code spans are passed over. An element that is not closed reaches to the
    next heading, or to the end.
    """
    opened: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        if token["level"] is None:
            continue
        if opened is not None:
            end = token.end() if token["close"] else token.start()
            yield _heading(text, opened, token.start(), end)
        opened = None if token["close"] else token
    if opened is not None:
        yield _heading(text, opened, len(text), len(text))


def _heading(text: str, opened: re.Match[str], stop: int, end: int) -> HtmlHeading:
    rendered = html.unescape(_TAG.sub("", text[opened.end() : stop])).strip()
    return HtmlHeading(rendered, int(opened["level"]), opened.start(), end)
