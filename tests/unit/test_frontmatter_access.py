"""A page that names who may see it is read so or withheld, however its frontmatter is broken."""

from pathlib import Path

import pytest

from core.errors import DocumentError
from core.settings_lists import SourceSettings
from corpus.frontmatter import read_frontmatter
from corpus.loader import Loaded, load

SOURCE = SourceSettings(name="docs", path=Path("docs"))
BODY = "# Vault unseal\n\nThe seal key is in the safe.\n"


def loaded(text: str | bytes) -> Loaded:
    return load(text if isinstance(text, bytes) else text.encode(), "a.md", SOURCE)


def line_withheld(text: str | bytes) -> int | None:
    with pytest.raises(DocumentError, match="withheld") as raised:
        loaded(text)
    return raised.value.line


@pytest.mark.parametrize("closing", ["----", "---1", "--", "—", "--- end", "+++", "***", "", "\n"])
@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("", 2),
        ("\n", 3),
        ("title: Vault unseal\n\n", 4),
        ("# for the few\n\n", 4),
        ("title: x\n\n\nalerts:\n  - A\n", 7),
        ("title: x\n\n# Who\n\nwords without a colon\n\n", 8),
        ("- a\n", 3),
        ("words without a colon\n", 3),
    ],
)
def test_a_mark_that_is_not_closed_or_closed_wrongly_withholds_a_page_that_names_visibility(
    above: str, line: int, closing: str
) -> None:
    assert line_withheld(f"---\n{above}visibility: sec\n{closing}\n{BODY}") == line


@pytest.mark.parametrize(
    "named",
    [
        "visibility = ['sec']",
        "[visibility]\nteams = ['sec']",
        '"visibility" = "sec"',
        "nightlamp.visibility = 'sec'",
        "visibility.teams = ['sec']",
        '"visib\\u0069lity" = "sec"',
        "Visibility='sec'",
    ],
)
@pytest.mark.parametrize(
    "block", ["+++\n{}\n", "+++\n{}\n++\n", "+++ # c\n{}\n+++\n", "+++\nx = @\n{}\n+++\n"]
)
def test_toml_that_cannot_be_read_withholds_a_page_that_names_visibility(
    block: str, named: str
) -> None:
    line_withheld(block.format(named) + BODY)


@pytest.mark.parametrize(
    "named",
    [
        "visibility: sec",
        "VISIBILITY: sec",
        "visibility : sec",
        "visibility:sec",
        "visibility：sec",
        "visibility:\u00a0sec",
        "visibility = sec",
        "visibility sec",
        "visibility",
        '"visibility": sec',
        "'visibility': sec",
        '"visib\\u0069lity": sec',
        '"\\x76isibility": sec',
        "vis\u200bibility: sec",
        "vis\u00adibility: sec",
        "ｖisibility: sec",
        "vіsibility: sec",
        "visiblity: sec",
        "visibilities: [sec]",
        "visable: sec",
        "visibleTo: sec",
        "page_visibility: sec",
        "visibility-label: sec",
        "? visibility\n: sec",
        "? 'visibility'",
        "?\n  visibility\n: sec",
        "!!str visibility: sec",
        "&v visibility: sec",
        "! &v visibility: sec",
        "x: &v visibility\n*v : sec",
        "- visibility: sec",
        "\tvisibility: sec",
        "  visibility: sec",
        "nightlamp:\n  visibility: sec",
        "nightlamp: {visibility: sec}",
        "nightlamp: {a: b, visibility: sec}",
        "nightlamp.visibility: sec",
        "nightlamp-visibility: sec",
        "base: &b {visibility: sec}\n<<: *b",
        "base: &b\n  visibility: sec\n<<: *b",
        "**Visibility:** sec",
        "owner: x\u2028visibility: sec",
        "owner: x\x0bvisibility: sec",
        "owner: x; visibility: sec",
        "owner: x visibility: sec",
    ],
)
@pytest.mark.parametrize(
    "block",
    [
        "---\ntitle: a: b\n{}\n---\n",
        "---\r\ntitle: a: b\r\n\r\n{}\r\n---\r\n",
        "---\n{}\nowner: @sre\n---\n",
        "---\ntitle: a: b\n{}\n...\n",
        "--- # c: d\ntitle: a: b\n{}\n--- # end\n",
    ],
)
def test_yaml_that_cannot_be_read_withholds_a_page_that_names_visibility_in_any_spelling(
    block: str, named: str
) -> None:
    line_withheld(block.format(named) + BODY)


@pytest.mark.parametrize(
    "head",
    [
        "----\nvisibility: sec\n----\n",
        " ---\nvisibility: sec\n ---\n",
        "—\nvisibility: sec\n—\n",
        "\n\n---\nvisibility: sec\n---\n",
        "---yaml\nvisibility: sec\n---\n",
        "--- !!map\nvisibility: sec\n---\n",
        "--- {visibility: sec}\n---\n",
        "---\u200b\nvisibility: sec\n---\n",
        "---\u0085visibility: sec\u0085---\u0085",
        "\x08---\nvisibility: sec\n---\n",
        "%YAML 1.2\n---\nvisibility: sec\n---\n",
        "<!-- a -->\n---\nvisibility: sec\n---\n",
        "<!--\na\n-->\n\n---\ntitle: x\nvisibility: sec\n---\n",
        "<!--\n---\nvisibility: sec\n---\n-->\n",
        "<!-- visibility: sec -->\n",
        "---\n---\nvisibility: sec\n---\n",
        "---\n\n---\ntitle: x\nvisibility: sec\n",
        "---\ntitle: x\n---\n---\nvisibility: sec\n---\n",
        "---\ntitle: x\n---\nowner: y\nvisibility: sec\n---\n",
        "---\ntitle: a: b\n---\nvisibility: sec\n---\n",
        "---\ntext: |\n  ---\n  a\nvisibility: sec\nx: a: b\n---\n",
        "title: x\nvisibility: sec\n---\n",
        "```yaml\nvisibility: sec\n```\n",
        "+++\n[extra]\nvisibility = 'sec'\n+++\n",
        "---\ntext: |\n  a\n  visibility: sec\n  b\n---\n",
        "---\ntitle: 'a\n  visibility: sec\n  b'\n---\n",
        "---\nvisibility: sec\n'visibility': everyone\n---\n",
        '---\nvisibility: sec\n"visib\\u0069lity": everyone\n---\n',
        "---\nx: &v visibility\nvisibility: sec\n*v : everyone\n---\n",
        '{"visibility": "sec", "visib\\u0069lity": "everyone"}\n',
        '{"visibility": "sec",}\n',
        "{visibility: sec}\n",
        '{"a": {\n"b": 1\n}\n"visibility": "sec"\n}\n',
        '{\n"a": {\n"b": 1\n}\n"visibility": "sec"\n}\n',
        '{"visibility": "sec"} x\n',
        ';;;\n"visibility": "sec"\n;;;\n',
        ';;; x\n{"visibility": "sec"}\n;;;\n',
    ],
)
def test_what_is_not_quite_frontmatter_withholds_a_page_that_names_visibility(head: str) -> None:
    line_withheld(head + BODY)


@pytest.mark.parametrize(
    "head",
    [
        '{"visibility": "sec"}\n',
        '{"title": "x", "visibility": ["sec"]}\n',
        '{"title": "x",\n "visibility": "sec"}\n',
        '{ "visib\\u0069lity": "sec" }',
        '{\n"a": {\n"b": 1\n},\n"visibility": "sec"\n}\n',
        "--- # comment\nvisibility: sec\n---\n",
        "---\nvisibility: sec\n--- # end\n",
        "\ufeff\ufeff---\nvisibility: sec\n---\n",
        "\u200b---\nvisibility: sec\n---\n",
        "\u2060\ufe0f---\nvisibility: sec\n---\n",
        "---\n? visibility\n: sec\n---\n",
        "---\nx: &v visibility\n*v : sec\n---\n",
        "---\nｖisibility: sec\n---\n",
        "---\nvis\u200bibility: sec\n---\n",
        "---\nx: y\u2028visibility: sec\n---\n",
        "---\r\nvisibility: sec  \r\n---\t \r\n",
        "---\rvisibility: sec\r...\r",
        "---\n# visibility: everyone\nvisibility: sec # visibility: all\n---\n",
    ],
)
def test_these_forms_are_read(head: str) -> None:
    assert loaded(head + "\n" + BODY).document.metadata.visibility == ("sec",)


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# Weather\n\nWe look at fog.\n\nvisibility: good\n",
        "---\n\nWe look at fog.\n\n## Terms\n\nvisibility: good\n",
        "---\n\nWe look at fog.\n\n```yaml\nvisibility: good\n```\n",
        "---\n\n" + "We look at fog.\n" * 40 + "visibility: good\n",
        "---\n# visibility: sec\ntitle: a: b\n---\n",
        "---\ntags: [visibility, a]\nowner: @sre\n---\n",
        "---\ntags:\n  - visibility\nowner: @sre\n---\n",
        "---\ntitle: 'Fog, visibility: low'\nsqs-visibility-timeout: 30\nvisible: true\n---\n",
        "---\nrepo-visibility: public\nvisibility_timeout: 30\n---\n",
        "---\ndisability: x\nviability: y\n---\n",
        "---\ntitle: a: b\ndisability: x\nviability: y\n---\n",
        "# Fog\n\n```yaml\n---\nvisibility: good\n---\n```\n",
        "# Fog\n\n```\nvisibility: good\n```\n",
        "# Fog\n\n---\n\nvisibility: good\n\n---\n",
        "# Fog\n---\nvisibility: good\nwe see far today\n---\n",
        "# Fog\n" + "\nWe look at fog.\n" * 6 + "---\nvisibility: good\n---\n",
        "```\n$ uptime\nvisibility: good\n```\n",
        "---\ntitle: x\n---\nvisibility: good\n\nText\n",
        "---\ntitle: x\n---\n\n---\n\nText.\n\nvisibility: good\n",
        "---\ntitle: a: b\n---\n# A\n\nvisibility: good\n",
        "# Fog\n\nvisibility: good\n---\n",
        "Fog hides.\nvisibility: good\n---\n",
        '{{< figure visibility="x" >}}\n',
        "{% set visibility = 'x' %}\n",
        "{: visibility=x}\n",
        "<!-- Tenant: acme -->\n# A\n",
        "Tenant: acme\nDate: x\n---\n# A\n",
        "---\n# A",
        "",
    ],
)
def test_a_text_that_speaks_of_visibility_is_for_everyone(text: str) -> None:
    assert loaded(text).document.metadata.visibility == ("everyone",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Severity: 2\nVisibility: sec\n\nThe seal broke.\n", 2),
        ("Severity: 2\nVisibility: sec\n\nThe seal broke.\n\n---\n", 2),
        ("visibility: sec\n\n# A\n", 1),
        ("**Visibility:** sec\n# A\n", 1),
    ],
)
def test_a_key_above_a_text_that_no_mark_sets_off_is_ignored_with_a_remark(
    text: str, line: int
) -> None:
    assert loaded(text).warnings == (
        f"frontmatter line {line}: visibility is read only between two lines of ---, ignored",
    )


@pytest.mark.parametrize("value", ["", " null", " []", " {a: b}", " [[a]]", " 'no label!'"])
def test_a_visibility_that_cannot_be_used_is_reported_with_its_line(value: str) -> None:
    assert line_withheld(f"---\ntitle: x\n\nvisibility:{value}\n---\n{BODY}") == 4


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\nvisibility: sec\ntitle: x\nVisibility: everyone\n---\n", 4),
        ("---\ntitle: x\nvisiblity: sec\n---\n", 3),
        ("---\ntitle: x\na:\n  visibility: sec\n---\n", 4),
        ("---\ntitle: x\na: {b: c, visibility: sec}\n---\n", 3),
        ("+++\ntitle = 'x'\n[visibility]\na = 1\n+++\n", 3),
        ('{"title": "x",\n"visibility": null}\n', 2),
        ("---\nx: y\n\n? visibility\n: []\n---\n", 4),
    ],
)
def test_whatever_is_withheld_is_reported_with_the_line_that_names_visibility(
    text: str, line: int
) -> None:
    assert line_withheld(text) == line


def test_aliases_of_aliases_cost_nothing() -> None:
    rows = [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 30)]

    assert read_frontmatter("---\na0: &a0 [x]\n" + "\n".join(rows) + "\n---\n").length


@pytest.mark.parametrize(
    "piece", ["{", ",", "- ", "! ", "&a ", "visibility ", "visibility\n", "a."]
)
def test_a_long_head_takes_no_time_by_its_shape(piece: str) -> None:
    with pytest.raises(DocumentError):
        loaded("---\nx: a: b\n" + piece * (60_000 // len(piece)) + "\nvisibility: sec\n---\n")


def test_block_after_block_is_no_way_out() -> None:
    line_withheld("---\ntitle: a: b\n---\n" * 4 + "---\nvisibility: sec\n---\n")
    assert loaded("---\ntitle: a: b\n---\n" * 5000).warnings
