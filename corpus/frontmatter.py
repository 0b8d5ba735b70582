"""The block of YAML, TOML or JSON at the top of a file, found and turned into strings. Pure."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

import yaml

from corpus.frontmatter_access import VISIBILITY, key_of
from corpus.frontmatter_head import named_at_top, named_below, named_unmarked
from corpus.frontmatter_withheld import named_twice, refuse_unread, visibility_line

_LONGEST = 64_000
_DEEPEST = 50
_REMEDIES = {"mapping values are not allowed here": " (a text with a colon wants quotes)"}
"""What to do about what people write most, by YAML's own words for it."""
_TOO_DEEP = "frontmatter: nested too deeply, ignored"
_DOTS = re.compile(
    rf"""(?:^|[\[{{,])[ \t]*(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{_DEEPEST}}}""",
    re.MULTILINE | re.ASCII,
)
"""A dotted key of TOML nests as brackets do; tomllib takes seconds over some thousand dots."""
_BRACKET = re.compile(r"[\[\]{}]")
_BEGUN = re.compile(
    r"(?P<above>(?:\s|<!--(?:(?!-->)[^\0])*-->)*)(?P<mark>---|\+\+\+)[ \t]*\n"
    r"[A-Za-z_][\w-]*[ \t]*(?:=|:(?:[ \t]|\n))"
)
_COMMENT = r"(?:[ \t]+#.*|[ \t]*)"
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")
_AT_LINE = re.compile(r"\(at line (\d+)|\bline (\d+) column")

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


class _NamedTwiceError(Exception):
    """A mapping has two keys that mean `visibility`; a parser would keep the last."""


class _Loader(yaml.SafeLoader):
    """YAML with numbers and booleans left as they were written, and without merge keys.

    A few merge keys of merge keys would fill the memory.
    """

    def as_written(self, node: yaml.ScalarNode) -> str:
        """Return a scalar's own text."""
        return str(node.value)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave `<<` where it is: it then counts as an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping that names `visibility` once at most."""
        _refuse_twice([key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
        return super().construct_mapping(node, deep)


for _kind in ("bool", "float", "int"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _Loader.as_written)


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
        except _NamedTwiceError:
            raise named_twice(inside, above) from None
        if isinstance(parsed, dict) and (parsed or inside[:1] != "{"):
            values = {key_of(_whole(str(key))): _value(value) for key, value in parsed.items()}
            line = visibility_line(parsed, inside, above)
            if line is None:
                refuse_unread(named_below(text, end) if parsed else named_at_top(text), "")
            return Frontmatter(end, values, visibility_line=line)
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
    return f"frontmatter: it is not closed by {begun['mark']}, ignored"


def _yaml(block: str, above: int) -> tuple[Any, str]:
    """Return what the YAML holds, and a warning where it cannot be read.

    PyYAML lets more than its own errors through: ValueError for a date such as 2020-27-02,
    RecursionError for deep nesting, TypeError and the like for tags that do not fit.
    """
    if _nesting(block) > _DEEPEST:
        return None, _TOO_DEEP
    try:
        return yaml.load(block, Loader=_Loader), ""  # noqa: S506 (a SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 + above if mark else 1
        why = error.problem or "not YAML"
        return None, f"frontmatter line {line}: {why}{_REMEDIES.get(why, '')}, ignored"
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError) as error:
        return None, f"frontmatter: {' '.join(str(error).split())}, ignored"
    except (RecursionError, OverflowError):
        return None, _TOO_DEEP


def _toml(block: str, above: int) -> tuple[Any, str]:
    """Return what the TOML holds, and a warning where it cannot be read."""
    if _DOTS.search(block):
        return None, _TOO_DEEP
    return _loaded(lambda: tomllib.loads(block, parse_float=str), block, above)


def _json(block: str, above: int) -> tuple[Any, str]:
    """Return what the JSON holds, and a warning where it cannot be read."""
    return _loaded(
        lambda: json.loads(
            block, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_pairs
        ),
        block,
        above,
    )


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _refuse_twice(key for key, _ in pairs)
    return dict(pairs)


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


def _loaded(load: Callable[[], Any], block: str, above: int) -> tuple[Any, str]:
    if _nesting(block) > _DEEPEST:
        return None, _TOO_DEEP
    try:
        return load(), ""
    except ValueError as error:
        said = str(error)
        found = _AT_LINE.search(said)
        line = int(found[1] or found[2]) + above if found else 1 + above
        what = said.partition(" (at ")[0].partition(": line ")[0]
        return None, f"frontmatter line {line}: {what[:1].lower()}{what[1:]}, ignored"
    except RecursionError:
        return None, _TOO_DEEP


_FORMS: tuple[tuple[re.Pattern[str], Callable[[str, int], tuple[Any, str]]], ...] = (
    (
        re.compile(rf"---{_COMMENT}\n(?P<inside>(?:.*\n)*?)(?:---|\.\.\.){_COMMENT}(?:\n|\Z)"),
        _yaml,
    ),
    (re.compile(r"\+\+\+[ \t]*\n(?P<inside>(?:.*\n)*?)\+\+\+[ \t]*(?:\n|\Z)"), _toml),
    (re.compile(r";;;[ \t]*\n(?P<inside>(?:.*\n)*?);;;[ \t]*(?:\n|\Z)"), _json),
    (re.compile(r"(?P<inside>\{[ \t]*(?:\n(?:.*\n)*?|\"(?:.*\n)*?.*)\})[ \t]*(?:\n|\Z)"), _json),
)


def _nesting(block: str) -> int:
    """Return how deep brackets stand in brackets; PyYAML takes seconds over a few hundred."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(block):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse_twice(keys: Iterable[object]) -> None:
    if [key_of(key) for key in keys].count(VISIBILITY) > 1:
        raise _NamedTwiceError


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
