from bots.status import gate_of
from core.outcomes import Gate
from core.settings import Settings, with_values


def test_dense_search_that_is_switched_off_is_said_to_be_off() -> None:
    settings = with_values(Settings(), {"retrieval.search": "keyword"})
    assert gate_of(settings, None) == Gate(dense=False, reason="dense search is switched off")


def test_a_trusted_model_counts_from_the_first_page_on() -> None:
    assert gate_of(Settings(), None) == Gate(dense=True)
