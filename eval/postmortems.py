"""Which pages tell of an incident, and what they say of it in a few sentences. Pure.

Told by type, folder, source or file name, since hardly anybody writes a type. Where people keep
other pages too (how incidents are run, playbooks), a page must also be built like a report.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from core.models import Document, Section
from corpus.kinds import INDEX_NAMES, stem
from corpus.markdown import opening

LONGEST: Final = 300
"""Characters of a description or summary that are asked."""
_SHORTEST = 12
_POSTMORTEM = "postmortem"
_REPORTS = (
    r"post[\W_]?mortems?|incident[\W_]?reports?|rcas?|root[\W_]?cause[\W_]?analys[ei]s"
    r"|incident[\W_]?(?:reviews?|retrospectives?)"
)
_REPORT = re.compile(rf"(?:.*[\W_])?(?:{_REPORTS})", re.IGNORECASE | re.DOTALL)
_OF_INCIDENTS = re.compile(
    r"(?:.*[\W_])?(?:incidents|outages?|retros|retrospectives?)", re.IGNORECASE | re.DOTALL
)
_IN_NAME = re.compile(rf"(?:^|[\W_])(?:{_REPORTS})(?:[\W_]|$)", re.IGNORECASE)
_OTHERS = re.compile(r"runbooks?|playbooks?|templates?|examples?", re.IGNORECASE)
_NO_REPORT = re.compile(r"template|example|sample", re.IGNORECASE)
_BUILT_LIKE_ONE = re.compile(
    r"timeline|root causes?|lessons? learn(?:ed|t)|action items?|contributing factors?"
    r"|what went (?:well|wrong)",
    re.IGNORECASE,
)
_AROUND_HEADING = re.compile(r":\w+:|\([^()]*\)|\{[^{}]*\}")
_NUMBER = re.compile(r"\d+(?: \d+)* ")
_INCIDENT = "(?:incident|outage|issue|event|postmortem)"
_SUMMARY = re.compile(
    rf"(?:{_INCIDENT} |executive |brief |short |quick |high level )?(?:summary|overview)"
    rf"(?: of (?:the |this )?{_INCIDENT})?|tl ?dr|what happened"
)
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？])", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{|<%|\b(?:TBD|TODO|FIXME)\b")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,100}\]")


def tells_of_an_incident(document: Document, sections: Sequence[Section]) -> bool:
    """Return whether a page is a postmortem, and no template or index of them."""
    name = stem(document.path)
    if name.lower() in INDEX_NAMES or _NO_REPORT.search(name):
        return False
    kind = document.metadata.type
    if kind:
        return kind.casefold() == _POSTMORTEM or _REPORT.fullmatch(kind) is not None
    folders = PurePosixPath(document.path).parts[:-1]
    source = PurePosixPath(document.source).name
    for folder in (*reversed(folders), source):
        if _OTHERS.fullmatch(folder) and folder is not source:
            return False
        if _REPORT.fullmatch(folder):
            return True
        if _OF_INCIDENTS.fullmatch(folder):
            return _built_like_one(sections)
    return _IN_NAME.search(name) is not None and _built_like_one(sections)


def is_summary(heading: str) -> bool:
    """Return whether a heading says that what happened stands below it in short."""
    words = re.sub(r"[\W_]+", " ", _AROUND_HEADING.sub(" ", heading.casefold())).strip()
    return _SUMMARY.fullmatch(_NUMBER.sub("", words, count=1)) is not None


def summary(document: Document, sections: Sequence[Section]) -> str:
    """Return the first sentences of a postmortem's summary, empty where it has none."""
    if not tells_of_an_incident(document, sections):
        return ""
    for section in sections:
        if is_summary(section.heading):
            for paragraph in opening(document.text, section.span):
                if _SENTENCE.match(paragraph):
                    said = first_sentences(paragraph)
                    return "" if len(said) < _SHORTEST or _PLACEHOLDER.search(said) else said
    return ""


def first_sentences(text: str) -> str:
    """Return as many whole sentences as fit, at least one, cut where that is too long."""
    # One more than fit: it tells whether the last full stop ends a sentence.
    flat = " ".join(_FOOTNOTE.sub("", text).split())[: LONGEST + 1]
    taken = ""
    for sentence in _SENTENCE.findall(flat) or [flat]:
        if taken and len(taken) + len(sentence) > LONGEST:
            break
        taken += sentence
    return taken[:LONGEST].strip()


def _built_like_one(sections: Sequence[Section]) -> bool:
    return any(_BUILT_LIKE_ONE.search(section.heading) for section in sections)
