"""Which sections are shown together, and in which order."""

from core.pages import Piece, packed

A1, A2, A3, A4 = (Piece(f"a{n}", "a", chars) for n, chars in enumerate((40, 50, 10, 1), start=1))
B1 = Piece("b1", "b", 200)


def test_a_page_shows_its_best_sections_as_far_as_they_fit() -> None:
    assert packed([A1, B1, A2, A3], card_chars=104, limit=10) == [["a1", "a2", "a3"], ["b1"]]


def test_a_section_that_does_not_fit_leaves_its_place_to_the_next() -> None:
    assert packed([A1, A2, A3, B1], card_chars=60, limit=10) == [["a1", "a3"], ["a2"], ["b1"]]


def test_no_result_has_more_than_three_sections() -> None:
    assert packed([A1, A2, A3, A4], card_chars=1000, limit=10) == [["a1", "a2", "a3"], ["a4"]]


def test_a_single_section_is_shown_whole_however_long() -> None:
    assert packed([B1], card_chars=100, limit=10) == [["b1"]]


def test_no_more_results_than_asked_for() -> None:
    assert packed([A1, B1], card_chars=10, limit=1) == [["a1"]]
