"""Progress where there is no terminal: a line a phase, and quarters of the slow one."""

import io

from bots.progress import shown_on
from core.reports import IndexProgress


def printed(*steps: tuple[str, int, int]) -> list[str]:
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


def test_a_phase_without_a_name_of_its_own_is_still_told() -> None:
    assert printed(("writing", 1, 3)) == ["Writing 3 steps"]
