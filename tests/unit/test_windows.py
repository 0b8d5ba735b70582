from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models import Span
from corpus.windows import cut_sections, fixed, merged_sections, paragraphs, recursive

Splitter = Callable[[str, int, int], Sequence[Span]]


def cut(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_fixed_windows_repeat_the_overlap_and_end_with_the_text() -> None:
    assert cut("abcdefghij", fixed("abcdefghij", 4, 1)) == ["abcd", "defg", "ghij"]


def test_a_short_text_is_one_window() -> None:
    assert cut("abc", fixed("abc", 4, 1)) == ["abc"]


def test_recursive_pieces_end_at_blank_lines_then_lines_then_words_then_anywhere() -> None:
    text = "one\ntwo\n\nthree four\n\nlongestword"
    assert cut(text, recursive(text, 8, 0)) == [
        "one\n",
        "two\n\n",
        "three ",
        "four\n\n",
        "longestw",
        "ord",
    ]


def test_a_recursive_piece_begins_with_what_of_the_last_one_fits_the_overlap() -> None:
    text = "aa bb cc dd"
    assert cut(text, recursive(text, 6, 3)) == ["aa bb ", "bb cc ", "cc dd"]


def test_paragraphs_are_joined_as_far_as_they_fit_and_never_cut() -> None:
    text = "one\n\ntwo\n\nmuch too long a paragraph\n\nend"
    assert cut(text, paragraphs(text, 12, 0)) == [
        "one\n\ntwo\n\n",
        "much too long a paragraph\n\n",
        "end",
    ]


def test_only_sections_that_are_too_long_are_cut() -> None:
    text = "# A\nshort\n# B\nfirst line\nsecond line"
    assert cut(text, cut_sections(text, [Span(0, 10), Span(10, len(text))], 15, 0)) == [
        "# A\nshort\n",
        "# B\nfirst line\n",
        "second line",
    ]


def test_small_sections_are_merged_up_to_one_and_a_half_times_the_size() -> None:
    text = "a" * 6 + "b" * 8 + "c" * 4 + "d" * 12
    sections = [Span(0, 6), Span(6, 14), Span(14, 18), Span(18, 30)]
    assert cut(text, merged_sections(text, sections, 10, 0)) == [
        "a" * 6 + "b" * 8,
        "c" * 4,
        "d" * 12,
    ]


@pytest.mark.parametrize("splitter", [fixed, recursive, paragraphs])
@given(text=st.text("ab \n", max_size=80), size=st.integers(2, 20), data=st.data())
@settings(deadline=None)
def test_every_letter_is_in_some_piece_and_pieces_go_forward(
    splitter: Splitter, text: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size // 2))
    spans = splitter(text, size, overlap)
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    for before, after in pairwise(spans):
        assert before.start < after.start <= before.end < after.end
        assert before.end - after.start <= overlap
    if splitter is not paragraphs:
        assert max(map(len, spans)) <= size
