import pytest

from core.errors import DocumentError
from corpus.frontmatter import Frontmatter, read_frontmatter


def test_a_mapping_counts_and_every_value_is_a_string_as_written() -> None:
    block = (
        "---\ntitle: Disk full\nversion: 1.10\nlive: yes\nlast-reviewed: 2024-01-31\n"
        "seen: 2024-01-31 10:00:00\nnothing:\nalerts: [A, 2]\nnested: {a: 1}\n---\n"
    )

    assert read_frontmatter(block + "# Text\n") == Frontmatter(
        length=len(block),
        values={
            "title": "Disk full",
            "version": "1.10",
            "live": "yes",
            "last_reviewed": "2024-01-31",
            "seen": "2024-01-31",
            "nothing": "",
            "alerts": ["A", "2"],
            "nested": None,
        },
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: x\n---",
        "---\ntitle: x\n...\n",
        "--- \ntitle: x\n--- \n",
        "---\ntitle: a\ntitle: x\n---\n",
    ],
)
def test_a_block_may_end_with_the_file_or_with_dots_and_the_last_of_two_keys_wins(
    text: str,
) -> None:
    found = read_frontmatter(text)

    assert (found.length, found.values) == (len(text), {"title": "x"})


@pytest.mark.parametrize(
    "text",
    [
        "# No block\n",
        "---\n# Unclosed\n",
        "---\njust a sentence\n---\n",
        "---\n---\n",
        "---\nhttp://example.com\n",
        "---\n\n# Text below a thematic break\n",
        "---\n\nNote: this page is old.\n\n# Disk full\n",
        "---\n- Owner: sre\n- Tier: 1\n---\n",
        "{ braces } in a text\n",
        '{"a": 1} is what the API says.\n',
        "[1, 2]\n",
        ";;;\n[1, 2]\n;;;\n",
    ],
)
def test_what_is_no_mapping_between_fences_is_text(text: str) -> None:
    assert read_frontmatter(text) == Frontmatter()


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("\n---\ntitle: x\n---\n", "it must begin on the first line"),
        (" \n\n+++\ntitle = 'x'\n+++\n", "it must begin on the first line"),
        ("---\ntitle: x\n---1\ntext\n", "it is not closed by ---"),
        ("---\ntitle:\n  - x\n", "it is not closed by ---"),
        ("+++\ntitle = 'x'\n++\n", "it is not closed by +++"),
        ("---\n# For the site\ntitle: x\nowner: y\n\n# Text\n", "it is not closed by ---"),
        ("---\n\ntitle: x\nowner: y\n\n# Text\n", "it is not closed by ---"),
        (';;;\n{\n"title": "x"\n}\n# Text\n', "it is not closed by ;;;"),
        ('{\n  "title": "x",\n\n# Text\n', "it is not closed by }"),
        ('---\ntitle="x"\n---\n# Text\n', "it is no mapping of keys to values"),
    ],
)
def test_what_was_meant_as_frontmatter_and_is_none_is_text_with_a_warning(
    text: str, warning: str
) -> None:
    assert read_frontmatter(text) == Frontmatter(warning=f"frontmatter: {warning}, ignored")


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("---\ntitle: a\nowner: b\ntitle: c\n---\n", " line 4: 'title'"),
        ("---\nlast-reviewed: a\nlast_reviewed: c\n---\n", " line 3: 'last_reviewed'"),
        ("+++\ntitle = 'a'\nTitle = 'c'\n+++\n", ": 'title'"),
        (';;;\n{"title": "a", "x": {"y": 1}, "title": "c"}\n;;;\n', ": 'title'"),
        ('{\n"title": "a",\n"title": "c"\n}\n', ": 'title'"),
    ],
)
def test_a_key_that_stands_there_twice_is_remarked_on(text: str, warning: str) -> None:
    found = read_frontmatter(text)

    assert found.warning == f"frontmatter{warning} stands there twice, the last one counts"
    assert "c" in found.values.values()


@pytest.mark.parametrize(
    "block",
    [
        "+++\ntitle = 'Disk full'\nweight = 1_0\nratio = 1.10\nlive = true\n"
        "last-reviewed = 2024-01-31\nseen = 2024-01-31T10:00:00Z\nalerts = ['A', 2]\n"
        "[nested]\na = 1\n+++\n",
        ';;;\n{"title": "Disk full", "weight": 10, "ratio": 1.10, "live": true, "last-reviewed":'
        ' "2024-01-31", "seen": "2024-01-31", "alerts": ["A", 2], "nested": {"a": 1}}\n;;;\n',
        '{\n  "title": "Disk full",\n  "weight": 10,\n  "ratio": 1.10,\n  "live": true,\n'
        '  "last-reviewed": "2024-01-31", "seen": "2024-01-31",\n  "alerts": ["A", 2],\n'
        '  "nested": {\n    "a": 1\n  }\n}\n',
    ],
)
def test_toml_and_json_hold_the_same(block: str) -> None:
    assert read_frontmatter(block + "# Text\n") == Frontmatter(
        length=len(block),
        values={
            "title": "Disk full",
            "weight": "10",
            "ratio": "1.10",
            "live": "true",
            "last_reviewed": "2024-01-31",
            "seen": "2024-01-31",
            "alerts": ["A", "2"],
            "nested": None,
        },
    )


@pytest.mark.parametrize(
    ("block", "warning"),
    [
        ("+++\ntitle = 'x'\nowner = @sre\n+++\n", " line 3: invalid value"),
        (
            "+++\na = 2020-27-02\n+++\n",
            " line 2: expected newline or end of document after a statement",
        ),
        ("+++\na = " + "[" * 3000 + "\n+++\n", ": nested too deeply"),
        (';;;\n{"a": 1,}\n;;;\n', " line 2: expecting property name enclosed in double quotes"),
        ('{\n"a": 1\n"b": 2\n}\n', " line 3: expecting ',' delimiter"),
        ("{\n" + "[" * 3000 + "\n}\n", ": nested too deeply"),
    ],
)
def test_a_block_of_toml_or_json_that_cannot_be_read_is_text_with_a_warning(
    block: str, warning: str
) -> None:
    assert read_frontmatter(block) == Frontmatter(warning=f"frontmatter{warning}, ignored")


@pytest.mark.parametrize(
    "block",
    [
        "+++\nvisibility = ['sec']\n+++\n",
        ';;;\n{"visibility": ["sec"]}\n;;;\n',
        '{\n  "visibility": ["sec"]\n}\n',
    ],
)
def test_toml_and_json_say_who_may_see_the_text(block: str) -> None:
    assert read_frontmatter(block).values == {"visibility": ["sec"]}


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        (
            "title: DB: failover",
            " line 2: mapping values are not allowed here (a text with a colon wants quotes)",
        ),
        ("owner: @sre", " line 2: found character '@' that cannot start any token"),
        ("date: 2020-27-02", ": month must be in 1..12"),
        ("x: y\n\tz: 1", " line 3: found character '\\t' that cannot start any token"),
        ("x: " + "[" * 3000, ": nested too deeply"),
        ("- " * 3000, ": nested too deeply"),
        (
            "a: &a {x: 1}\nb: {<<: *a}",
            " line 3: could not determine a constructor for the tag 'tag:yaml.org,2002:merge'",
        ),
    ],
)
def test_a_block_that_yaml_cannot_read_is_text_with_a_warning(line: str, warning: str) -> None:
    expected = Frontmatter(warning=f"frontmatter{warning}, ignored")

    assert read_frontmatter(f"---\n{line}\n---\nText\n") == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: DB: failover\n\nvisibility: sec\n---\n", 4),
        ("---\nTenant: x\n---1\n", 2),
        ("\n---\nvisibility: sec\n---\n", 3),
        ("+++\nvisibility = [sec]\n+++\n", 2),
        ("+++\nvisibility = ['sec']\n", 2),
        ('{\n  "visibility": sec\n}\n', 2),
        (';;;\n{\n"visibility": "sec",\n}\n;;;\n', 3),
        ('---\n{title: x: y, "visibility": sec}\n---\n', 2),
    ],
)
def test_a_block_that_cannot_be_read_but_says_who_may_see_it_withholds_the_document(
    text: str, line: int
) -> None:
    with pytest.raises(DocumentError, match="so it is withheld") as raised:
        read_frontmatter(text)

    assert raised.value.line == line


def test_visibility_that_is_named_twice_withholds_the_document() -> None:
    with pytest.raises(DocumentError, match="names visibility twice"):
        read_frontmatter("---\nvisibility: sec\nVisibility: everyone\n---\n")


def test_the_text_may_speak_of_visibility() -> None:
    text = "---\n\nWhat you can set.\n\n# Terms\n\nvisibility: public is what you set there\n"

    assert read_frontmatter(text) == Frontmatter()
