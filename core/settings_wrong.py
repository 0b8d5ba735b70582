"""The sentence on a wrong setting: its name as it is written, and what it may be. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

_PREFIX = "NIGHTLAMP_"
_LONGEST_SHOWN = 60
_WHOLE, _NUMBER, _EITHER = "it must be a whole number", "it must be a number", "true or false"
_MAY_BE = {
    "string_type": "it must be text in quotes",
    "path_type": "it must be a path in quotes",
    "string_too_short": "it must not be empty",
    "too_short": "it must not be empty",
    "string_too_long": "it must have at most {max_length} characters",
    "bool_type": f"it must be {_EITHER}",
    "bool_parsing": f"it must be {_EITHER}",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "greater_than": "it must be more than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than_equal": "it must be at most {le}",
    "literal_error": "it must be {expected}",
    "enum": "it must be {expected}",
}
"""What a value may be, by the kind of error; the fields are those of its context."""
_NO_TABLE = frozenset({"model_type", "model_attributes_type", "dict_type"})


def wrong_setting(error: ValidationError, settings: type[BaseModel]) -> str:
    """Return one sentence on the first of these errors; no value but a list's is in it."""
    first = error.errors(include_url=False)[0]
    path = first["loc"]
    if not path:
        return f"{_own_words(first)}."
    named = f"{_name(path, settings)}{_variable(path, settings)}"
    if first["type"] == "extra_forbidden":
        return f"There is no setting named {named}: {_instead(path, settings)}"
    if first["type"] == "missing":
        return f"The setting {named} is missing."
    subject = named if named.startswith("[") else f"The setting {named}"
    return f"{subject} is wrong: {_may_be(first, settings)}."


def unread_variable(group: str, settings: type[BaseModel]) -> str:
    """Return the sentence on a variable of this group that should be JSON and is not."""
    variable = f"{_PREFIX}{group.upper()}"
    if is_table_list(group, settings):
        return f"{variable} cannot be read: write [[{group}]] in nightlamp.toml instead."
    inside = _model_at((group,), settings)
    keys = inside.model_fields if inside else {}
    lists = [key for key, field in keys.items() if get_origin(field.annotation) is tuple]
    if not lists:
        example = next(iter(keys), "…").upper()
        return f"{variable} is no setting: set one of its own, such as {variable}_{example}."
    return (
        f"{variable}_{lists[0].upper()} cannot be read, or {variable}, which is no setting: "
        'write it as JSON, such as ["one", "two"].'
    )


def is_table_list(name: str, settings: type[BaseModel]) -> bool:
    """Return whether a setting is a list of tables, such as `[[sources]]`."""
    field = settings.model_fields.get(name)
    return field is not None and get_origin(field.annotation) is tuple


def _own_words(error: Mapping[str, Any]) -> str:
    return str(error["msg"]).removeprefix("Value error, ")


def _name(path: Sequence[int | str], settings: type[BaseModel]) -> str:
    """Return a setting's name as it stands in the file; what has a number is counted from 1.

    `include number 2 of [[sources]] number 1`, `retrieval.rrf_k`, `[retrieval]`.
    """
    if len(path) == 1:
        only = str(path[0])
        if only.startswith(_PREFIX.lower()):  # so it stands in `.env`
            return only.upper()
        return f"[{only}]" if _is_group(only, settings) else only
    places: list[str] = []
    joined = ""
    for part in path:
        if isinstance(part, int):
            places.append(f"{joined} number {part + 1}")
            joined = ""
        else:
            joined = f"{joined}.{part}" if joined else part
    if joined:
        places.append(joined)
    if is_table_list(str(path[0]), settings):
        table, rest = str(path[0]), places[0].removeprefix(str(path[0]))
        places[0] = f"[[{table}]]{rest}"
    return " of ".join(reversed(places))


def _is_group(name: str, settings: type[BaseModel]) -> bool:
    return _model_at((name,), settings) is not None and not is_table_list(name, settings)


def _variable(path: Sequence[int | str], settings: type[BaseModel]) -> str:
    """Return the variable that sets the same, in brackets; nothing where none does."""
    words = [part for part in path[:2] if isinstance(part, str)]
    first = str(path[0])
    if is_table_list(first, settings) or first.startswith(_PREFIX.lower()):
        return ""
    if len(words) == 1 and first not in settings.model_fields:
        return ""
    if len(words) == 1 and _is_group(first, settings):
        return ""
    return f" ({_PREFIX}{'_'.join(words).upper()})"


def _instead(path: Sequence[int | str], settings: type[BaseModel]) -> str:
    """Return what is called nearly like the last word of a path, or what to do without."""
    written, prefix = str(path[-1]).upper(), ""
    model = _model_at(path[:-1], settings)
    names = [name.upper() for name in model.model_fields] if model else []
    if written.startswith(_PREFIX):
        written, prefix, names = written.removeprefix(_PREFIX), _PREFIX, [*_variables(settings)]
    near = get_close_matches(written, names, 1)
    if not near:
        return "correct or remove it."
    return f"did you mean {prefix + near[0] if prefix else near[0].lower()}?"


def _variables(settings: type[BaseModel]) -> Iterator[str]:
    """Yield the variables that there are, without what all of them begin with."""
    for name, field in settings.model_fields.items():
        group = _model_in(field.annotation)
        if group is None:
            yield name.upper()
        elif not is_table_list(name, settings):
            yield from (f"{name}_{key}".upper() for key in group.model_fields)


def _may_be(error: Mapping[str, Any], settings: type[BaseModel]) -> str:
    path, kind = error["loc"], error["type"]
    if kind == "value_error":
        return _own_words(error)
    if kind == "tuple_type":
        return _as_list(path, error["input"], settings)
    if kind in _NO_TABLE:
        return _as_table(path, settings)
    words = _MAY_BE.get(kind, "it does not fit")
    return words.format_map({key: _plain(value) for key, value in error.get("ctx", {}).items()})


def _as_list(path: Sequence[int | str], value: object, settings: type[BaseModel]) -> str:
    model = _model_at(path, settings)
    if model is None:
        items = [value] if _is_short(value) else ["one", "two"]
        return f"it must be a list, such as {json.dumps(items, ensure_ascii=False)}"
    if len(path) == 1:
        return f"write each one below a line [[{path[0]}]]"
    return f"it must be a list, such as [{_example(model)}]"


def _as_table(path: Sequence[int | str], settings: type[BaseModel]) -> str:
    first, model = str(path[0]), _model_at(path, settings)
    if len(path) == 1:
        return f"write its settings below a line [{first}]"
    if len(path) == 2 and is_table_list(first, settings):
        return f"write each one below a line [[{first}]]"
    return f"it must be written as {_example(model)}" if model else "it does not fit"


def _example(model: type[BaseModel]) -> str:
    return f"{{ {next(iter(model.model_fields))} = … }}"


def _is_short(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value) <= _LONGEST_SHOWN


def _plain(value: object) -> str:
    """Return a bound or what is expected, as people write it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).replace("'", "")


def _model_at(path: Sequence[int | str], settings: type[BaseModel]) -> type[BaseModel] | None:
    """Return the group of settings at a path, or that of each row; None where it is a value."""
    model: type[BaseModel] | None = settings
    for part in path:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part) if model else None
        model = _model_in(field.annotation) if field else None
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation if issubclass(annotation, BaseModel) else None
    return next(filter(None, map(_model_in, get_args(annotation))), None)
