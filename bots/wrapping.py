"""Wrapping prose to a screen, never inside inline code. Pure."""

import re
from collections.abc import Iterator

from rich.cells import cell_len

from bots.inline_code import code_spans

_SPACE = re.compile(r"[ \t\n]+")


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> str:
    """Return prose in lines of up to `width` columns, beginning with `first`, then with `rest`.

    Inline code stays on one line, with its spaces, however long: what is copied from the screen is
    then one command. So does a word that is too long, such as a URL.
    """
    lines: list[str] = []
    line, empty = first, True
    for word in _words(text):
        if not empty and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line, empty = rest, True
        line = f"{line}{word}" if empty else f"{line} {word}"
        empty = False
    return "\n".join((*lines, line))


def _words(text: str) -> Iterator[str]:
    """Yield the words; inline code, with what touches it, is one word."""
    held = [(span.start, span.end) for span in code_spans(text)]
    start = 0
    for space in _SPACE.finditer(text):
        while held and held[0][1] <= space.start():
            held.pop(0)
        if held and held[0][0] < space.start():
            continue
        if space.start() > start:
            yield text[start : space.start()]
        start = space.end()
    if start < len(text):
        yield text[start:]
