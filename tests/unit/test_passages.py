from pathlib import Path

import pytest

from core.settings_lists import SourceSettings
from corpus.loader import load
from corpus.splitter import cut

SOURCE = SourceSettings(name="docs", path=Path("docs"))


def embedded(text: str, *, chars: int = 60, window: int = 10_000) -> list[str]:
    page = load(f"# T\n{text}".encode(), "t.md", SOURCE).document
    found = cut(page, fits=lambda text: len(text) <= window, passage_chars=chars)
    return [passage.embedded.removeprefix("T\n") for passage in found.passages]


def test_a_section_that_fits_is_one_passage() -> None:
    assert embedded("One.\n\n- two\n- three\n") == ["One.\n\n- two\n- three"]


def test_a_longer_one_is_cut_between_blocks_as_late_as_they_fit() -> None:
    text = f"{'a' * 25}\n\n{'b' * 25}\n\n{'c' * 25}\n"

    assert embedded(text) == [f"{'a' * 25}\n\n{'b' * 25}", "c" * 25]


def test_a_fence_that_fits_is_never_cut() -> None:
    fence = "```sh\n" + "kubectl get pods\n" * 2 + "```"

    assert embedded(f"{'a' * 30}\n\n{fence}\n\nafter\n") == ["a" * 30, f"{fence}\n\nafter"]


def test_a_long_fence_is_cut_by_line_and_opened_and_closed_again() -> None:
    lines = [f"line number {n:02}" for n in range(6)]

    assert embedded("~~~ sh\n" + "\n".join(lines) + "\n~~~\n") == [
        "~~~ sh\nline number 00\nline number 01\nline number 02\n~~~",
        "~~~ sh\nline number 03\nline number 04\nline number 05\n~~~",
    ]


def test_a_long_table_is_cut_by_row_and_its_header_repeated() -> None:
    rows = [f"| {n} | value {n} |" for n in range(4)]

    assert embedded("| n | v |\n|---|---|\n" + "\n".join(rows) + "\n", chars=64) == [
        "| n | v |\n|---|---|\n| 0 | value 0 |\n| 1 | value 1 |",
        "| n | v |\n|---|---|\n| 2 | value 2 |\n| 3 | value 3 |",
    ]


def test_a_long_list_is_cut_by_item() -> None:
    items = [f"- item {n}\n  more of it" for n in range(4)]

    assert embedded("\n".join(items) + "\n") == ["\n".join(items[:2]), "\n".join(items[2:])]


def test_an_item_that_alone_is_too_long_is_cut_along_its_blocks() -> None:
    text = f"1. {'a' * 40}\n\n   {'b' * 40}\n"

    assert embedded(text) == [f"1. {'a' * 40}", f"   {'b' * 40}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The first sentence of it. The second sentence of it. The third one.",
            ["The first sentence of it. The second sentence of it.", "The third one."],
        ),
        ("word " * 14, ["word " * 10 + "word", "word word word"]),
        ("x" * 100, ["x" * 58, "x" * 42]),
        ("漢字" * 20 + "。" + "漢字" * 15, ["漢字" * 20 + "。", "漢字" * 15]),
    ],
)
def test_a_long_paragraph_is_cut_by_sentence_then_word_then_character(
    text: str, expected: list[str]
) -> None:
    assert embedded(text) == expected


def test_a_passage_is_made_smaller_until_the_window_takes_it() -> None:
    found = embedded("word " * 14, window=22)

    assert found == [
        "word word word word",
        "word word word",
        "word word word",
        "word word word word",
    ]


def test_a_window_that_takes_nothing_ends_with_single_characters() -> None:
    assert embedded("abc", window=0) == ["a", "b", "c"]


def test_a_long_breadcrumb_keeps_its_end_and_a_third_of_the_room() -> None:
    page = load(f"# {'Long title ' * 9}\n{'word ' * 30}".encode(), "t.md", SOURCE).document

    crumbs = {
        passage.embedded.partition("\n")[0]
        for passage in cut(page, fits=lambda text: True, passage_chars=90).passages
    }

    assert crumbs == {"…title Long title Long title"}


def test_the_payload_of_an_image_is_not_embedded() -> None:
    text = f"![x](data:image/png;base64,{'A' * 5000}) and after"

    assert embedded(text) == ["![x](data:image/png;base64,) and after"]


def test_link_definitions_are_kept() -> None:
    text = "See [the board][1].\n\n[1]: https://example.com/board\n"

    assert embedded(text) == ["See [the board][1].\n\n[1]: https://example.com/board"]


def test_a_wide_table_repeats_the_names_of_its_first_columns() -> None:
    head = "| node name | disk usage | last owner |\n|---|---|---|\n"
    rows = [f"| node{n} | {n}0 percent |" for n in range(3)]

    assert embedded(head + "\n".join(rows) + "\n", chars=70) == [
        head.strip(),
        f"| node name | disk usage |\n{rows[0]}",
        f"| node name | disk usage |\n{rows[1]}",
        f"| node name | disk usage |\n{rows[2]}",
    ]


def test_a_padded_head_is_repeated_without_its_padding() -> None:
    head = "| name      | what to do first     |\n|-----------|----------------------|\n"
    rows = ["| a | restart it now |", "| b | call the storage team |"]

    assert embedded(head + "\n".join(rows) + "\n", chars=100) == [
        f"{head}{rows[0]}",
        f"| name | what to do first |\n|---|---|\n{rows[1]}",
    ]


@pytest.mark.parametrize("row", [0, 1, 2])
def test_a_row_that_fits_without_the_head_is_never_cut(row: int) -> None:
    head = "| name | what to do |\n|---|---|\n"
    rows = ["| a | b |", "| c | d |", "| e | f |"]
    rows[row] = f"| x | {'y ' * 22}|"

    found = embedded(head + "\n".join(rows) + "\n", chars=60)

    assert rows[row] in {line for one in found for line in one.split("\n")}


@pytest.mark.parametrize("line", [0, 1])
def test_a_line_of_a_fence_that_fits_alone_is_never_cut(line: int) -> None:
    lines = ["ls", "df"]
    lines[line] = "kubectl " + "x " * 22 + "y"

    found = embedded("```bash\n" + "\n".join(lines) + "\n```\n", chars=60)

    assert lines[line] in {one for passage in found for one in passage.split("\n")}
