"""The questions that an author says a section answers, taken out of a page's text. Pure.

    <!-- asked: pods keep restarting after a deploy | why does my pod die over and over -->

A comment with its lines to itself, anywhere in the section but in code, in HTML or in MDX
(`{/* asked: … */}`); questions are divided by `|` or by line ends. No renderer shows it. Here it
helps to find the section and is never part of what is shown. What looks like one and is none stays
in the text, and is told: it would be quoted in answers, and nobody would find the section by it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final

from core.models import Asked
from corpus.markdown import Block, BlockKind, Heading, parse

LONGEST: Final = 300
"""Characters of a question beyond which it is none: somebody left a comment open."""
MOST: Final = 20
"""Questions of one comment that count; each costs as much room in the index as a short section."""

_SIGN = re.compile(r"(?:<!--|\{/\*)\s*asked:", re.IGNORECASE)
# What no question holds, but a comment that was never closed: blank lines, headings, comments.
_NEXT = (
    r"(?:<!--|\{/\*)\s*asked:"
    r"|\n(?:[ \t>]*(?:\n|#{1,6}[ \t\n])|(?:(?!-->|\*/\})[^\n])*?(?:<!--|\{/\*))"
)
_COMMENT = re.compile(
    rf"<!--\s*asked:(?P<html>(?:(?!-->|{_NEXT}).)*)-->"
    rf"|\{{/\*\s*asked:(?P<mdx>(?:(?!\*/\}}|{_NEXT}).)*)\*/\}}",
    re.IGNORECASE | re.DOTALL,
)
_ANY_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|\{/\*.*?(?:\*/\}|\Z)", re.DOTALL)
_HTML_CODE = re.compile(r"<(pre|code|script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TICKS = re.compile(r"(?<!\\)`+")
_BETWEEN = re.compile(r"\||\n[ \t>]*(?:[-*+][ \t])?")
_WORD = re.compile(r"\w")
_CODE = (BlockKind.FENCE, BlockKind.CODE)
_NOT_CLOSED = "are not closed: end the comment before a blank line, a heading or another comment"
_NOT_ALONE = "are ignored: the comment must have its lines to itself"
_NO_TEXT = "are ignored: below its heading the section has no text that they could find"


def without_asked(text: str, first_line: int = 1) -> tuple[str, tuple[Asked, ...], tuple[str, ...]]:
    """Return a text with such comments as empty lines, what they asked, and what was ignored.

    The number of lines stays the same. Comments in code are text and so are those with other text
    on their lines. What was ignored is told in sentences, by line; the text begins at `first_line`.
    """
    if not _SIGN.search(text):
        return text, (), ()
    outline = parse(text)
    leaves = list(_leaves(outline.blocks))
    code = sorted(span for leaf in leaves for span in _code(text, leaf))
    alone = {one.start(): one for one in _alone(text, list(_comments(text, leaves, code)))}
    wordless = list(_wordless(text, outline.headings, alone.values()))
    asked: list[Asked] = []
    ignored: list[str] = []
    pieces: list[str] = []
    line, counted, done, removed = first_line, 0, 0, 0
    for sign in _SIGN.finditer(text):
        start = sign.start()
        if start < done or _covered(code, start):
            continue
        line, counted = line + text.count("\n", counted, start), start
        comment = alone.get(start)
        if comment is None:
            reason = _NOT_ALONE if _COMMENT.match(text, start) else _NOT_CLOSED
            ignored.append(f"asked questions of line {line} {reason}")
            continue
        kept, lost = _questions(comment["html"] or comment["mdx"] or "")
        if lost:
            ignored.append(
                f"asked questions of line {line}: {lost} ignored, since a comment "
                f"has {MOST} at most, of {LONGEST} characters at most"
            )
        if kept:
            asked.append(Asked(start - removed, kept))
            if _covered(wordless, start):
                ignored.append(f"asked questions of line {line} {_NO_TEXT}")
        lines = "".join(re.findall(r"\n[ \t>]*", comment[0]))
        pieces += text[done:start], lines
        removed += len(comment[0]) - len(lines)
        done = comment.end()
    return "".join((*pieces, text[done:])), tuple(asked), tuple(ignored)


def _questions(written: str) -> tuple[tuple[str, ...], int]:
    """Return the questions of a comment that count, each once, and how many do not."""
    found = [" ".join(one.split()) for one in _BETWEEN.split(written)]
    said = [one for one in dict.fromkeys(found) if _WORD.search(one)]
    kept = tuple(one for one in said if len(one) <= LONGEST)[:MOST]
    return kept, len(said) - len(kept)


def _leaves(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks that hold no others, in order."""
    for block in blocks:
        if block.children:
            yield from _leaves(block.children)
        else:
            yield block


def _code(text: str, leaf: Block) -> Iterator[tuple[int, int]]:
    """Yield where code stands in a block, in order."""
    at, written = leaf.span.start, text[leaf.span.start : leaf.span.end]
    if leaf.kind in _CODE:
        yield at, leaf.span.end
    elif leaf.kind is BlockKind.HTML:
        yield from ((at + one.start(), at + one.end()) for one in _HTML_CODE.finditer(written))
    else:
        runs = [run.span() for run in _TICKS.finditer(written)]
        closing: dict[int, list[int]] = {}
        for start, end in reversed(runs):
            closing.setdefault(end - start, []).append(end)
        done = 0
        for start, end in runs:
            ends = closing[end - start]
            while ends and ends[-1] <= max(done, end):
                ends.pop()
            if start >= done and ends:
                done = ends[-1]
                yield at + start, at + done


def _covered(spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Return whether one of these spans, which are in order and apart, holds a place."""
    before = bisect_right(spans, at, key=itemgetter(0))
    return before > 0 and at < spans[before - 1][1]


def _comments(
    text: str, leaves: Sequence[Block], code: Sequence[tuple[int, int]]
) -> Iterator[re.Match[str]]:
    """Yield such comments in HTML and paragraphs, in order: in no code, in no other comment."""
    done = 0
    for leaf in leaves:
        if leaf.kind not in (BlockKind.HTML, BlockKind.PARAGRAPH):
            continue
        for other in _ANY_COMMENT.finditer(text[leaf.span.start : leaf.span.end]):
            start = leaf.span.start + other.start()
            found = _COMMENT.match(text, start)
            if found is None or start < done or _covered(code, start):
                continue
            if not _covered(code, found.end() - 1):
                done = found.end()
                yield found


def _alone(text: str, found: Sequence[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield the comments beside which nothing but others of them stands on their lines."""
    together: list[re.Match[str]] = []
    before = 0
    for at, one in enumerate(found):
        together.append(one)
        after = found[at + 1].start() if at + 1 < len(found) else len(text)
        gap = text[one.end() : after]
        if at + 1 < len(found) and not gap.strip(" \t"):
            continue
        _, begun, margin = text[before : together[0].start()].rpartition("\n")
        if (begun or not before) and not margin.strip(" \t>") and not gap.split("\n", 1)[0].strip():
            yield from together
        together, before = [], one.end()


def _wordless(
    text: str, headings: Sequence[Heading], taken: Iterable[re.Match[str]]
) -> Iterator[tuple[int, int]]:
    """Yield the sections that have a heading and, these comments aside, no word below it."""
    pieces: list[str] = []
    done = 0
    for one in taken:
        pieces += text[done : one.start()], " " * (one.end() - one.start())
        done = one.end()
    left = "".join((*pieces, text[done:]))
    places = [(heading.span.start, heading.span.end) for heading in headings]
    if places and not left[: places[0][0]].strip():
        places[0] = (0, places[0][1])  # what stands above the first heading is its section's
    for (start, body), (end, _) in pairwise([*places, (len(text), 0)]):
        if not _WORD.search(left, body, end):
            yield start, end
