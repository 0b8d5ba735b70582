import re

from hypothesis import given
from hypothesis import strategies as st

from feedback.gap_ids import ALPHABET, canonical, new_gap_id

NAME = re.compile(f"G-[{ALPHABET}]{{4}}")


def test_no_letter_looks_like_another_and_none_is_a_vowel() -> None:
    assert not set(ALPHABET) & set("AEIOUY01LSZ58BG")
    assert len(set(ALPHABET)) == len(ALPHABET)


@given(st.text())
def test_a_name_is_short_and_the_same_for_the_same_seed(seed: str) -> None:
    name = new_gap_id(seed, ())
    assert NAME.fullmatch(name)
    assert new_gap_id(seed, ()) == name


@given(st.text(), st.data())
def test_a_name_is_found_in_any_case_with_or_without_dash_and_lead(
    seed: str, data: st.DataObject
) -> None:
    name = new_gap_id(seed, ())
    letters = name.removeprefix("G-")
    lead = data.draw(st.sampled_from(["", "g", "G", "G-", "g ", "G–", " g_"]))
    gaps = data.draw(st.lists(st.sampled_from(["", " ", "-"]), min_size=4, max_size=4))
    typed = lead + "".join(letter + gap for letter, gap in zip(letters, gaps, strict=True))
    assert canonical(typed) == canonical(typed.lower()) == name


def test_a_taken_name_is_not_given_again() -> None:
    taken: set[str] = set()
    for number in range(3000):
        name = new_gap_id(f"x{number}", taken)
        assert name not in taken
        taken.add(name)


def test_names_grow_where_it_is_crowded() -> None:
    class Crowded(set[str]):
        def __contains__(self, name: object) -> bool:
            return len(str(name)) == len("G-7KQ2")

    assert len(new_gap_id("x1", Crowded())) == len("G-7KQ2") + 1
