"""Whether a written text says what its sections say, by plain substrings: not by the guard. Pure.

It looks at what can harm when it is made up: code, and words of prose that look like a command, a
path, an option, an address, a name with digits or a number. What is wrong in plain words it cannot
see; for that there are the labelled texts.
"""

import re
from collections.abc import Iterator, Sequence

_CODE = re.compile(r"```\w*\n(.*?)(?:```|\Z)|`([^`\n]+)`", re.DOTALL)
_CITATION = re.compile(r"\[\d+\]")
_NUMBERED = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_TECHNICAL = re.compile(r"-{1,2}\w|.*[/=_\d]|\w+(?:\.\w+){2}")
_AROUND = ".,;:!?()[]{}\"'*<>“”’"


def citations(text: str) -> frozenset[int]:
    """Return the numbers that a text cites, in code too: a model's marks are not all good."""
    return frozenset(int(found[1:-1]) for found in _CITATION.findall(text))


def ungrounded(text: str, sections: Sequence[str]) -> tuple[str, ...]:
    """Return the code and technical words of a text that none of its sections has."""
    known = _folded("\n".join(sections))
    return tuple(one for one in _claims(text) if _folded(one) not in known)


def _claims(text: str) -> Iterator[str]:
    for fence, inline in _CODE.findall(text):
        yield from (line.strip() for line in (fence or inline).splitlines() if line.strip())
    prose = _NUMBERED.sub(" ", _CITATION.sub(" ", _CODE.sub(" ", text)))
    for word in prose.split():
        bare = word.strip(_AROUND)
        if bare and _TECHNICAL.match(bare):
            yield bare


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
