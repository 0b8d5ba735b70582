"""Whatever a value or its size, frontmatter is read quickly and to text that can be written."""

import json

import pytest

from corpus.frontmatter import Value, read_frontmatter

SIREN = "\N{POLICE CARS REVOLVING LIGHT}"
WRITTEN = json.dumps(SIREN)


@pytest.mark.parametrize(
    "block",
    [
        f"---\ntitle: {WRITTEN}\nalerts: [{WRITTEN}]\n{WRITTEN}: x\n---\n",
        json.dumps({"title": SIREN, "alerts": [SIREN], SIREN: "x"}) + "\n",
    ],
)
def test_a_letter_that_is_escaped_as_a_pair_of_surrogates_is_one_letter(block: str) -> None:
    assert read_frontmatter(block).values == {"title": SIREN, "alerts": [SIREN], SIREN: "x"}


@pytest.mark.parametrize(
    "block",
    [
        '---\n"\\ud800": "\\udfffx"\nalerts: ["\\ud83d"]\n---\n',
        '{"\\ud800": "\\udfffx", "alerts": ["\\ud83d"]}\n',
    ],
)
def test_half_a_pair_is_replaced(block: str) -> None:
    assert read_frontmatter(block).values == {"\ufffd": "\ufffdx", "alerts": ["\ufffd"]}


@pytest.mark.parametrize(
    ("value", "kept"),
    [("0x" + "f" * 5000, None), ("[0x" + "f" * 5000 + "]", None), ("0xff", "255")],
)
def test_a_number_of_more_digits_than_python_writes_is_no_value(value: str, kept: Value) -> None:
    assert read_frontmatter(f"+++\na = {value}\nb = 'c'\n+++\n").values == {"a": kept, "b": "c"}


@pytest.mark.parametrize(
    "line",
    [
        "a." * 20_000 + "a = 1",
        "[" + "a." * 20_000 + "a]",
        "'a' . " * 10_000 + "a = 1",
        "x = {y = 1, " + "a." * 20_000 + "a = 1}",
    ],
)
def test_a_key_of_too_many_dots_is_nested_too_deeply(line: str) -> None:
    found = read_frontmatter(f"+++\n{line}\n+++\n")
    assert found.warning == "frontmatter: nested too deeply, ignored"


def test_dots_in_values_and_a_few_in_keys_are_none_too_many() -> None:
    dots = "a." * 40
    text = f"+++\n{dots}a = 1\ntitle = '{dots * 9}'\n+++\n"
    assert read_frontmatter(text).values == {"a": None, "title": dots * 9}


def test_a_line_that_names_visibility_over_and_over_costs_no_more_than_its_length() -> None:
    assert not read_frontmatter("---\n" + "visibility." * 36_000).length
