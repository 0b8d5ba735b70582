"""What a rule for one kind of secret is, and how it finds where they stand. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from core.secret_values import is_example

_UNQUOTED = {
    "bare": re.compile(r"-->|\*/(?=[\s}]|\Z)|\{%[-+]?[ \t]|\{\{[<%]"),
    "secret": re.compile(r"-->"),
}
"""What ends a value without quotes, by its group: a comment's end, and the tag of a template."""
_LONG = 64  # a longer value that is no secret is not looked into: time stays linear


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: the last named group of `pattern` that matched goes, if it `counts`.

    The pattern is tried only where one of `starts` (lower case) stands, and everywhere if there
    are none: to look for a word is much cheaper than to try a pattern. A match begins `lead`
    characters before its start.
    """

    kind: str
    starts: tuple[str, ...]
    pattern: re.Pattern[str]
    counts: Callable[[str], bool]
    lead: int = 0

    def spans(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets of this kind stand; `lowered` is the text in lower case."""
        done = 0
        for at in self._candidates(text, lowered):
            found = self.pattern.match(text, at) if at >= done else None
            if found is None or found.lastgroup is None:
                continue
            start, end = found.span(found.lastgroup)
            if found.lastgroup in _UNQUOTED:
                closing = _UNQUOTED[found.lastgroup].search(text, start, end + 3)
                end = min(end, closing.start()) if closing else end
            counts = self.counts(text[start:end])
            if counts:
                yield start, end
            if counts or end - start > _LONG:
                done = end

    def _candidates(self, text: str, lowered: str) -> Iterable[int]:
        if not self.starts:
            return [found.start() for found in self.pattern.finditer(text)]
        return sorted({at - self.lead for start in self.starts for at in _places(lowered, start)})


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def no_example(value: str) -> bool:
    """Return whether a value of a token's own shape does not say that it is an example."""
    return not is_example(value)


def shape(
    kind: str,
    starts: str,
    pattern: str,
    counts: Callable[[str], bool] = no_example,
    lead: int = 0,
) -> Rule:
    """Return the rule for tokens that are known by their own shape; `starts` parts at spaces."""
    whole = rf"(?<![A-Za-z0-9_-])(?P<secret>{pattern})(?![A-Za-z0-9_])"
    return Rule(kind, tuple(starts.split()), re.compile(whole), counts, lead)


def written(
    kind: str, starts: tuple[str, ...], pattern: str, counts: Callable[[str], bool] = no_example
) -> Rule:
    """Return the rule for secrets that are known by what is written around them, in any case."""
    return Rule(kind, starts, re.compile(pattern, re.IGNORECASE), counts)
