"""A page from a gap: a Markdown stub in the form of a template, to be finished by a person. Pure.

Whatever was asked stands in a fence of its own, so that it is shown as it was typed, breaks nothing
around it and calls nobody; but for secrets, which are replaced as those of runbooks are.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from urllib.parse import quote

from core.exchanges import Exchange
from core.redaction import redact
from feedback.asked_lines import CALLS_NOBODY, asked_line
from feedback.gap_kinds import new_page, reference
from feedback.models import Gap, SectionRef
from feedback.quoting import quotable, visible
from feedback.unanswered import folded

MOST_QUESTIONS, MOST_SECTIONS = 10, 5
_TITLE = 100
_KEPT = ("type",)
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_HEADING = re.compile(r"^# .*$", re.MULTILINE)
_SECTION = re.compile(r"^## ", re.MULTILINE)
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|&~!$^=])")


def draft(
    gap: Gap,
    exchanges: Sequence[Exchange],
    notes: Mapping[str, str],
    template: str,
    *,
    visibility: Collection[str],
    link: Callable[[SectionRef], str | None],
) -> str:
    """Return the stub of a page that answers a gap.

    `exchanges` are the gap's, of which only what readers who see `visibility` may read is used;
    `notes` say how a human resolved one, by exchange id. `template` is Markdown with frontmatter,
    a title and sections, which are kept; `link` makes a section's link, which may be empty: None
    for one that is not there any more, or not for these readers, and so is not named.
    """
    readable = [one for one in exchanges if quotable(one, visibility)]
    title = _title(gap)
    front = _FRONT.match(template)
    body = template[front.end() :] if front else template
    body = _HEADING.sub("", body, count=1).strip("\n")
    first = found.start() if (found := _SECTION.search(body)) else len(body)
    parts = [
        _front(gap, title, front[1] if front else ""),
        f"# {_escaped(title)}",
        body[:first].strip("\n"),
        *_asked(readable),
        *_notes(readable, notes),
        *_near(gap, readable, visibility, link),
        body[first:].strip("\n"),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def line_to_add(
    section: SectionRef, exchanges: Sequence[Exchange], *, visibility: Collection[str], link: str
) -> str:
    """Return what stands above a draft where the answer is there already: the line to find it by.

    `section` is the answer, which readers who see `visibility` may see, with its `link`, which may
    be empty. Returns an empty text where nothing of what was asked may stand in its page.
    """
    line = asked_line(exchanges, section, visibility=visibility)
    if not line:
        return ""
    parts = (
        "## The answer is there already",
        _row(section, link),
        "Put this line at the end of that section, with an empty line above it, and have the page "
        "indexed: whoever asks like this next finds it.",
        _in_fence(line),
        "If a page is wanted all the same, it begins below, with `---`: delete what is above.",
    )
    return "\n\n".join(parts) + "\n\n"


def draft_name(gap: Gap) -> str:
    """Return the file name for a gap's page: in the words of its question, else the gap's own."""
    return new_page(gap.sample) or f"{gap.record.id.casefold()}.md"


def fenced(text: str) -> str:
    """Return a text in a fence that nothing in it can close."""
    return _in_fence(_printable(text))


def _in_fence(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _front(gap: Gap, title: str, lines: str) -> str:
    """Return the template's frontmatter with what is known of this page, and no more."""
    kept = [line for line in lines.splitlines() if line.partition(":")[0] in _KEPT]
    owner = gap.suggested_owner
    owned = [f"owner: {json.dumps(owner, ensure_ascii=False)}"] if owner else []
    return "\n".join(
        ("---", f"title: {json.dumps(title, ensure_ascii=False)}", *kept, *owned, "---")
    )


def _title(gap: Gap) -> str:
    words = " ".join(_printable(gap.sample).split()) or f"Answer to {gap.record.id}"
    cut = words if len(words) <= _TITLE else f"{words[: _TITLE - 1]}…"
    return cut.replace("@", CALLS_NOBODY)


def _asked(exchanges: Sequence[Exchange]) -> Iterator[str]:
    texts = {folded(one.question.text): one.question.text for one in reversed(exchanges)}
    newest = list(texts.values())[:MOST_QUESTIONS]
    if newest:
        yield "## Asked like this"
        yield from (fenced(redact(text)[0]) for text in reversed(newest))


def _notes(exchanges: Sequence[Exchange], notes: Mapping[str, str]) -> Iterator[str]:
    found = dict.fromkeys(notes[one.id] for one in exchanges if notes.get(one.id, "").strip())
    if found:
        yield "## How it was resolved"
        yield from (fenced(redact(note)[0]) for note in list(found)[-MOST_QUESTIONS:])


def _near(
    gap: Gap,
    exchanges: Sequence[Exchange],
    visibility: Collection[str],
    link: Callable[[SectionRef], str | None],
) -> Iterator[str]:
    found = {gap.nearest.section_id: gap.nearest} if gap.nearest else {}
    for exchange in exchanges:
        for hit in exchange.recorded.results if exchange.recorded else ():
            if hit.section_ids and visible(hit.visibility, visibility):
                found.setdefault(hit.section_ids[0], reference(hit))
    links = ((one, link(one)) for one in found.values())
    rows = [_row(one, url) for one, url in links if url is not None][:MOST_SECTIONS]
    if rows:
        yield "## Near, but not the answer"
        yield "\n".join(rows)


def _row(section: SectionRef, link: str) -> str:
    name = _escaped(" ".join(_printable(section.breadcrumb).split())) or "section"
    place = link or section.path
    return f"- [{name}](<{quote(place, safe='/:#?&=%+,;@~!$()*-._')}>)"


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _printable(text: str) -> str:
    """Return a text without control characters; its lines end as lines do."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(one for one in lines if one in "\n\t" or one.isprintable()).strip("\n")
