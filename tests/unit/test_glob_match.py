"""Patterns are matched in one pass, whatever they are."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.glob_match import Matcher

_MEANINGS = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_PIECES = ("a", "b", "/", "?", "*", "**", "**/", "[ab]", "[!a]", "{", "}", ",")


def meaning(pattern: str) -> str:
    """Return the regular expression that says the same, for patterns without braces."""
    pieces = re.findall(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?\w+\]|.", pattern)
    known = _MEANINGS | {"/**": "/.+", "[!a]": "[^/a]", "[ab]": "[ab]"}
    return "".join(known.get(piece) or re.escape(piece) for piece in pieces)


def without_braces(pattern: str) -> list[str]:
    """Return what braces with a comma stand for, each alternative a pattern of its own."""
    opened: list[list[int]] = []
    for at, char in enumerate(pattern):
        if char == "{":
            opened.append([at])
        elif char == "," and opened:
            opened[-1].append(at)
        elif char == "}" and opened and len(cuts := [*opened.pop(), at]) > 2:
            start, end = pattern[: cuts[0]], pattern[at + 1 :]
            parts = [pattern[a + 1 : b] for a, b in pairwise(cuts)]
            return [one for part in parts for one in without_braces(start + part + end)]
    return [pattern]


@given(
    st.lists(st.sampled_from(_PIECES[:-3]), max_size=8).map("".join),
    st.text(st.sampled_from("ab/"), max_size=8),
)
def test_a_pattern_means_what_its_regular_expression_means(pattern: str, path: str) -> None:
    pattern = pattern.rstrip("/")
    assert Matcher([pattern]).matches(path) is bool(re.fullmatch(meaning(pattern), path))


@given(
    st.lists(st.sampled_from(("a", "b", "*", "{", "}", ",", "?")), max_size=9).map("".join),
    st.text(st.sampled_from("ab{},"), max_size=6),
)
def test_braces_mean_each_of_their_alternatives(pattern: str, path: str) -> None:
    apart = without_braces(pattern)
    assert Matcher([pattern]).matches(path) is any(Matcher([one]).matches(path) for one in apart)


@given(
    st.lists(st.lists(st.sampled_from(_PIECES), max_size=5).map("".join), max_size=4),
    st.text(st.sampled_from("ab/"), min_size=1, max_size=8),
)
def test_patterns_together_mean_what_each_means(patterns: list[str], path: str) -> None:
    alone = {n for n, pattern in enumerate(patterns) if Matcher([pattern]).covers(path)}
    together = Matcher(patterns)

    assert (together.covering(path), together.covers(path)) == (alone, bool(alone))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("docs/" + "*a" * 13 + "*b", "docs/" + "a" * 40),
        ("**/a/" * 13 + "b", "a/" * 40 + "a"),
        ("{*a,*aa,a*}" * 13 + "b", "a" * 40),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    """A search that goes back does not come to an end here."""
    matcher = Matcher([pattern])

    assert [matcher.matches(path), matcher.covers(path)] == [False, False]


def test_what_is_remembered_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Matcher, "MOST_STEPS", 100)
    matcher = Matcher(["*a" + "?" * 7])
    paths = ("".join("ab"[(n >> bit) & 1] for bit in range(8)) for n in range(2**8))

    assert sum(matcher.matches(path) for path in paths) == 2**7
    assert matcher.remembered <= 100
