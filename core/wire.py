"""Frozen values as JSON and back, by their annotations: for another process of this program.

What is read back has the right types or is refused; it is never executed, as a pickle would be.
"""

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Return a value in JSON's terms: dataclasses as objects, tuples as lists, times in ISO 8601.

    Raises:
        TypeError: it holds something that has no such form.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_plain(one) for one in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{type(value).__name__} cannot be sent to another process")


def from_plain(kind: type[T], plain: Any) -> T:
    """Return the value of a dataclass that `to_plain` made this of; absent fields have defaults.

    Raises:
        ValueError: it is not of that kind.
    """
    read: T = _read(kind, plain)
    return read


def _read(kind: Any, plain: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _optional(kind, plain)
    if origin is tuple:
        return tuple(_read(get_args(kind)[0], one) for one in _of(list, plain))
    if origin is not None and issubclass(origin, Mapping):
        inner = get_args(kind)[1]
        return {key: _read(inner, one) for key, one in _of(dict, plain).items()}
    if is_dataclass(kind):
        return _dataclass(kind, plain)
    if issubclass(kind, Enum):
        return kind(plain)
    if kind is datetime:
        return datetime.fromisoformat(_of(str, plain))
    if kind is float and type(plain) is int:
        return float(plain)
    return _of(kind, plain)


def _optional(kind: Any, plain: Any) -> Any:
    [inner] = [one for one in get_args(kind) if one is not types.NoneType]
    return None if plain is None else _read(inner, plain)


def _dataclass(kind: Any, plain: Any) -> Any:
    hints = _hints(kind)
    stored = _of(dict, plain)
    if unknown := stored.keys() - hints.keys():
        raise ValueError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    try:
        return kind(**{name: _read(hints[name], one) for name, one in stored.items()})
    except TypeError as error:
        raise ValueError(f"no whole {kind.__name__}") from error


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _of(kind: Any, plain: Any) -> Any:
    if type(plain) is not kind:
        raise ValueError(f"{kind.__name__} expected, not {type(plain).__name__}")
    return plain
