"""Keys that no mark sets off, or that stand below the first text, withhold a page all the same."""

from pathlib import Path

import pytest

from core.errors import DocumentError
from core.settings_lists import SourceSettings
from corpus.loader import load

SOURCE = SourceSettings(name="docs", path=Path("docs"))
BODY = "\n# Vault unseal\n\nThe seal key is in the safe.\n"


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("title: x\nvisibility: sec\n", 2),
        ("Visibility: sec\nOwner: x\n\n", 1),
        ("**Owner:** x\n**Visibility:** sec\n", 2),
        ("- Owner: x\n- Visibility: sec\n", 2),
        ("alerts:\n  - A\n  - B\nvisibility:\n  - sec\n", 4),
        ("<!-- a -->\nowner: x\nvisibility: sec\n", 3),
        ("owner: x\nvisibility: sec\n\nVault unseal\n======\n", 2),
        ("---\ntitle: x\n---\nowner: y\nvisibility: sec\n", 5),
    ],
)
def test_two_keys_right_above_the_first_heading_are_frontmatter_without_its_marks(
    head: str, line: int
) -> None:
    assert line_withheld(head + BODY) == line


@pytest.mark.parametrize(
    "above",
    [
        "# Vault unseal\n",
        "# Vault unseal\n\n",
        "# Vault unseal\n\nThe key is in the safe.\n\n",
        "The key is in the safe.\n",
        "[[_TOC_]]\n",
        "#!/usr/bin/env markdown\n",
        "<%# a template %>\n",
        "{{ template }}\n\n",
        "<p>\n",
        "---\nowner: x\n---\n# Vault unseal\n",
        "# Vault unseal\n\n---\n\n",
    ],
)
@pytest.mark.parametrize(
    "block",
    ["---\nvisibility: sec\n---\n", "---\ntitle: x\n\nvisibility:\n  - sec\n---\n",
     "+++\nvisibility = 'sec'\n+++\n"],
)  # fmt: skip
def test_a_block_of_keys_below_the_first_text_of_a_page_withholds_it(
    above: str, block: str
) -> None:
    named = (above + block).partition("visibility")[0].count("\n") + 1
    assert line_withheld(above + block + BODY) == named


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_fence_without_a_language_around_the_keys_at_the_top_is_a_wrong_mark(fence: str) -> None:
    assert line_withheld(f"{fence}\ntitle: x\nvisibility: sec\n{fence}\n{BODY}") == 3


@pytest.mark.parametrize("mark", ["---", "+++"])
def test_an_open_block_reaches_as_far_as_its_keys_do(mark: str) -> None:
    keys = "".join(f"x{at}: y\n" for at in range(1000))
    assert line_withheld(f"{mark}\n{keys}visibility: sec\n{BODY}") == 1002


def line_withheld(text: str) -> int | None:
    with pytest.raises(DocumentError, match="withheld") as raised:
        load(text.encode(), "a.md", SOURCE)
    return raised.value.line
