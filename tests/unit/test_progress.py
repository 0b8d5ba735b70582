"""Progress where there is no terminal: a line a phase, and quarters of the slow one."""

import io

from bots.notes import indexing_card
from bots.progress import shown_on
from core.reports import IndexProgress


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(*steps: tuple[str, int, int] | tuple[str, int, int, str]) -> list[str]:
    stream = io.StringIO()
    with shown_on(stream) as told:
        for step in steps:
            told(IndexProgress(*step))
    return stream.getvalue().splitlines()


def test_each_phase_is_told_once() -> None:
    steps = [("reading", 1, 2), ("reading", 2, 2), ("cutting", 1, 1), ("embedding", 0, 1200)]
    assert printed(*steps) == ["Reading 2 files", "Cutting 1 document", "Embedding 1,200 passages"]


def test_the_slow_phase_is_told_in_quarters() -> None:
    steps = [("embedding", done, 1000) for done in range(0, 1001, 100)]
    assert printed(*steps) == [
        "Embedding 1,000 passages",
        "  300 of 1,000",
        "  600 of 1,000",
        "  900 of 1,000",
    ]


def test_little_work_is_not_counted() -> None:
    assert printed(*(("embedding", done, 9) for done in range(10))) == ["Embedding 9 passages"]


def test_each_source_that_is_fetched_is_named_once() -> None:
    steps = [(0, "books"), (0, "notes"), (1, "notes"), (1, "books")]
    told = printed(*(("fetching", done, 1, name) for done, name in steps), ("reading", 1, 1))
    assert told == ["Fetching books …", "Fetching notes …", "Reading 1 file"]


def test_a_bar_for_each_source_that_is_fetched_takes_its_name_as_it_is() -> None:
    stream = Terminal()
    with shown_on(stream) as told:
        told(IndexProgress("fetching", 0, 1, "[red]books\x1b[31m"))
        told(IndexProgress("fetching", 1, 1, "[red]books\x1b[31m"))
    assert "Fetching [red]books␛[31m" in stream.getvalue()


def test_a_phase_without_a_name_of_its_own_is_still_told() -> None:
    assert printed(("writing", 1, 3)) == ["Writing 3 steps"]


def test_a_chat_is_not_told_which_source_is_fetched_for_it_may_be_of_others() -> None:
    card = indexing_card(IndexProgress("fetching", 0, 1, "books"))
    assert card.lead == "Fetching repositories."


def test_passages_that_another_process_embedded_are_stored() -> None:
    assert printed(("storing", 1, 3)) == ["Storing 3 passages"]
    assert indexing_card(IndexProgress("storing", 1, 3)).lead == "Storing passages: 1 of 3."
