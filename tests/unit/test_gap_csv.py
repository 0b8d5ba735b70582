import csv
from io import StringIO

import pytest

from feedback.gap_csv import COLUMNS, gaps_csv, harmless_cell
from feedback.models import Evidence
from tests.gap_world import asked, document, hit, reported


def rows(*texts: str) -> list[list[str]]:
    exchanges = tuple(
        asked(f"x{n}", text, angle=60.0 * n, results=[hit(distance=0.25)])
        for n, text in enumerate(texts)
    )
    report = reported(Evidence(exchanges), documents=[document(owner="=1+1")])
    return list(csv.reader(StringIO(gaps_csv(report.gaps))))


def test_a_gap_is_a_row() -> None:
    header, row = rows('vault, "sealed"')
    assert tuple(header) == COLUMNS
    assert row[0].startswith("G-")
    assert row[1:] == [
        "open", "missing", "1", "1", "0", 'vault, "sealed"', "page.md › s1", "0.250", "page.md",
        "'=1+1", "2026-11-23T09:00:00+00:00",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("https://example.com")',
        "+1+2",
        "-2+3",
        "@SUM(A1)",
        "  =1",
        "\t=1",
        "\r\n=1",
        "\u00a0=1",
        "\u200b=1",
        "＝1+1",
        "＠SUM(A1)",
        "\x00=1",
    ],
)
def test_no_cell_is_a_formula(text: str) -> None:
    assert harmless_cell(text).startswith("'")


def test_a_cell_is_one_line() -> None:
    assert harmless_cell("one\r\ntwo\u2028three") == "one two three"


def test_no_gaps_are_a_header() -> None:
    assert gaps_csv(()) == ",".join(COLUMNS) + "\r\n"
