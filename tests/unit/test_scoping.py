from core.models import Scope
from core.scoping import typed_scope

KNOWN = {"services": ["payments", "search"], "types": ["postmortem"]}


def test_a_known_value_narrows_and_leaves_the_question() -> None:
    assert typed_scope("service:payments type:Postmortem slow", Scope(), **KNOWN) == (
        "slow",
        Scope(service=("payments",), type=("postmortem",)),
    )


def test_an_unknown_value_is_part_of_the_question() -> None:
    text = "upstream service:nginx failed"
    assert typed_scope(text, Scope(), **KNOWN) == (text, Scope())


def test_a_typed_value_never_widens_the_channels_scope() -> None:
    scope = Scope(service=("payments",))
    assert typed_scope("service:search slow", scope, **KNOWN) == ("slow", scope)
