import pytest

from core.models import Scope
from core.scoping import typed_scope

KNOWN = {"services": ["payments", "search"], "types": ["postmortem"]}


def test_a_known_value_narrows_and_leaves_the_question() -> None:
    assert typed_scope("service:payments type:Postmortem slow", Scope(), **KNOWN) == (
        "slow",
        Scope(service=("payments",), type=("postmortem",)),
    )


@pytest.mark.parametrize("mark", [".", ",", "?", "?!"])
def test_the_mark_of_a_sentence_is_no_part_of_a_value(mark: str) -> None:
    found = typed_scope(f"why slow service:payments{mark}", Scope(), **KNOWN)
    assert found == ("why slow", Scope(service=("payments",)))


def test_a_line_of_a_log_narrows_nothing() -> None:
    text = "service:payments: connection refused"
    assert typed_scope(text, Scope(), **KNOWN) == (text, Scope())


def test_an_unknown_value_is_part_of_the_question() -> None:
    text = "upstream service:nginx failed"
    assert typed_scope(text, Scope(), **KNOWN) == (text, Scope())


def test_a_typed_value_never_widens_the_channels_scope() -> None:
    scope = Scope(service=("payments",))
    assert typed_scope("service:search slow", scope, **KNOWN) == ("slow", scope)
