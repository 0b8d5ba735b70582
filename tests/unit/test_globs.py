import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.settings_lists import SourceSettings
from corpus.globs import Globs


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("docs/**/*.md", "docs/a.md", True),
        ("docs/**/*.md", "docs/x/y/a.md", True),
        ("docs/**/*.md", "a.md", False),
        ("*.md", "a.md", True),
        ("*.md", "x/a.md", False),
        ("**/*.md", "a.md", True),
        ("docs", "docs/a/b.md", True),
        ("docs/", "docs/a.md", True),
        ("docs", "docs.md", False),
        ("docs/**", "docs/a.md", True),
        ("**/old", "a/old/b.md", True),
        ("old", "a/old/b.md", False),
        ("a?.md", "ab.md", True),
        ("a?.md", "a/.md", False),
        ("a[0-9].md", "a1.md", True),
        ("a[!0-9].md", "a1.md", False),
        ("a[!0-9]b", "a/b", False),
        ("[z-a].md", "[z-a].md", True),
        ("x(1)+$.md", "x(1)+$.md", True),
        ("*.MD", "a.md", False),
    ],
)
def test_a_pattern_means_these_paths(pattern: str, path: str, wanted: bool) -> None:
    assert Globs(include=(pattern,)).wants(path) is wanted
    assert Globs(exclude=(pattern,)).wants(path) is not wanted


def test_what_is_excluded_is_out_though_it_is_included() -> None:
    globs = Globs(include=("docs/**",), exclude=("**/draft.md",))

    assert [globs.wants(p) for p in ("docs/a.md", "docs/draft.md")] == [True, False]


def test_without_patterns_everything_is_wanted() -> None:
    assert Globs().wants("any/thing.md")


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_pattern_says_yes_or_no(pattern: str, path: str) -> None:
    assert Globs(include=(pattern,)).wants(path) in {True, False}


@pytest.mark.parametrize("pattern", ["/etc/*", "../*.md", "a/../b", "", "/", "a\\b"])
def test_a_pattern_that_is_not_of_paths_below_the_source_is_no_setting(pattern: str) -> None:
    with pytest.raises(ValueError, match="a pattern"):
        SourceSettings.model_validate({"name": "x", "path": "y", "include": [pattern]})
