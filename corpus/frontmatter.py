"""The block of YAML, TOML or JSON at the top of a file, found and turned into strings. Pure."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from corpus.frontmatter_access import key_of
from corpus.frontmatter_block import NamedTwiceError, json_in, toml_in, yaml_in
from corpus.frontmatter_head import named_at_top, named_below, named_unmarked
from corpus.frontmatter_withheld import named_twice, refuse_unread, visibility_line

_LONGEST = 64_000
_KEY = r"[A-Za-z_][\w-]*[ \t]*(?:=|:(?:[ \t]|\n))"
_BEGINS_WITH_KEY = re.compile(_KEY)
_BEGUN = re.compile(
    r"(?P<above>(?:\s|<!--(?:(?!-->)[^\0])*-->)*)(?:"
    rf"(?P<mark>---|\+\+\+)[ \t]*\n(?:{_KEY}|(?:[ \t]*(?:#.*)?\n)+{_KEY}.*\n{_KEY})"
    r'|(?P<json>;;;[ \t]*\n\s*)?\{[ \t]*\n\s*"[\w-]+"[ \t]*:)'
)
"""What was meant as frontmatter: a key right below a mark, or two below blank lines or comments.

What else stands below one may be a text that begins with a thematic break.
"""
_COMMENT = r"(?:[ \t]+#.*|[ \t]*)"
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")


Value = str | list[str] | None


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What stands at the top of a file.

    `length` is how many characters of the text it takes, its closing line included: 0 where there
    is none that counts. `values` has lower-case keys with `_` for `-`; every value is a string as
    it was written (dates YYYY-MM-DD), a list of them, or None for one that is neither. `warning`
    says why a block was ignored. `visibility_line` is the line, from 1, that names `visibility`.
    """

    length: int = 0
    values: Mapping[str, Value] = field(default_factory=dict)
    warning: str = ""
    visibility_line: int | None = None


def read_frontmatter(text: str) -> Frontmatter:
    """Return the frontmatter of a text with LF line ends.

    YAML stands between `---`, TOML between `+++`, JSON between `;;;` or in braces alone. Only a
    block that parses to a mapping counts. Anything else stays part of the text.

    Raises:
        DocumentError: the top of the text says who may see it, but not so that it can be read.
    """
    warning = ""
    for begins, parse in _FORMS:
        block = begins.match(text, 0, _LONGEST)
        if block is None:
            continue
        inside, end = _extent(text, block)
        above = text.count("\n", 0, block.start("inside"))
        try:
            parsed, warning = parse(inside, above)
        except NamedTwiceError:
            raise named_twice(inside, above) from None
        if isinstance(parsed, dict) and (parsed or inside[:1] != "{"):
            values = {key_of(_whole(str(key))): _value(value) for key, value in parsed.items()}
            line = visibility_line(parsed, inside, above)
            if line is None:
                refuse_unread(named_below(text, end) if parsed else named_at_top(text), "")
            return Frontmatter(end, values, warning, line)
        if not warning and _BEGINS_WITH_KEY.match(inside):
            warning = "frontmatter: it is no mapping of keys to values, ignored"
        break
    else:
        warning = _misplaced(text)
    refuse_unread(named_at_top(text), warning)
    return Frontmatter(warning=warning or _unmarked(text))


def _misplaced(text: str) -> str:
    """Return a warning where a text begins with what was meant as frontmatter and is none."""
    begun = _BEGUN.match(text, 0, _LONGEST)
    if begun is None:
        return ""
    if begun["above"]:
        return "frontmatter: it must begin on the first line, ignored"
    mark = begun["mark"] or (";;;" if begun["json"] else "}")
    return f"frontmatter: it is not closed by {mark}, ignored"


def _extent(text: str, block: re.Match[str]) -> tuple[str, int]:
    """Return what is inside a block, and where the block ends.

    JSON ends where its braces do, which only a decoder can tell; the match is a guess.
    """
    if not block["inside"].startswith("{") or block.start("inside"):
        return block["inside"], block.end()
    try:
        _, end = json.JSONDecoder().raw_decode(text[:_LONGEST])
    except (ValueError, RecursionError):
        return block["inside"], block.end()
    closed = _LINE_END.match(text, end)
    return (text[:end], closed.end()) if closed else (block["inside"], block.end())


_FORMS: tuple[tuple[re.Pattern[str], Callable[[str, int], tuple[Any, str]]], ...] = (
    (
        re.compile(rf"---{_COMMENT}\n(?P<inside>(?:.*\n)*?)(?:---|\.\.\.){_COMMENT}(?:\n|\Z)"),
        yaml_in,
    ),
    (re.compile(r"\+\+\+[ \t]*\n(?P<inside>(?:.*\n)*?)\+\+\+[ \t]*(?:\n|\Z)"), toml_in),
    (re.compile(r";;;[ \t]*\n(?P<inside>(?:.*\n)*?);;;[ \t]*(?:\n|\Z)"), json_in),
    (re.compile(r"(?P<inside>\{[ \t]*(?:\n(?:.*\n)*?|\"(?:.*\n)*?.*)\})[ \t]*(?:\n|\Z)"), json_in),
)


def _unmarked(text: str) -> str:
    """Return a warning where a text begins with keys that no mark sets off."""
    line = named_unmarked(text)
    if line is None:
        return ""
    return f"frontmatter line {line + 1}: visibility is read only between two lines of ---, ignored"


def _value(value: object) -> Value:
    if not isinstance(value, list):
        return _scalar(value)
    items = [_scalar(item) for item in value]
    return [item for item in items if item] if None not in items else None


def _scalar(value: object) -> str | None:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return _digits(value)
        case datetime():
            return value.date().isoformat()
        case date() | time():
            return value.isoformat()
        case str():
            return " ".join(_whole(value).split())
        case _:
            return None


def _digits(number: int) -> str | None:
    """Return a number in decimal, or None where it has more digits than Python writes."""
    try:
        return str(number)
    except ValueError:
        return None


def _whole(text: str) -> str:
    r"""Return a text with pairs of surrogates joined, and lone ones replaced.

    PyYAML makes two letters of what JSON's writers make of one: `"\ud83d\udea8"`.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
