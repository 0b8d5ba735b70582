"""Wherever a line that names `visibility` stands in a block, the page is never for everyone."""

from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import DocumentError
from core.settings_lists import SourceSettings
from corpus.loader import load

SOURCE = SourceSettings(name="docs", path=Path("docs"))
BODY = "# Vault unseal\n\nThe seal key is in the safe.\n"
LINES = st.sampled_from(
    [
        "title: x", "title: a: b", "", "  ", "# comment\nx: y", "- item", "alerts: [A, B]",
        "alerts:", "  - A", "owner: @sre", "words without a colon", "text: |", "  indented words",
        "a: 'open", 'b: "open', "c: {", "}", "c: [", "]", "[extra]", "x = 'y'", '"title": "x",',
        "\t", "? a", ": b", "&a", "*a", "!!set", "<<: *a", "%YAML 1.2", "é: 漢", "text: >-", "-",
        ">", "tags: [a", "...x",
    ]
)  # fmt: skip
MARKS = st.sampled_from(
    ["---", "+++", ";;;", "{", "--- # c", "----", " ---", "---yaml", "\ufeff---"]
)
CLOSINGS = st.sampled_from(["---", "...", "+++", ";;;", "}", "----", "---1", "--", "", "--- x"])
NAMED = st.sampled_from(
    [
        "visibility: sec", "Visibility: sec", '"visibility": "sec"', "visibility = 'sec'",
        "'visibility': [sec]", "visibility : sec", '"visib\\u0069lity": "sec",', "visibility:",
        "  visibility: sec", "{visibility: sec}", "nightlamp: {visibility: sec}", "visiblity: sec",
    ]
)  # fmt: skip


@settings(deadline=None, max_examples=400)
@given(MARKS, st.lists(LINES, max_size=12), NAMED, st.lists(LINES, max_size=12), CLOSINGS,
       st.sampled_from(["\n", "\r\n", "\r"]))  # fmt: skip
@example("---", ["text: |", "  a"], "  visibility: sec", [], "---", "\n")
@example("---", ["a: 'open"], "visibility: sec", ["'"], "---", "\n")
@example("---", ["words without a colon", "", "# comment\nx: y"], "visibility: sec", [], "}", "\n")
@example("+++", ["[extra]"], "visibility = 'sec'", [], "+++", "\n")
def test_a_line_that_names_visibility_is_read_or_withholds_the_page_wherever_it_stands(
    mark: str, above: list[str], named: str, below: list[str], closing: str, end: str
) -> None:
    text = end.join([mark, *above, named, *below, closing, BODY])
    try:
        found = load(text.encode(), "a.md", SOURCE).document.metadata.visibility
    except DocumentError:
        return
    assert "everyone" not in found
