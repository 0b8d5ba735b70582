"""The questions that an author says a section answers, taken out of a page's text. Pure.

    <!-- asked: pods keep restarting after a deploy | why does my pod die over and over -->

A comment of its own, anywhere in the section, in HTML or in MDX (`{/* asked: … */}`); questions are
divided by `|` or by line ends. No renderer shows it. Here it helps to find the section and is never
part of what is shown.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from core.models import Asked
from corpus.markdown import Block, BlockKind, parse

LONGEST: Final = 300
"""Characters of a question beyond which it is none: somebody left a comment open."""
MOST: Final = 20
"""Questions of one comment that count; each costs as much room in the index as a short section."""

_SIGN = re.compile(r"(?:<!--|\{/\*)\s*asked:", re.IGNORECASE)
_COMMENT = re.compile(
    r"<!--\s*asked:(?P<html>(?:(?!-->).)*)-->|\{/\*\s*asked:(?P<mdx>(?:(?!\*/).)*)\*/\}",
    re.IGNORECASE | re.DOTALL,
)
_BETWEEN = re.compile(r"[|\n]")
_WORD = re.compile(r"\w")


def without_asked(text: str, first_line: int = 1) -> tuple[str, tuple[Asked, ...], tuple[str, ...]]:
    """Return a text with such comments as empty lines, what they asked, and what was ignored.

    The number of lines stays the same. Comments in code, or with other text on their lines, are
    text. What was ignored is told in sentences, by line; the text begins at `first_line`.
    """
    if not _SIGN.search(text):
        return text, (), ()
    asked: list[Asked] = []
    ignored: list[str] = []
    pieces: list[str] = []
    done = removed = 0
    for block, comment in _comments(text, parse(text).blocks):
        span = block.span
        found = [" ".join(one.split()) for one in _BETWEEN.split(comment)]
        said = [one for one in dict.fromkeys(found) if _WORD.search(one)]
        kept = tuple(one for one in said if len(one) <= LONGEST)[:MOST]
        if len(kept) < len(said):
            line = first_line + text.count("\n", 0, span.start)
            ignored.append(
                f"asked questions of line {line}: {len(said) - len(kept)} ignored, since a comment "
                f"has {MOST} at most, of {LONGEST} characters at most"
            )
        if kept:
            asked.append(Asked(span.start - removed, kept))
        lines = "\n" * text.count("\n", span.start, span.end)
        pieces += text[done : span.start], lines
        removed += len(span) - len(lines)
        done = span.end
    return "".join((*pieces, text[done:])), tuple(asked), tuple(ignored)


def _comments(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, str]]:
    """Yield the blocks that are such a comment and nothing else, in order, with what it says."""
    for block in blocks:
        if block.kind in (BlockKind.HTML, BlockKind.PARAGRAPH):
            written = text[block.span.start : block.span.end].strip()
            if found := _COMMENT.fullmatch(written):
                yield block, found["html"] if found["html"] is not None else found["mdx"]
        yield from _comments(text, block.children)
