"""The line by which a section is found in the words of those who asked for it. Pure.

    <!-- asked: pods keep restarting after a deploy | why does my pod die over and over -->

A person puts it into the page, where it stays: so it has only words that everybody may read who
sees that page, and none that end the comment, divide a question in two, call anybody or are secret.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from core.exchanges import Exchange
from core.redaction import redact
from feedback.models import SectionRef
from feedback.quoting import quotable, quotable_on_page
from feedback.unanswered import folded

MOST, LONGEST = 5, 300
"""Questions of one line, and characters of one: what is longer would not be read as a question."""
CALLS_NOBODY = "@\u200b"
"""An at sign that calls nobody, wherever the page is shown: a space of no width follows it."""

_WORD = re.compile(r"\w")
_END = re.compile(r"(?<=--)>|(?<=--!)>|(?<=\*)/")
"""The last character of what ends a comment in Markdown, HTML or MDX."""


def asked_line(
    exchanges: Sequence[Exchange], section: SectionRef, *, visibility: Collection[str]
) -> str:
    """Return the comment to put under a section, in one line; empty if nothing may stand in it.

    Of `exchanges` it has the newest that are worded apart, without those that follow another: they
    mean nothing alone. Readers of the draft see `visibility`, those of the page what `section` has.
    """
    newest = list(_questions(exchanges, section, visibility))[:MOST]
    if not newest:
        return ""
    mdx = section.path.casefold().endswith(".mdx")
    begin, end = ("{/*", "*/}") if mdx else ("<!--", "-->")
    return f"{begin} asked: {' | '.join(newest)} {end}"


def _questions(
    exchanges: Sequence[Exchange], section: SectionRef, visibility: Collection[str]
) -> Iterator[str]:
    seen = set()
    for one in sorted(exchanges, key=lambda one: one.question.asked_at, reverse=True):
        if one.question.follows or not quotable(one, visibility):
            continue
        if not quotable_on_page(one, section.visibility):
            continue
        said = _harmless(one.question.text)
        if _WORD.search(said) and len(said) <= LONGEST and folded(said) not in seen:
            seen.add(folded(said))
            yield said


def _harmless(text: str) -> str:
    """Return a question as it can stand in a comment: one line, and nothing that ends it.

    Secrets go twice: a key over many lines is one no more in one line, and a token in which
    invisible characters stood is one only without them.
    """
    text = redact(text)[0]
    seen = "".join(one for one in text if one.isprintable() or one.isspace())
    line = redact(" ".join(seen.split()))[0].replace("|", "/")
    return _END.sub(r" \g<0>", line).replace("@", CALLS_NOBODY)
