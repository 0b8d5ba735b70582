"""The top of a text where frontmatter was meant and is none: who may see it, as it says. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from corpus.frontmatter_access import (
    VISIBILITY,
    Mention,
    Place,
    access_key,
    key_of,
    mentions,
    plain,
)

_MEANT_LINES = 200
"""So far a block without an end reaches at least, where keys stand right under its mark."""
_OPEN_LINES = 30
"""So far it reaches where other text does; a mark at the top may be a thematic break."""
_NEAR_LINES = 100
_BLOCKS = 10
_FIRST_LINES = 12
"""Below so many lines of text a block of keys is looked for: what a page shows first is short."""
_UNMARKED = 16_000
"""So many characters of a text that begins with no mark are looked at: most texts begin so."""
_OPENING = re.compile(
    r"[\s>\x00-\x1f]*(?=(?P<mark>\S))"
    r"(?:(?:[-+;][ \t]*){2}|\.{3}\s*\Z|[\u2010-\u2015\u2212]|([=*_])\2\2"
    r"|(?:`{3,}|~{3,})[ \t]*\{?(?:ya?ml|toml|json|front))"
)
_BRACES = re.compile(r"\s*\{(?![{%#:/<])")
_CLOSING = {
    mark: re.compile(rf"(?:{closing})[ \t]*(?:[ \t]#.*)?")
    for mark, closing in {
        "-": r"---|\.\.\.",
        "+": r"\+\+\+",
        ";": ";;;",
        "`": "`{3,}",
        "~": "~{3,}",
        "": r"---|\.\.\.|\+\+\+|;;;",
    }.items()
}
_MARK = re.compile(r" {0,3}(?:---|\+\+\+|;;;)[ \t]*")
_BARE_FENCE = re.compile(r"(?:`{3,}|~{3,})[ \t]*")
_RULE = re.compile(r"[^\w|#]{2,}")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_UNDERLINE = re.compile(r"=+[ \t]*|-+[ \t]*")
_SENTENCE = re.compile(r"[^\W\d_]+(?: [\w,'-]+){2}")
_DIRECTIVE = re.compile(r"%[A-Z]+[ \t]")
_KEY = re.compile(r"[^\w\n#]*[^\W\d][\w .\-/]{0,40}[\"'`*_)\]]*\s*[:=](?!//)")
_FIRST_WORD = re.compile(r"[^\w#]*([\w-]+)")
_INDENTED = re.compile(r"[ \t]+\S|-[ \t]")
_GOES_ON = re.compile(r"[ \t]|-[ \t]|[#\"'}\]]|\Z")


@dataclass(frozen=True, slots=True)
class _Top:
    """Where the lines of a head begin: behind blank lines, comments and marks."""

    content: int
    mark: str = ""


def named_at_top(text: str) -> Mention | None:
    """Return what names who may see a text whose frontmatter cannot be read, if anything does."""
    lines, top = _head(text)
    above = mentions(lines[: top.content], Place.PAIR)
    named = next(above, None) if top.mark else _visibility(above)
    return named or _named(lines, top, certain=False) or _displaced(lines, top)


def named_below(text: str, end: int) -> Mention | None:
    """Return what names visibility in a second block, near below the one that ends at `end`."""
    lines, top = _head(text[end:], comments=False)
    named = _named(lines, top, certain=True) or _displaced(lines, top)
    return _moved(named, text.count("\n", 0, end))


def named_unmarked(text: str) -> int | None:
    """Return the line, from 0, that names visibility in the first lines, set off by no mark."""
    lines, top = _head(text)
    if top.mark:
        return None
    keys = lines[top.content : _end_of_unmarked(lines, top.content)]
    named = _visibility(mentions(keys, Place.LINE))
    return None if named is None else top.content + named.line


def _displaced(lines: Sequence[str], top: _Top) -> Mention | None:
    """Return what names visibility in keys without marks, or in a block below the first lines."""
    if top.mark:
        return None
    return _above_heading(lines, top.content) or _below_text(lines, top.content)


def _above_heading(lines: Sequence[str], start: int) -> Mention | None:
    """Return what names visibility among two keys or more that stand right above a heading."""
    end = _end_of_unmarked(lines, start)
    keys = lines[start:end]
    if sum(bool(_KEY.match(key)) and not key[0].isspace() for key in keys) < 2:
        return None
    below = next((at for at in range(end, len(lines)) if lines[at].strip()), end)
    underlined = any(map(_UNDERLINE.fullmatch, lines[below + 1 : below + 2]))
    if not underlined and not any(map(_HEADING.match, lines[below : below + 1])):
        return None
    return _moved(_visibility(mentions(keys, Place.LINE)), start)


def _below_text(lines: Sequence[str], start: int) -> Mention | None:
    """Return what names visibility in a closed block of nothing but keys below the first lines.

    What stands above may be a heading, a paragraph, a template's line. Fences there are examples,
    but one without a language that begins the text.
    """
    for at, line in enumerate(islice(lines, start, start + _FIRST_LINES), start):
        if _MARK.fullmatch(line) or (at == start and _BARE_FENCE.fullmatch(line)):
            end = _end_of_keys(lines, at + 1, _CLOSING[line.lstrip()[0]])
            named = _visibility(mentions(lines[at + 1 : end], Place.LINE))
            if named is not None:
                return _moved(named, at + 1)
        if _FENCE.match(line):
            return None
    return None


def _end_of_unmarked(lines: Sequence[str], start: int) -> int:
    """Return where the lines of keys end that begin a text without a mark."""
    for at in range(start, len(lines)):
        line = lines[at]
        goes_on = at > start and _INDENTED.match(line)
        if line.startswith("{") or not (_KEY.match(line) or goes_on):
            return at
    return len(lines)


def _head(text: str, *, comments: bool = True) -> tuple[list[str], _Top]:
    """Return the plain lines that can matter, and where their content begins."""
    lines = plain(text[:_UNMARKED]).split("\n")
    top = _top(lines, comments=comments)
    if len(text) > _UNMARKED and (top.mark or top.content >= len(lines) - 1):
        lines = plain(text).split("\n")
        top = _top(lines, comments=comments)
    return lines, top


def _top(lines: Sequence[str], *, comments: bool = True) -> _Top:
    """Find the first line that is neither blank nor a comment, a directive or an opening mark."""
    mark = ""
    in_comment = False
    for at, line in enumerate(lines):
        if in_comment or (comments and line.lstrip().startswith("<!--")):
            in_comment = "-->" not in line
            if in_comment or line.rstrip().endswith("-->"):
                continue
        if not line.strip() or _DIRECTIVE.match(line):
            continue
        if not mark and _BRACES.match(line):
            return _Top(at, "{")
        opening = _OPENING.match(line)
        if opening is None:
            return _Top(at, mark)
        mark = mark or opening["mark"]
    return _Top(len(lines), mark)


def _named(lines: Sequence[str], top: _Top, *, certain: bool) -> Mention | None:
    """Look through the blocks at the top; `certain` where only what must be a block counts."""
    above = 0
    for _ in range(_BLOCKS):
        named, closing = _named_in_block(lines, top, certain=certain)
        if named is not None:
            return _moved(named, above + top.content)
        if closing is None:
            return None
        above += closing + 1
        lines = lines[closing + 1 :]
        top, certain = _top(lines, comments=False), True
    return None


def _named_in_block(
    lines: Sequence[str], top: _Top, *, certain: bool
) -> tuple[Mention | None, int | None]:
    """Return what the first block names, its line counted from the content, and where it closes."""
    if not top.mark:
        end = _end_of_keys(lines, top.content, _CLOSING[""])
        return _visibility(mentions(lines[top.content : end], Place.LINE)), None
    meant = _is_meant(lines, top)
    if certain and not meant:
        return None, None
    closing = _closing(lines, top)
    if closing is None:
        end = (_end_of_meant if meant else _end_of_open)(lines, top.content)
        return next(mentions(lines[top.content : end], Place.PAIR), None), None
    found = mentions(lines[top.content : closing], Place.LOOSE if meant else Place.PAIR)
    return (_visibility(found) if certain else next(found, None)), closing


def _is_meant(lines: Sequence[str], top: _Top) -> bool:
    """Tell whether the first line under a mark that is no comment looks like a key."""
    if top.mark == "{":
        first = lines[top.content]
        return first.strip() == "{" or bool(_KEY.match(first))
    for line in lines[top.content :]:
        if line.strip() and not line.startswith("#"):
            word = _FIRST_WORD.match(line)
            return bool(_KEY.match(line) or (word and access_key(key_of(word[1]))))
    return False


def _closing(lines: Sequence[str], top: _Top) -> int | None:
    """Return the line that closes the block for certain; braces close too often to tell."""
    if top.mark == "{":
        return None
    closing = _CLOSING.get(top.mark, _CLOSING[""])
    found = (at for at in range(top.content, len(lines)) if closing.fullmatch(lines[at]))
    return next(found, None)


def _end_of_meant(lines: Sequence[str], start: int) -> int:
    """Return where an open block of keys ends: not before its keys do."""
    below = enumerate(islice(lines, start, None), start)
    keys = next((at for at, line in below if not _is_key(line)), len(lines))
    return max(start + _MEANT_LINES, keys)


def _is_key(line: str) -> bool:
    return bool(_KEY.match(line) or _GOES_ON.match(line))


def _end_of_open(lines: Sequence[str], start: int) -> int:
    """Return where an open block of no keys ends.

    Where a text shows itself: at a fence or heading that is set off by blank lines and has a
    sentence above or right below it; but not above what may be a closing mark gone wrong.
    """
    stop = min(start + _OPEN_LINES, len(lines))
    shown = next((at for at in range(start, stop) if _is_text(lines, start, at)), stop)
    near = islice(enumerate(lines), start, start + _NEAR_LINES)
    return max(shown, *(at for at, line in near if _is_rule(line)), start)


def _is_text(lines: Sequence[str], start: int, at: int) -> bool:
    if at > start and lines[at - 1].strip():
        return False
    if _FENCE.match(lines[at]):
        return any(map(_SENTENCE.match, lines[start:at]))
    if not _HEADING.match(lines[at]) or "".join(lines[at + 1 : at + 2]).strip():
        return False
    below = next((line for line in lines[at + 1 : at + 4] if line.strip()), "")
    return any(map(_SENTENCE.match, [*lines[start:at], below]))


def _is_rule(line: str) -> bool:
    if "|" in line or _FENCE.match(line):
        return False
    return bool(_OPENING.match(line) or _RULE.fullmatch(line.strip()))


def _end_of_keys(lines: Sequence[str], start: int, closing: re.Pattern[str]) -> int:
    """Return where lines of nothing but keys end at a closing mark, else start."""
    if start == len(lines) or not _KEY.match(lines[start]):
        return start
    for at, line in enumerate(islice(lines, start, start + _MEANT_LINES), start):
        if closing.fullmatch(line):
            return at
        if not _is_key(line):
            return start
    return start


def _visibility(found: Iterator[Mention]) -> Mention | None:
    return next((one for one in found if one.key == VISIBILITY), None)


def _moved(named: Mention | None, lines: int) -> Mention | None:
    return None if named is None else replace(named, line=named.line + lines)
