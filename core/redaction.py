"""Secrets out of text, line for line. Pure, and linear in the text's length.

Token shapes are those that their issuers publish (GitHub, GitLab, Slack, AWS and so on). A secret
without a shape of its own is known by where it is written and what it is assigned to, and must not
read like a word, a name, a variable or an example. Only the secret goes; what stands around it
stays. Why no scanner does this is told in docs/secrets.md.
"""

import re
from collections.abc import Sequence

from core.models import Redaction
from core.private_keys import private_keys
from core.secret_rules import RULES, is_harmless

_SHORT = 300
"""Characters up to which it is quicker to look for all beginnings of secrets at once."""


def redact(text: str) -> tuple[str, tuple[Redaction, ...]]:
    """Replace each secret by `[redacted: kind]`, and say on which line (from 1) of what kind.

    The number of lines stays the same: a key over many lines leaves its lines empty.
    """
    if len(text) < _SHORT and is_harmless(_lowered(text)):
        return text, ()
    text, found = _replaced(text, private_keys(text), "private key")
    lowered = _lowered(text)
    for rule in RULES:
        if spans := list(rule.spans(text, lowered)):
            text, more = _replaced(text, spans, rule.kind)
            lowered = _lowered(text)
            found += more
    return text, tuple(sorted(found, key=lambda one: (one.line, one.kind)))


def _lowered(text: str) -> str:
    """Return the text in lower case and of the same length (U+0130 alone would become two)."""
    return text.replace("\u0130", "I").lower()


def _replaced(
    text: str, spans: Sequence[tuple[int, int]], kind: str
) -> tuple[str, list[Redaction]]:
    pieces: list[str] = []
    found: list[Redaction] = []
    line, done = 1, 0
    for start, end in spans:
        line += text.count("\n", done, start)
        found.append(Redaction(line, kind))
        pieces += text[done:start], f"[redacted: {kind}]", _line_starts(text[start:end])
        line += text.count("\n", start, end)
        done = end
    return "".join((*pieces, text[done:])), found


def _line_starts(secret: str) -> str:
    """Return the secret's line ends, each with the indentation or quote mark that follows it."""
    return "".join(re.findall(r"\n[ \t>]*", secret))
