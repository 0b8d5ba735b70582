"""Values go to another process and come back the same, or are refused."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.card import Button, ButtonKind, Card, Listing, Part, Pick, Row, Tone
from core.models import Document, Metadata, Redaction, Span
from core.points import BuildInfo
from core.reports import FailedFile, IndexReport, RedactedFile
from core.wire import from_plain, to_plain

VALUES = [
    Document(
        "id", "acme", "runbooks", "a.md", Metadata("Título", alerts=("A",)), "x\u2028\ud800", 3,
        "h", (Redaction(4, "token"),),
    ),
    IndexReport(
        added=("a",), failed=(FailedFile("b", "broken", None), FailedFile("c", "cut", 7)),
        redacted=(RedactedFile("d", 1, "key"),), skipped={".adoc": 12}, seconds=1.5,
    ),
    BuildInfo("build-1", "f", datetime(2030, 1, 7, tzinfo=UTC), {"runbooks": ""}, 1, 2, 3, 4),
    Card(
        Tone.WEAK, "t", parts=(Part("h", "l", "p", "text", Span(1, 2)), Part("h", "", "", "")),
        listings=(Listing("l", (Row("a"),), more=2),), picks=(Pick(1, "a", "0.2", "p"),),
        buttons=(Button(ButtonKind.UP, "up", "x"),), stale=True,
    ),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert from_plain(type(value), json.loads(json.dumps(to_plain(value)))) == value


@dataclass(frozen=True)
class Small:
    name: str
    count: int = 0
    share: float = 0.0
    when: datetime | None = None
    rows: tuple[str, ...] = ()
    by_name: dict[str, int] = field(default_factory=dict)


def test_what_is_left_out_has_its_default() -> None:
    assert from_plain(Small, {"name": "a", "share": 1}) == Small("a", share=1.0)


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        {},
        {"name": 1},
        {"name": "a", "count": True},
        {"name": "a", "count": "1"},
        {"name": "a", "rows": "abc"},
        {"name": "a", "rows": [1]},
        {"name": "a", "by_name": {"x": None}},
        {"name": "a", "when": "yesterday"},
        {"name": "a", "other": 1},
    ],
)
def test_what_is_of_another_kind_is_refused(plain: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_plain(Small, plain)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    json_values | st.dictionaries(st.sampled_from(["name", "count", "when", "rows"]), json_values)
)
def test_nothing_but_a_value_or_a_refusal_comes_of_what_was_sent(plain: Any) -> None:
    with suppress(ValueError):
        assert isinstance(from_plain(Small, plain), Small)


def test_what_has_no_plain_form_is_refused() -> None:
    with pytest.raises(TypeError, match="object cannot be sent"):
        to_plain(object())
