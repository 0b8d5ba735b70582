from pathlib import Path

import pytest

from core.errors import SettingsError
from core.vocabulary import parse_vocabulary, read_vocabulary

WORDS = parse_vocabulary(["# storage", "disk full | no space left | enospc", "", "pod | container"])


def test_a_phrase_brings_the_words_of_its_group() -> None:
    assert WORDS.synonyms(["disk", "full", "on", "pod"]) == {
        "disk": frozenset({"no", "space", "left", "enospc"}),
        "full": frozenset({"no", "space", "left", "enospc"}),
        "pod": frozenset({"contain"}),
    }


def test_half_a_phrase_brings_nothing() -> None:
    assert WORDS.synonyms(["disk", "slow"]) == {}


def test_words_of_the_question_are_no_synonyms() -> None:
    assert WORDS.synonyms(["pod", "contain"]) == {}


def test_a_group_of_one_is_ignored() -> None:
    assert parse_vocabulary(["alone", " | "]).groups == ()


def test_a_vocabulary_file_that_is_not_there_is_named_with_its_setting(tmp_path: Path) -> None:
    absent = tmp_path / "absent.txt"
    with pytest.raises(SettingsError) as error:
        read_vocabulary([absent])
    assert str(error.value) == (
        f"The vocabulary file {absent} cannot be read (No such file or directory): correct it, or "
        "NIGHTLAMP_RETRIEVAL_VOCABULARY."
    )


def test_the_shipped_vocabulary_has_groups_and_no_stray_phrase() -> None:
    assert len(read_vocabulary().groups) > 150
