import math

import pytest

from core.keywords import token_number
from core.points import Frequencies
from core.query import LONGEST_QUESTION, KeywordQuery, coverage, keyword_query
from core.vocabulary import parse_vocabulary

VOCABULARY = parse_vocabulary(["undo | roll back"])
FREQUENCIES = Frequencies(
    passages=20, sections=10, by_token={token_number("disk"): (4, 2), token_number("full"): (1, 1)}
)
DISK, FULL = math.log(1 + 8.5 / 2.5), math.log(1 + 9.5 / 1.5)
UNSEEN = math.log(1 + 10.5 / 0.5)


def query(text: str) -> KeywordQuery:
    return keyword_query(text, FREQUENCIES, VOCABULARY)


def page(*tokens: str) -> frozenset[int]:
    return frozenset(map(token_number, tokens))


def weights(text: str) -> dict[int, float]:
    vector = query(text).section
    return dict(zip(vector.indices, vector.values, strict=True))


def test_a_word_weighs_by_how_few_sections_have_it() -> None:
    assert weights("disk full") == pytest.approx(
        {token_number("disk"): DISK, token_number("full"): FULL}
    )


def test_passages_have_their_own_frequencies() -> None:
    vector = query("disk").passage
    assert vector.indices == (token_number("disk"),)
    assert vector.values == pytest.approx((math.log(1 + 16.5 / 4.5),))


def test_the_ideal_is_the_sum_of_what_was_asked_without_synonyms() -> None:
    assert query("undo full").section_ideal == pytest.approx(UNSEEN + FULL)


def test_a_synonym_weighs_a_third_of_a_word_that_was_asked() -> None:
    assert weights("undo") == pytest.approx(
        {
            token_number("undo"): UNSEEN,
            token_number("roll"): 0.3 * UNSEEN,
            token_number("back"): 0.3 * UNSEEN,
        }
    )


def test_a_word_said_twice_counts_once() -> None:
    assert query("disk disk") == query("disk")


def test_no_words_at_all_have_an_ideal_that_can_be_divided_by() -> None:
    assert (query("?!").tokens, query("?!").section_ideal) == ((), 1.0)


def test_only_the_first_two_hundred_words_of_a_log_are_searched_for() -> None:
    log = " ".join(f"word{number}" for number in range(1000))
    assert len(query(log).tokens) == LONGEST_QUESTION


def test_identifiers_are_named_as_they_stand() -> None:
    assert query("KubePodCrashLooping on 10.0.0.5, again").identifiers == (
        "kubepodcrashlooping",
        "10.0.0.5",
    )


@pytest.mark.parametrize(
    ("text", "tokens", "covered"),
    [
        ("disk full", ("disk", "full"), 1.0),
        ("disk full", ("disk",), DISK / (DISK + FULL)),
        ("disk full", (), 0.0),
        ("undo", ("roll",), 0.6),
        ("?!", ("disk",), 0.0),
    ],
)
def test_coverage_is_the_share_of_the_weight_that_a_page_has(
    text: str, tokens: tuple[str, ...], covered: float
) -> None:
    assert coverage(query(text), FREQUENCIES, page(*tokens)) == pytest.approx(covered)
