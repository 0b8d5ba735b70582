"""Which destructive commands a text holds, for pointing them out. Pure; never alters the text."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bots.inline_code import code_spans
from corpus.markdown import Block, BlockKind, parse

_PLAIN_WORD = re.compile(r"\w+")
_CODE = {BlockKind.FENCE, BlockKind.CODE}


def destructive(texts: Sequence[str], entries: Sequence[str]) -> tuple[str, ...]:
    """Return the entries that occur in any of the Markdown texts, in the order of the entries.

    An entry counts as a whole word or flag, whatever its case and the white space within: `--force`
    is not in `--force-with-lease`. One plain word (`drop`, `reset`) counts only inside code: in
    prose it is English.
    """
    whole = "\n\n".join(texts)
    code = "\n".join(part for text in texts for part in _code(text))
    return tuple(
        entry
        for entry in entries
        if _pattern(entry).search(code if _PLAIN_WORD.fullmatch(entry) else whole)
    )


@lru_cache(maxsize=256)
def _pattern(entry: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in entry.split())
    return re.compile(rf"(?<![\w-]){words}(?![\w-])", re.IGNORECASE)


def _code(text: str) -> Iterator[str]:
    """Yield what stands in code of any kind: fences without their first line, blocks, inline."""
    for block in _leaves(parse(text).blocks):
        stretch = text[block.span.start : block.span.end]
        if block.kind is BlockKind.FENCE:
            yield stretch.partition("\n")[2]
        elif block.kind in _CODE:
            yield stretch
        else:
            yield from (stretch[span.start : span.end] for span in code_spans(stretch))


def _leaves(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.children:
            yield from _leaves(block.children)
        else:
            yield block
