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
        ("**/*.{md,mdx}", "docs/a.mdx", True),
        ("**/*.{md,mdx}", "docs/a.rst", False),
        ("**/*.{md,mdx}", "docs/a.{md,mdx}", False),
        ("{docs,runbooks}/**", "runbooks/x/a.md", True),
        ("{docs,runbooks}", "runbooks/x/a.md", True),
        ("{docs/old,wiki}/*.md", "docs/old/a.md", True),
        ("a{,-b{1,2}}.md", "a.md", True),
        ("a{,-b{1,2}}.md", "a-b2.md", True),
        ("{docs/**,*.md}", "docs/x/a.md", True),
        ("a{b}.md", "a{b}.md", True),
        ("a,b.md", "a,b.md", True),
        ("[{]a,b}.md", "{a,b}.md", True),
        ("{a,[}]b", "{a,}b", True),
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


@pytest.mark.parametrize(
    ("pattern", "folder", "reaches"),
    [
        ("docs/**/*.md", "docs/x/y", True),
        ("docs/*/x/*.md", "docs/a", True),
        ("docs/*/x/*.md", "docs/a/b", False),
        ("docs/**/*.md", "wiki", False),
        ("docs", "docs/x/y", True),
        ("**/*.md", "x", True),
        ("{docs/a,b}/*.md", "docs", True),
        ("{docs,wiki}/*.md", "wiki", True),
        ("x/*.md", ".", True),
    ],
)
def test_a_folder_is_reached_where_something_below_it_may_be_wanted(
    pattern: str, folder: str, reaches: bool
) -> None:
    assert Globs(include=(pattern,)).reaches(folder) is reaches
    assert not Globs(include=(pattern,), exclude=("**",)).reaches(folder)


def test_a_pattern_that_chooses_nothing_is_known() -> None:
    globs = Globs(include=("docs/**", "runbok/**"), exclude=("nowhere",))

    assert globs.unmatched(["docs/a.md"]) == ("runbok/**",)


_SIGNS = st.text(st.sampled_from("ab*?[]!{},/."), max_size=20)


@given(st.text(max_size=30) | _SIGNS, st.text(max_size=30))
def test_any_pattern_says_yes_or_no(pattern: str, path: str) -> None:
    assert Globs(include=(pattern,)).wants(path) in {True, False}


@given(_SIGNS, st.lists(st.text(st.sampled_from("ab{},"), min_size=1), min_size=1, max_size=3))
def test_above_what_is_wanted_every_folder_is_reached(pattern: str, names: list[str]) -> None:
    globs = Globs(include=(pattern.lstrip("/"),))

    if globs.wants("/".join(names)):
        assert all(globs.reaches("/".join(names[:many])) for many in range(1, len(names)))


@pytest.mark.parametrize(
    "pattern", ["/etc/*", "../*.md", "a/../b", "", "/", "a\\b", "!a/**", "*.{md,mdx", "a}.md"]
)
def test_a_pattern_that_is_not_of_paths_below_the_source_is_no_setting(pattern: str) -> None:
    with pytest.raises(ValueError, match="a pattern"):
        SourceSettings.model_validate({"name": "x", "path": "y", "include": [pattern]})
