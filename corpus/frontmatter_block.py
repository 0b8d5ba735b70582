"""What a block of YAML, TOML or JSON holds, and what is to be remarked of it. Pure."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import yaml

from corpus.frontmatter_access import VISIBILITY, key_of

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
_AT_LINE = re.compile(r"\(at line (\d+)|\bline (\d+) column")


class NamedTwiceError(Exception):
    """A mapping has two keys that mean `visibility`; a parser would keep the last."""


class _Loader(yaml.SafeLoader):
    """YAML with numbers and booleans left as they were written, and without merge keys.

    A few merge keys of merge keys would fill the memory. `keys` are the block's own, with their
    lines from 0.
    """

    keys: Sequence[tuple[str, int | None]] = ()

    def as_written(self, node: yaml.ScalarNode) -> str:
        """Return a scalar's own text."""
        return str(node.value)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave `<<` where it is: it then counts as an error."""

    def construct_document(self, node: yaml.Node) -> Any:
        """Return what the block holds, and keep what is to be remarked of its keys."""
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        keys = [key for key, _ in pairs if isinstance(key, yaml.ScalarNode)]
        self.keys = [(str(key.value), key.start_mark.line) for key in keys]
        return super().construct_document(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping that names `visibility` once at most."""
        _refuse_twice([key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
        return super().construct_mapping(node, deep)


for _kind in ("bool", "float", "int"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _Loader.as_written)


def yaml_in(block: str, above: int) -> tuple[Any, str]:
    """Return what the YAML holds, and a warning where it cannot be read.

    PyYAML lets more than its own errors through: ValueError for a date such as 2020-27-02,
    RecursionError for deep nesting, TypeError and the like for tags that do not fit.
    """
    if _nesting(block) > _DEEPEST:
        return None, _TOO_DEEP
    try:
        loader = _Loader(block)
        try:
            parsed = loader.get_single_data()
        finally:
            loader.dispose()
        return parsed, _repeated(loader.keys, above)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 + above if mark else 1
        why = error.problem or "not YAML"
        return None, f"frontmatter line {line}: {why}{_REMEDIES.get(why, '')}, ignored"
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError) as error:
        return None, f"frontmatter: {' '.join(str(error).split())}, ignored"
    except (RecursionError, OverflowError):
        return None, _TOO_DEEP


def toml_in(block: str, above: int) -> tuple[Any, str]:
    """Return what the TOML holds, and a warning where it cannot be read."""
    if _DOTS.search(block):
        return None, _TOO_DEEP
    parsed, warning = _loaded(lambda: tomllib.loads(block, parse_float=str), block, above)
    return parsed, warning or _repeated([(key, None) for key in parsed])


def json_in(block: str, above: int) -> tuple[Any, str]:
    """Return what the JSON holds, and a warning where it cannot be read."""
    keys: list[tuple[str, None]] = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _refuse_twice(key for key, _ in pairs)
        keys[:] = [(key, None) for key, _ in pairs]  # the outermost is made last
        return dict(pairs)

    parsed, warning = _loaded(
        lambda: json.loads(
            block, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=mapping
        ),
        block,
        above,
    )
    return parsed, warning or _repeated(keys if isinstance(parsed, dict) else ())


def _repeated(keys: Iterable[tuple[str, int | None]], above: int = 0) -> str:
    """Return a warning on the first key that stands there a second time; lines count from 0."""
    seen: set[str] = set()
    for key, line in keys:
        name = key_of(key)
        if name in seen:
            where = "" if line is None else f" line {line + 1 + above}"
            return f"frontmatter{where}: {name[:40]!r} stands there twice, the last one counts"
        seen.add(name)
    return ""


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


def _nesting(block: str) -> int:
    """Return how deep brackets stand in brackets; PyYAML takes seconds over a few hundred."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(block):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse_twice(keys: Iterable[object]) -> None:
    if [key_of(key) for key in keys].count(VISIBILITY) > 1:
        raise NamedTwiceError
