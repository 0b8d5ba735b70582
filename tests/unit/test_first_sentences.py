import pytest

from eval.postmortems import LONGEST, first_sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The disk was full. Nobody saw it.", "The disk was full. Nobody saw it."),
        ("The disk was full. " + "x" * LONGEST + ".", "The disk was full."),
        ("x" * (LONGEST - 1) + ". More.", "x" * (LONGEST - 1) + "."),
        ("A. " + "x" * (LONGEST - 4) + ".2 is out. B.", "A."),
        ("x" * (LONGEST + 9) + ". More.", "x" * LONGEST),
        ("The disk[^1] was full.", "The disk was full."),
    ],
)
def test_whole_sentences_are_taken_as_long_as_they_fit(text: str, said: str) -> None:
    assert first_sentences(text) == said


@pytest.mark.parametrize("piece", ["disk ", "[^", ".", "v1.2 "])
def test_a_long_text_without_a_full_stop_takes_no_time(piece: str) -> None:
    assert len(first_sentences(piece * 40_000)) <= LONGEST
